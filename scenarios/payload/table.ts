/** `make payload`: throughput by message size, and the size above which the size dominates. */

import { inScope, total } from '../../analysis/collect/groups.ts';
import { signalMean } from '../../analysis/collect/signals.ts';
import { note } from '../../analysis/findings/note.ts';
import type { Phase } from '../../analysis/judge/phases.ts';
import { fitLine } from '../../analysis/statistics/line.ts';
import { type Built, type Column, type Facts, ratio, tableOf } from '../../analysis/tables/report-tables.ts';
import { number, percent } from '../../contract/units.js';

const LABEL = 'kb';
const TITLE = 'Payload';

/** The document's HTTP rate of 4 KB messages, and its throughput by size relative to 1 KB. */
const DOCUMENTED =
  'The document has 55, 52.3, 43, 31.2, 18.5 and 9.2 thousand messages/s over TCP at these sizes (100, 95, 78, 57, 34 and 17 %), and 12,500/s over HTTP with p50/p95/p99 of 3.8/8.5/12.4 ms.';

/** CPU utilization at which the machine has no capacity left. */
const BUSY = 0.9;

/** The reference target's tool answers with as many bytes as it gets. Other servers may not. */
const ANSWERS_ALIKE = 'reference';

export default function payload({ plan, phases, groups, signals }: Facts): Built {
  const alike = plan.workload === ANSWERS_ALIKE;
  const sized = phases.filter((phase) => phase.measured && phase.labels[LABEL] && phase.achieved_rps);
  const bytes = (count: 'bytesSent' | 'bytesReceived', { name }: Phase) =>
    total(inScope(groups, { phase: name }), count);
  const isBusy = ({ name }: Phase) => (signalMean(signals, 'host_cpu', name) ?? 0) >= BUSY;
  const columns: Column<Phase>[] = [
    { name: 'KB', unit: 'text', of: ({ labels }) => labels[LABEL] ?? null },
    { name: 'messages', unit: 'per_s', of: ({ achieved_rps: rate }) => rate },
    { name: 'vs first', unit: 'ratio', of: ({ achieved_rps: rate }) => ratio(rate, sized[0]?.achieved_rps) },
    { name: 'p50', unit: 'ms', of: ({ latency_ms: latency }) => latency?.p50 ?? null },
    { name: 'p95', unit: 'ms', of: ({ latency_ms: latency }) => latency?.p95 ?? null },
    { name: 'p99', unit: 'ms', of: ({ latency_ms: latency }) => latency?.p99 ?? null },
    { name: 'sent', unit: 'bytes_per_s', of: (phase) => ratio(bytes('bytesSent', phase), phase.duration_s) },
    {
      name: 'received',
      unit: 'bytes_per_s',
      of: (phase) => ratio(bytes('bytesReceived', phase), phase.duration_s),
    },
    { name: 'an answer', unit: 'bytes', of: (phase) => ratio(bytes('bytesReceived', phase), phase.requests) },
    { name: 'CPU', unit: 'ratio', of: ({ name }) => signalMean(signals, 'cpu', name) },
    { name: 'bottleneck', unit: 'text', of: (phase) => (isBusy(phase) ? 'CPU' : null) },
  ];
  const message = alike
    ? 'A message is a request and its answer, each with this payload'
    : 'A message is a request with a text of this size, and its answer, whose size the server chooses';
  const notes = [
    `${message}. Bytes: on the wire, with headers. CPU: of the server. Bottleneck: CPU if the machine, which may also run the load generator, had none left.`,
    ...(alike ? [DOCUMENTED] : []),
  ];
  const shown = columns.filter(({ name }) => !alike || name !== 'an answer');
  return {
    tables: [tableOf(TITLE, sized, shown, notes)],
    findings: [note(TITLE, ...knee(sized, alike ? 'each way' : 'of text'))],
  };
}

/**
 * The time of a message has a fixed part and a part per KB. The knee is the size at which both are equal.
 *
 * @param ways the messages that the KB count for
 */
export function knee(
  sized: Phase[],
  ways: string = 'each way',
): [statement: string, rest: { figures: Record<string, number | null> }] {
  const line = fitLine(sized.map((phase) => [Number(phase.labels[LABEL]), 1e6 / Number(phase.achieved_rps)]));
  if (!line || line.slope <= line.error || line.start <= 0) {
    return ['the cost per KB is inconclusive with the measured sizes', { figures: {} }];
  }
  const { start, slope, error } = line;
  return [
    `the knee is at about ${number(start / slope)} KB ${ways}: a message takes ${number(start)} us plus ${number(slope)} us (+-${percent(error / slope, 2)}) ` +
      'per KB, so below the knee the number of messages dominates the cost, above it their size',
    { figures: { knee_kb: start / slope, fixed_us: start, per_kb_us: slope } },
  ];
}
