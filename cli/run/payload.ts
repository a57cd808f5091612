/** Converts a request from a file to a workload with one operation, so that it runs like any workload. */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { ConfigError } from '../../contract/config-error.js';
import { WORKLOAD_SCHEMA, type WorkloadDocument } from '../../lib/workload.js';
import { usage } from '../ending.ts';

/** @returns the path of the workload document @throws {Ending} if the file does not contain a request */
export function payloadWorkload(file: string, out: string): string {
  try {
    writeFileSync(out, `${JSON.stringify(toWorkload(read(file), basename(file)), null, 2)}\n`);
    return out;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw usage(
      `PAYLOAD is "${file}": ${error.message}; valid: a file with one JSON-RPC request, ` +
        '{"jsonrpc": "2.0", "method": "...", "params": {...}}',
    );
  }
}

function read(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError(`it cannot be read (${String(error).split('\n')[0]})`);
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * @param request parsed JSON in the format of other load generators; its id is not used, because each call
 *   gets its own
 * @param name the workload's name
 * @throws {ConfigError} with the reason, as part of a sentence
 */
export function toWorkload(request: unknown, name: string): WorkloadDocument {
  if (!isObject(request)) throw new ConfigError('it is not a JSON object');
  const { jsonrpc, method, params = {} } = request;
  if (jsonrpc !== '2.0') throw new ConfigError('its jsonrpc is not "2.0"');
  if (typeof method !== 'string' || method === '') throw new ConfigError('its method is not a string');
  if (!isObject(params)) throw new ConfigError('its params are not an object');
  const called = method === 'tools/call' ? toolCall(params) : { method, params };
  const operation = (typeof called.params.name === 'string' ? called.params.name : method)
    .replace(/[,:{}"'\s]+/g, '_')
    .slice(0, 100);
  return {
    schema: WORKLOAD_SCHEMA,
    name: name.slice(0, 200),
    dialect: isMcp(method) ? 'mcp' : 'jsonrpc',
    operations: { [operation]: { class: 'read', ...called } },
    mixes: { default: { [operation]: 100 } },
  };
}

/** MCP's methods contain a slash; other servers' methods hardly ever do. */
export const isMcp = (method: string) => method.includes('/') || method === 'ping';

function toolCall({ name, arguments: given = {}, ...rest }: Record<string, unknown>) {
  if (typeof name !== 'string' || name === '') throw new ConfigError('its params.name is not a string');
  if (!isObject(given)) throw new ConfigError('its params.arguments are not an object');
  return { method: 'tools/call', params: { ...rest, name }, arguments: [given] };
}
