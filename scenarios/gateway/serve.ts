/** Runs ContextForge in front of TARGET_URL until a signal ends it. Called by `scripts/gateway`. */
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../cli/trials/config.ts';
import { ConfigError } from '../../contract/config-error.js';
import { startOwn } from './subject.ts';
import type { variables } from './variables.ts';

const { RUN_DIR = '' } = process.env;
const file = join(RUN_DIR, 'gateway.env');

try {
  const end = Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)));
  const { gateway, name } = await startOwn(readConfig<typeof variables>(process.env));
  // The token is as secret as the stack's passwords: it is not printed.
  writeFileSync(file, `TARGET_URL=${gateway.mcp}\nTARGET_TOKEN=${gateway.token}\n`, { mode: 0o600 });
  process.stderr.write(
    `${name}: ${gateway.mcp}, plain JSON-RPC at ${gateway.rpc}\n` +
      `its address and token: ${file}, for example: (set -a; . ${file}; make load)\nCtrl-C ends it\n`,
  );
  await end;
  rmSync(file, { force: true });
  await gateway.stop();
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof ConfigError ? 2 : 1;
}
