/** `make workflows`: each of a client's usual steps against its objective in the benchmark document. */

import { inScope, trendOf } from '../../analysis/collect/groups.ts';
import type { Phase } from '../../analysis/judge/phases.ts';
import type { Threshold } from '../../analysis/judge/threshold.ts';
import { type Built, type Column, type Facts, tableOf } from '../../analysis/tables/report-tables.ts';
import { milliseconds } from '../../contract/units.js';

/** The document's names of the steps and its values: p50, p95, p99. */
const STEPS = {
  'tool-call': { name: 'Tool call', p: [2.8, 6.5, 9.2] },
  'resource-list': { name: 'Resource list', p: [1.5, 3.2, 5.8] },
  'resource-subscribe': { name: 'Resource subscribe', p: [3.2, 7.8, 11.5] },
  'prompt-list': { name: 'Prompt list', p: [1.8, 4.1, 6.2] },
  'tool-sequence': { name: 'Tool call sequence', p: [8.5, 18.2, 28.5] },
};

/** The p99 metrics of objectives: for a single call, and for a sequence of calls. */
const P99 = ['p99_ms', 'sequence_p99_ms'];

export default function workflows({ phases, groups, thresholds }: Facts): Built {
  const measured = phases.filter((phase) => phase.measured);
  const rows = measured.map((phase) => {
    const { count, latency } = trendOf(inScope(groups, { phase: phase.name }), 'mcp_sequence_duration');
    const own = thresholds.filter(({ scope }) => scope.phase === phase.name);
    const figures = count > 0 ? { count, latency } : { count: phase.answered, latency: phase.latency_ms };
    return { phase, own, ...figures };
  });
  const columns: Column<(typeof rows)[number]>[] = [
    { name: 'workflow', unit: 'text', of: ({ phase }) => stepOf(phase)?.name ?? phase.name },
    { name: 'operations', unit: 'count', of: ({ count }) => count },
    { name: 'p50', unit: 'ms', of: ({ latency }) => latency?.p50 ?? null },
    { name: 'p95', unit: 'ms', of: ({ latency }) => latency?.p95 ?? null },
    { name: 'p99', unit: 'ms', of: ({ latency }) => latency?.p99 ?? null },
    { name: 'target', unit: 'text', of: ({ own }) => targetOf(own) },
    { name: 'status', unit: 'text', of: ({ own }) => statusOf(own) },
  ];
  const documented = measured.flatMap((phase) => {
    const step = stepOf(phase);
    return step ? [`${step.name.toLowerCase()} ${step.p.join('/')}`] : [];
  });
  const notes = [
    'The sequence is three tool calls of one VU, each sent after the previous answer. Its time covers all three calls; a failed sequence counts with the time until it failed.',
    'Subscribe: until the server confirms it. Notifications of changes are tested, but not timed, because k6 reads no streams.',
    ...(documented.length > 0
      ? [`Objectives in the benchmark document (p50/p95/p99 in ms): ${documented.join(', ')}.`]
      : []),
  ];
  return { tables: [tableOf('Workflows', rows, columns, notes)] };
}

/** @param phase its name may start with the trial's name */
const stepOf = ({ name }: Phase) =>
  Object.entries(STEPS).find(([step]) => name === step || name.endsWith(`-${step}`))?.[1];

function targetOf(thresholds: Threshold[]) {
  const objective = thresholds.find(({ metric }) => P99.includes(metric));
  return objective ? `< ${milliseconds(objective.limit ?? Number.NaN)}` : null;
}

function statusOf(thresholds: Threshold[]) {
  if (thresholds.some(({ outcome }) => outcome === 'fail')) return 'missed';
  if (thresholds.some(({ outcome }) => outcome === 'invalid')) return 'inconclusive';
  return thresholds.length > 0 ? 'met' : 'not judged';
}
