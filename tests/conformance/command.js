#!/usr/bin/env node
/**
 * The command that the suite drives, `command.js SERVER_URL`: turns what the suite says through its variables into
 * ours and runs client.js in k6.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toolPath } from '../tool.js';

const { MCP_CONFORMANCE_SCENARIO = '', MCP_CONFORMANCE_PROTOCOL_VERSION: version = '' } = process.env;
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
const folder = mkdtempSync(join(tmpdir(), 'mcp-load-lab-conformance-'));
const key = join(folder, 'key.pem');
if (context.private_key_pem) writeFileSync(key, context.private_key_pem, { mode: 0o600 });

// This scenario's server settles on 2025-03-26, whatever it is asked for: forced, there would be no connection.
const forced = MCP_CONFORMANCE_SCENARIO === 'sse-retry' ? 'MCP_ERA' : 'MCP_PROTOCOL_VERSION';
const { status } = spawnSync(
  toolPath('k6'),
  ['run', '--quiet', '--summary-mode=disabled', '--address', '', 'tests/conformance/client.js'],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      TARGET_URL: process.argv[2] ?? '',
      [forced]: forced === 'MCP_ERA' ? 'legacy' : version,
      ...(context.client_id && { OAUTH_CLIENT_ID: context.client_id }),
      ...(context.client_secret && { OAUTH_CLIENT_SECRET: context.client_secret }),
      ...(context.private_key_pem && { OAUTH_CLIENT_KEY: key }),
    },
  },
);
rmSync(folder, { recursive: true });
process.exitCode = status ?? 1;
