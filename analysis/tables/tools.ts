/** `make tools`: what each tool asks of the database, the cache and the service elsewhere. */
import { milliseconds, perSecond } from '../../contract/units.js';
import type { Phase } from '../phases.ts';
import type { Built, Column, Facts } from '../report-tables.ts';

/** Of the weather service, which one tool calls. */
const UPSTREAM_TOOL = 'fetch_weather';

/** The document's figures, on four cores: throughput a second and p99. */
const EXPECTED = {
  get_user: [1200, 180],
  generate_report: [120, 2400],
  fetch_weather: [250, 850],
  process_batch: [28, 2100],
} as Record<string, [rate: number, p99: number]>;

export default async function tools({ phases, increase }: Facts): Promise<Built> {
  const measured = phases.filter((phase) => phase.measured);
  const rows = await Promise.all(measured.map((phase) => row(phase, increase)));
  const columns = [
    { name: 'tool', unit: 'text' },
    { name: 'calls', unit: 'per_s' },
    { name: 'items', unit: 'per_s' },
    { name: 'p99', unit: 'ms' },
    { name: 'queries/call', unit: 'count' },
    { name: 'hits', unit: 'ratio' },
    { name: 'upstream', unit: 'ms' },
    { name: 'timeouts', unit: 'ratio' },
    { name: 'trips', unit: 'count' },
  ] as Column[];
  const compared = measured.flatMap(({ name }) => {
    const [rate, p99] = EXPECTED[name] ?? [];
    return rate && p99 ? [`${name} ${perSecond(rate)} at p99 ${milliseconds(p99)}`] : [];
  });
  const notes = [
    "Hits: of look-ups in the cache; upstream: mean time of the service elsewhere, timeouts: of its calls; trips: of its circuit breaker. These are the target's own counts; no figure: it makes none.",
    ...(compared.length > 0 ? [`The document has, on 4 cores: ${compared.join(', ')}.`] : []),
  ];
  return { tables: [{ title: 'Tools', columns, rows, notes }] };
}

async function row(phase: Phase, increase: Facts['increase']): Promise<(string | number | null)[]> {
  const risen = (metric: string, labels: string = '') => increase(`${metric}{job="target"${labels}}`, phase);
  const { name } = phase;
  const elsewhere = name === UPSTREAM_TOOL;
  const [calls, queries, hits, misses] = await Promise.all([
    risen('request_duration_seconds_count', `,endpoint="${name}"`),
    risen('database_queries_total', `,tool="${name}"`),
    risen('cache_hits_total', `,tool="${name}"`),
    risen('cache_misses_total', `,tool="${name}"`),
  ]);
  const [asked, seconds, timeouts, trips] = elsewhere
    ? await Promise.all([
        risen('upstream_request_duration_seconds_count'),
        risen('upstream_request_duration_seconds_sum'),
        risen('upstream_timeouts_total'),
        risen('circuit_breaker_trips_total'),
      ])
    : [null, null, null, null];
  const mean = share(seconds, asked);
  return [
    name,
    phase.achieved_rps,
    phase.items_per_s,
    phase.latency_ms?.p99 ?? null,
    share(queries, calls),
    share(hits, hits === null && misses === null ? null : (hits ?? 0) + (misses ?? 0)),
    mean === null ? null : mean * 1000,
    share(timeouts, asked),
    trips,
  ];
}

/** @returns null where there was nothing */
const share = (part: number | null, whole: number | null): number | null =>
  part === null || !whole ? null : part / whole;
