import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isMcp } from '../../cli/run/payload.ts';
import type { Config } from '../../cli/trials/config.ts';
import { ConfigError } from '../../contract/config-error.js';
import type { Workload, WorkloadDocument } from '../../lib/workload.js';
import reference from '../../workloads/reference.js';

/**
 * Reduces a workload document to its tools. The gateway offers the server's tools, but not its resources and
 * prompts: only tools can be compared.
 *
 * @param workload path; '': the reference target's own
 * @param folder of the results
 * @returns variables that select the reduced workload
 */
export function toolsOnly(workload: string, folder: string): Record<string, string> {
  if (!workload.endsWith('.json')) return {};
  const path = join(folder, 'tools.json');
  const document = onlyTools(JSON.parse(readFileSync(workload, 'utf8')));
  writeFileSync(path, `${JSON.stringify(document, null, 2)}\n`);
  return { WORKLOAD: path };
}

/** The tools that a run may call. */
export async function toolNames({
  WORKLOAD: path,
  TOOL: tool,
}: Pick<Config, 'WORKLOAD' | 'TOOL'>): Promise<string[]> {
  const { operations }: Pick<Workload, 'operations'> = path.endsWith('.json')
    ? onlyTools(JSON.parse(readFileSync(path, 'utf8')))
    : path
      ? (await import(pathToFileURL(path).href)).default
      : reference;
  const called = Object.entries(operations).map(
    ([name, { tool: own, params }]) => own ?? (params?.name as string | undefined) ?? name,
  );
  return tool ? [...called, tool] : called;
}

/**
 * The tool calls of a document, for servers that have only tools in common. A server's own method becomes a
 * call of the tool with that name, as on a gateway.
 *
 * @throws {ConfigError} if there are no tool calls
 */
export function onlyTools(document: WorkloadDocument): WorkloadDocument {
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
