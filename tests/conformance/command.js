#!/usr/bin/env node
/** The command that the suite drives, `command.js SERVER_URL`: it runs client.js in k6, which takes no more words. */
import { spawnSync } from 'node:child_process';
import { toolPath } from '../tool.js';

const { status } = spawnSync(
  toolPath('k6'),
  ['run', '--quiet', '--summary-mode=disabled', '--address', '', 'tests/conformance/client.js'],
  { stdio: 'inherit', env: { ...process.env, SERVER_URL: process.argv[2] } },
);
process.exitCode = status ?? 1;
