/** A gateway of its own, until it is told to end: `scripts/gateway` calls this, with the target in the environment. */
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../contract/config-error.js';
import { readConfig } from '../config.js';
import { startOwn } from './subject.js';

const { RUN_DIR = '' } = process.env;
const file = join(RUN_DIR, 'gateway.env');

try {
  const end = Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)));
  const { gateway, name } = await startOwn(readConfig(process.env));
  // The token is for whoever may read the stack's other secrets, and for no terminal.
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
