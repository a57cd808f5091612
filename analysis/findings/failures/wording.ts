/** Parts of the sentences about failures. */
import { clock, counted, number } from '../../../contract/units.js';
import { type Stratum, sumOf } from './cells.ts';
import type { Own } from './operations.ts';

/** Maximum number of operations that a sentence names. */
const MAX_NAMED = 3;

/** Describes how a call of each kind ended. */
const KINDS: Record<string, string> = {
  timeout: 'no answer in time',
  stalled: 'the answer stalled',
  connect: 'no connection',
  http_4xx: 'HTTP 4xx',
  http_5xx: 'HTTP 5xx',
  rate_limited: 'HTTP 429',
  jsonrpc: 'a JSON-RPC error',
  tool: 'a tool error',
};

const kindText = (kind: string): string => KINDS[kind] ?? kind;

/** @returns how the requests failed, by descending frequency */
export function kindsText({ cells, kind }: Stratum): string {
  if (kind !== null) return kindText(kind);
  const counts = [...new Set(cells.flatMap(({ kinds }) => [...kinds.keys()]))]
    .map((one) => ({ one, count: sumOf({ kind: one, cells }).failed }))
    .toSorted((a, b) => b.count - a.count);
  const [first, ...others] = counts;
  if (!first || others.length === 0) return first ? kindText(first.one) : '';
  return counts.map(({ one, count }) => `${kindText(one)} ${number(count)}`).join(', ');
}

export const namesOf = (names: readonly string[]): string =>
  names.length > MAX_NAMED
    ? `${names.slice(0, MAX_NAMED).join(', ')} and ${names.length - MAX_NAMED} more`
    : names.join(', ');

export function othersText(own: Own | null): string {
  if (!own) return '';
  const { requests, failed } = own.others;
  const rest =
    own.others.operations === 1 ? 'the other operation succeeded' : 'the other operations succeeded';
  return failed === 0
    ? `${rest} (${counted(requests, 'request')})`
    : `${number(failed)} of ${counted(requests, 'other request')} failed`;
}

export const oneIn = (failed: number, requests: number): string =>
  `1 in ${number(Math.round(requests / failed))}`;

/** @returns for example 00:35.2 */
export function exactClock(seconds: number): string {
  const tenths = Math.round(Math.max(0, seconds) * 10);
  return `${clock(tenths / 10)}.${tenths % 10}`;
}
