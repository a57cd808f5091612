import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isMcp } from '../../cli/run/payload.ts';
import { ConfigError } from '../../contract/config-error.js';
import reference from '../../workloads/reference.js';

/**
 * A server has its resources and prompts by itself, its tools by the gateway, too: these are what the two can be
 * compared by.
 *
 * @param {string} workload path; '' = the reference target's own
 * @param {string} folder of the results
 * @returns {Record<string, string>} variables that name the workload's tools
 */
export function toolsOnly(workload, folder) {
  if (!workload.endsWith('.json')) return {};
  const path = join(folder, 'tools.json');
  const document = onlyTools(JSON.parse(readFileSync(workload, 'utf8')));
  writeFileSync(path, `${JSON.stringify(document, null, 2)}\n`);
  return { WORKLOAD: path };
}

/**
 * @param {{WORKLOAD: string, TOOL: string}} config
 * @returns {Promise<string[]>} the tools that a run may call
 */
export async function toolNames({ WORKLOAD: path, TOOL: tool }) {
  const { operations } = path.endsWith('.json')
    ? onlyTools(JSON.parse(readFileSync(path, 'utf8')))
    : path
      ? (await import(pathToFileURL(path).href)).default
      : reference;
  const called = Object.entries(operations).map(
    ([name, { tool: own, params }]) => own ?? params?.name ?? name,
  );
  return tool ? [...called, tool] : called;
}

/**
 * The tool calls of a document, for servers that have nothing but their tools in common. A method of a server's own is
 * taken for a tool, as a gateway takes it.
 *
 * @param {import('../../lib/workload.js').WorkloadDocument} document
 * @returns {import('../../lib/workload.js').WorkloadDocument}
 * @throws {ConfigError} where there is none
 */
export function onlyTools(document) {
  const operations = Object.fromEntries(
    Object.entries(document.operations).flatMap(([name, operation]) => {
      if (operation.method === 'tools/call') return [[name, operation]];
      if (isMcp(operation.method)) return [];
      const { method, params, ...rest } = operation;
      return [[name, { ...rest, method: 'tools/call', params: { name: method }, arguments: [params] }]];
    }),
  );
  const { default: weights = {} } = document.mixes;
  const kept = Object.entries(weights).filter(([name]) => Object.hasOwn(operations, name));
  if (kept.length === 0) throw new ConfigError(`the workload ${document.name} calls no tools`);
  return { ...document, dialect: 'mcp', operations, mixes: { default: Object.fromEntries(kept) } };
}
