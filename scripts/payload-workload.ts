#!/usr/bin/env node
/**
 * Makes a workload document of a file with one JSON-RPC request: node scripts/payload-workload.ts PAYLOAD WORKLOAD.
 * A run on such a file and one on a workload are then the same thing. Exit code 2, and one line, where it is no request.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { ConfigError } from '../lib/config-error.js';
import { toWorkload } from '../lib/payload.js';

const [file = '', out = ''] = process.argv.slice(2);
try {
  writeFileSync(out, `${JSON.stringify(toWorkload(read(file), basename(file)), null, 2)}\n`);
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(
    `error: PAYLOAD is "${file}", and ${error.message}; valid: a file with one JSON-RPC request, ` +
      '{"jsonrpc": "2.0", "method": "...", "params": {...}}\n',
  );
  process.exitCode = 2;
}

function read(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError(`it can't be read (${String(error).split('\n')[0]})`);
  }
}
