/** Makes a workload document of a server's operations. */
import { oneLine } from '../../contract/one-line.js';
import { type Choice, MAX_NAME, safeName } from '../../lib/choose.js';
import type { DocumentOperation, WorkloadDocument } from '../../lib/workload.js';
import { WORKLOAD_SCHEMA } from '../../lib/workload.js';

const MAX_LEFT_OUT = 100;
/** Percentage of protocol calls (lists and pings), if there are other operations. */
const PROTOCOL_SHARE = 5;

export function toDocument(
  connection: NonNullable<WorkloadDocument['connection']>,
  { operations, leftOut }: Pick<Choice, 'operations' | 'leftOut'>,
): WorkloadDocument {
  const { server } = connection;
  const rest = leftOut.length - MAX_LEFT_OUT;
  return {
    schema: WORKLOAD_SCHEMA,
    name: safeName(server?.name || 'server'),
    dialect: 'mcp',
    connection: {
      ...connection,
      server: server && { name: oneLine(server.name, MAX_NAME), version: oneLine(server.version, MAX_NAME) },
    },
    operations,
    mixes: { default: evenMix(operations) },
    left_out: [
      ...leftOut.slice(0, MAX_LEFT_OUT),
      ...(rest > 0 ? [{ operation: `${rest} more`, reason: 'not listed here' }] : []),
    ],
  };
}

/** Equal weights, and a small share for protocol operations. */
function evenMix(operations: Record<string, DocumentOperation>): Record<string, number> {
  const names = Object.keys(operations);
  const lists = names.filter((name) => operations[name]?.class === 'protocol');
  const calls = names.filter((name) => operations[name]?.class !== 'protocol');
  const share = calls.length === 0 ? 100 : PROTOCOL_SHARE;
  return Object.fromEntries([
    ...evenWeights(calls, lists.length === 0 ? 100 : 100 - share),
    ...evenWeights(lists, share),
  ]);
}

/** Weights with two decimals for readability; their sum is exactly the total. */
function evenWeights(names: string[], total: number): [string, number][] {
  const upTo = (index: number) => Math.round((total * 100 * index) / names.length);
  return names.map((name, index) => [name, (upTo(index + 1) - upTo(index)) / 100]);
}
