/** `make tools`: the load that each tool puts on the database, the cache and the upstream service. */

import { increaseIn } from '../../analysis/collect/increases.ts';
import type { Phase } from '../../analysis/judge/phases.ts';
import {
  type Built,
  type Column,
  type Facts,
  ratio,
  type TableModule,
  tableOf,
} from '../../analysis/tables/report-tables.ts';
import { milliseconds, perSecond } from '../../contract/units.js';

/** The only tool that calls the weather service. */
const UPSTREAM_TOOL = 'fetch_weather';

/** The document's values on four cores: calls/s and p99. */
const EXPECTED = {
  get_user: [1200, 180],
  generate_report: [120, 2400],
  fetch_weather: [250, 850],
  process_batch: [28, 2100],
} as Record<string, [rate: number, p99: number]>;

const JOB = 'job="target"';

/** The target's counters for a tool, and for the tool that calls the upstream service. */
const selectorsOf = (tool: string) => ({
  calls: `request_duration_seconds_count{${JOB},endpoint="${tool}"}`,
  queries: `database_queries_total{${JOB},tool="${tool}"}`,
  hits: `cache_hits_total{${JOB},tool="${tool}"}`,
  misses: `cache_misses_total{${JOB},tool="${tool}"}`,
  ...(tool === UPSTREAM_TOOL && {
    asked: `upstream_request_duration_seconds_count{${JOB}}`,
    seconds: `upstream_request_duration_seconds_sum{${JOB}}`,
    timeouts: `upstream_timeouts_total{${JOB}}`,
    trips: `circuit_breaker_trips_total{${JOB}}`,
  }),
});

type Counter = keyof ReturnType<typeof selectorsOf>;

export const countersOf: TableModule['countersOf'] = ({ phases }) =>
  phases.flatMap((phase) => Object.values(selectorsOf(phase.name)).map((selector) => ({ selector, phase })));

export default function tools({ phases, increases }: Facts): Built {
  const measured = phases.filter((phase) => phase.measured);
  const risen = (counter: Counter, phase: Phase) => {
    const selector = selectorsOf(phase.name)[counter];
    return selector === undefined ? null : increaseIn(increases, selector, phase);
  };
  const per = (part: Counter, whole: Counter) => (phase: Phase) =>
    ratio(risen(part, phase), risen(whole, phase));
  const lookUps = (phase: Phase) => (risen('hits', phase) ?? 0) + (risen('misses', phase) ?? 0);
  const upstreamMs = (phase: Phase) => {
    const seconds = per('seconds', 'asked')(phase);
    return seconds === null ? null : seconds * 1000;
  };
  const columns: Column<Phase>[] = [
    { name: 'tool', unit: 'text', of: ({ name }) => name },
    { name: 'calls', unit: 'per_s', of: ({ achieved_rps: rate }) => rate },
    { name: 'items', unit: 'per_s', of: ({ items_per_s: rate }) => rate },
    { name: 'p99', unit: 'ms', of: ({ latency_ms: latency }) => latency?.p99 ?? null },
    { name: 'queries/call', unit: 'count', of: per('queries', 'calls') },
    { name: 'hits', unit: 'ratio', of: (phase) => ratio(risen('hits', phase), lookUps(phase)) },
    { name: 'upstream', unit: 'ms', of: upstreamMs },
    { name: 'timeouts', unit: 'ratio', of: per('timeouts', 'asked') },
    { name: 'trips', unit: 'count', of: (phase) => risen('trips', phase) },
  ];
  const compared = measured.flatMap(({ name }) => {
    const [rate, p99] = EXPECTED[name] ?? [];
    return rate && p99 ? [`${name} ${perSecond(rate)} at p99 ${milliseconds(p99)}`] : [];
  });
  const notes = [
    'Hits: share of cache lookups. Upstream: mean time of the upstream service. Timeouts: of calls to it. Trips: of its circuit breaker. The target counts these itself; no figure: it does not count it.',
    ...(compared.length > 0 ? [`The document has, on 4 cores: ${compared.join(', ')}.`] : []),
  ];
  return { tables: [tableOf('Tools', measured, columns, notes)] };
}
