/** `make tools`: what each tool asks of the database, the cache and the service elsewhere. */

import { type Increases, increaseIn } from '../../analysis/collect/increases.ts';
import type { Phase } from '../../analysis/judge/phases.ts';
import {
  type Built,
  type Column,
  type Facts,
  type TableModule,
  tableOf,
} from '../../analysis/tables/report-tables.ts';
import { milliseconds, perSecond } from '../../contract/units.js';

/** Of the weather service, which one tool calls. */
const UPSTREAM_TOOL = 'fetch_weather';

/** The document's figures, on four cores: throughput a second and p99. */
const EXPECTED = {
  get_user: [1200, 180],
  generate_report: [120, 2400],
  fetch_weather: [250, 850],
  process_batch: [28, 2100],
} as Record<string, [rate: number, p99: number]>;

const JOB = 'job="target"';

/** What the target counts for a tool, and for the one that calls the service elsewhere. */
const selectorsOf = (tool: string) => ({
  calls: `request_duration_seconds_count{${JOB},endpoint="${tool}"}`,
  queries: `database_queries_total{${JOB},tool="${tool}"}`,
  hits: `cache_hits_total{${JOB},tool="${tool}"}`,
  misses: `cache_misses_total{${JOB},tool="${tool}"}`,
});
const UPSTREAM = {
  asked: `upstream_request_duration_seconds_count{${JOB}}`,
  seconds: `upstream_request_duration_seconds_sum{${JOB}}`,
  timeouts: `upstream_timeouts_total{${JOB}}`,
  trips: `circuit_breaker_trips_total{${JOB}}`,
};

export const countersOf: TableModule['countersOf'] = ({ phases }) =>
  phases.flatMap((phase) => {
    const selectors = { ...selectorsOf(phase.name), ...(phase.name === UPSTREAM_TOOL && UPSTREAM) };
    return Object.values(selectors).map((selector) => ({ selector, phase }));
  });

export default function tools({ phases, increases }: Facts): Built {
  const measured = phases.filter((phase) => phase.measured);
  const compared = measured.flatMap(({ name }) => {
    const [rate, p99] = EXPECTED[name] ?? [];
    return rate && p99 ? [`${name} ${perSecond(rate)} at p99 ${milliseconds(p99)}`] : [];
  });
  const notes = [
    "Hits: of look-ups in the cache; upstream: mean time of the service elsewhere, timeouts: of its calls; trips: of its circuit breaker. These are the target's own counts; no figure: it makes none.",
    ...(compared.length > 0 ? [`The document has, on 4 cores: ${compared.join(', ')}.`] : []),
  ];
  return {
    tables: [
      tableOf(
        'Tools',
        measured.map((phase) => figuresOf(phase, increases)),
        COLUMNS,
        notes,
      ),
    ],
  };
}

/** A phase of one tool, and what the target counted in it. */
function figuresOf(phase: Phase, increases: Increases) {
  const risen = (selector: string) => increaseIn(increases, selector, phase);
  const ofUpstream = (selector: string) => (phase.name === UPSTREAM_TOOL ? risen(selector) : null);
  const own = selectorsOf(phase.name);
  const asked = ofUpstream(UPSTREAM.asked);
  return {
    phase,
    calls: risen(own.calls),
    queries: risen(own.queries),
    hits: risen(own.hits),
    misses: risen(own.misses),
    asked,
    meanS: share(ofUpstream(UPSTREAM.seconds), asked),
    timeouts: ofUpstream(UPSTREAM.timeouts),
    trips: ofUpstream(UPSTREAM.trips),
  };
}

const COLUMNS: Column<ReturnType<typeof figuresOf>>[] = [
  { name: 'tool', unit: 'text', of: ({ phase }) => phase.name },
  { name: 'calls', unit: 'per_s', of: ({ phase }) => phase.achieved_rps },
  { name: 'items', unit: 'per_s', of: ({ phase }) => phase.items_per_s },
  { name: 'p99', unit: 'ms', of: ({ phase }) => phase.latency_ms?.p99 ?? null },
  { name: 'queries/call', unit: 'count', of: ({ queries, calls }) => share(queries, calls) },
  {
    name: 'hits',
    unit: 'ratio',
    of: ({ hits, misses }) =>
      share(hits, hits === null && misses === null ? null : (hits ?? 0) + (misses ?? 0)),
  },
  { name: 'upstream', unit: 'ms', of: ({ meanS }) => (meanS === null ? null : meanS * 1000) },
  { name: 'timeouts', unit: 'ratio', of: ({ timeouts, asked }) => share(timeouts, asked) },
  { name: 'trips', unit: 'count', of: ({ trips }) => trips },
];

/** @returns null where there was nothing */
const share = (part: number | null, whole: number | null): number | null =>
  part === null || !whole ? null : part / whole;
