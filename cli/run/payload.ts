/** A request from a file is a workload of one operation: a run on such a file and one on a workload are the same thing. */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { ConfigError } from '../../contract/config-error.js';
import { toWorkload } from '../../lib/payload.js';
import { usage } from '../ending.ts';

/** @returns the path of the workload document @throws {Ending} where the file is no request */
export function payloadWorkload(file: string, out: string): string {
  try {
    writeFileSync(out, `${JSON.stringify(toWorkload(read(file), basename(file)), null, 2)}\n`);
    return out;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw usage(
      `PAYLOAD is "${file}", and ${error.message}; valid: a file with one JSON-RPC request, ` +
        '{"jsonrpc": "2.0", "method": "...", "params": {...}}',
    );
  }
}

function read(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError(`it can't be read (${String(error).split('\n')[0]})`);
  }
}
