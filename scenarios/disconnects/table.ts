/** `make disconnects`: the resources that a server retains for clients that left, and how clients return. */
import { type Group, inScope, latenciesOf, shareOf, total, trendOf } from '../../analysis/collect/groups.ts';
import type { Share } from '../../analysis/collect/measured.ts';
import { signalMean } from '../../analysis/collect/signals.ts';
import type { Latency } from '../../analysis/collect/sparse-histogram.ts';
import type { Streams } from '../../analysis/collect/streams.ts';
import type { Phase } from '../../analysis/judge/phases.ts';
import { type Built, type Facts, type ReportTable, tableOf } from '../../analysis/tables/report-tables.ts';
import { COST_NOTE, type Cost, costColumns, costsOf } from '../../analysis/tables/resource-costs.ts';
import { findingsOf } from './findings.ts';
import { type Leaving, WAYS } from './ways.ts';

/** One way to leave, over all its waves. */
export interface Way {
  leaving: Leaving;
  clients: number;
  costs: Cost[];
  /**
   * Share of the checked sessions of the last wave that the server still knew, and how long after the clients
   * left.
   */
  known: Share | null;
  afterS: number;
}

/** A part of the load, over all its phases. */
export interface Part {
  part: keyof typeof PARTS;
  calls: number;
  failed: number;
  latency: Latency | null;
  /** Clients whose streams were opened or refused, and how long it took. */
  opened: number;
  opening: Latency | null;
}

const PARTS = {
  before: 'without clients',
  half: 'half',
  here: 'all, half have just connected',
  gone: 'half, the others have left',
  later: 'the same, later',
  back: 'all have reconnected',
  after: 'all have left',
};

export default function disconnects({ phases, signals, groups, streams: [record] }: Facts): Built {
  const measured = phases.filter(({ measured, start }) => measured && start !== null);
  const ways = (Object.keys(WAYS) as Leaving[]).flatMap((leaving) => {
    const way = wayOf(leaving, { measured, signals, groups });
    return way ? [way] : [];
  });
  if (ways.length === 0) return { tables: [] };
  const parts = (Object.keys(PARTS) as Part['part'][]).map((part) => partOf(part, measured, groups));
  const lines = ways.flatMap(({ leaving, costs }) =>
    costs.flatMap(({ resource, line }) => (line ? [{ leaving, resource, line }] : [])),
  );
  return {
    tables: [
      partTable(parts),
      phaseTable(measured, signals),
      ...(lines.length > 0
        ? [
            tableOf(
              'What remains of a client',
              lines,
              [{ name: 'client', unit: 'text', of: ({ leaving }) => WAYS[leaving].does }, ...costColumns()],
              [COST_NOTE],
            ),
          ]
        : []),
    ],
    findings: findingsOf({ ways, parts, lost: record ? lostOfOthers(record, measured) : 0 }),
  };
}

function wayOf(
  leaving: Leaving,
  { measured, signals, groups }: Pick<Facts, 'signals' | 'groups'> & { measured: Phase[] },
): Way | null {
  const isOf = (phase: Phase | undefined) =>
    phase?.labels.leaving === leaving && Number(phase.labels.wave) > 0;
  const gone = measured.filter((phase) => isOf(phase) && phase.labels.part === 'gone');
  const here = measured.findLast((phase) => isOf(phase) && phase.labels.part === 'here');
  const [first] = gone;
  if (!first || !here) return null;
  const leave = Number(here.labels.clients) - Number(first.labels.clients);
  // The same number of clients is connected before the first wave as after it.
  const before = measured.slice(0, measured.indexOf(first)).findLast(({ labels }) => labels.part === 'gone');
  const points = [...(before ? [before] : []), ...gone].map((phase, index) => ({
    phase,
    count: index * leave,
  }));
  const since = measured.slice(measured.indexOf(here) + 1);
  const until = since.findIndex(({ labels }) => !['gone', 'later'].includes(String(labels.part)));
  const away = since.slice(0, until < 0 ? since.length : until);
  return {
    leaving,
    clients: gone.length * leave,
    costs: costsOf(signals, points),
    known: shareOf(inScope(groups, { phase: here.name }), 'mcp_sessions_kept'),
    afterS: away.reduce((sum, phase) => sum + phase.duration_s, 0),
  };
}

function partOf(part: Part['part'], measured: readonly Phase[], groups: readonly Group[]): Part {
  const own = measured
    .filter(({ labels }) => labels.part === part)
    .flatMap(({ name }) => inScope(groups, { phase: name }));
  const latencies = latenciesOf(own);
  const opening = trendOf(own, 'mcp_stream_opening_duration');
  return {
    part,
    calls: latencies.all.count,
    failed: total(own, 'failed'),
    latency: latencies.latency,
    opened: opening.count,
    opening: opening.latency,
  };
}

/** @returns streams of the staying clients that ended while others came and went */
function lostOfOthers({ ends = [] }: Streams, measured: readonly Phase[]): number {
  const first = measured.find(({ labels }) => labels.part === 'here');
  const from = Date.parse(first?.start ?? '');
  return ends.filter(
    ({ asked, openedMs, ageMs }) => openedMs !== undefined && asked < from && asked + ageMs > from,
  ).length;
}

const partTable = (parts: readonly Part[]): ReportTable =>
  tableOf(
    'Calls while clients come and go',
    parts.filter(({ calls }) => calls > 0),
    [
      { name: 'clients', unit: 'text', of: ({ part }) => PARTS[part] },
      { name: 'calls', unit: 'count', of: ({ calls }) => calls },
      { name: 'failed', unit: 'count', of: ({ failed }) => failed },
      { name: 'p50', unit: 'ms', of: ({ latency }) => latency?.p50 ?? null },
      { name: 'p95', unit: 'ms', of: ({ latency }) => latency?.p95 ?? null },
      { name: 'max', unit: 'ms', of: ({ latency }) => latency?.max ?? null },
      { name: 'came', unit: 'count', of: ({ opened }) => opened },
      { name: 'took p50', unit: 'ms', of: ({ opening }) => opening?.p50 ?? null },
      { name: 'took p95', unit: 'ms', of: ({ opening }) => opening?.p95 ?? null },
      { name: 'took max', unit: 'ms', of: ({ opening }) => opening?.max ?? null },
    ],
    [
      'Calls: of other VUs, 20 per second. Came: clients that opened a session and a stream. Took: time per client, up to the answer to the stream request.',
    ],
  );

const phaseTable = (measured: readonly Phase[], signals: Facts['signals']): ReportTable => {
  const mean = (signal: string) => (phase: Phase) => signalMean(signals, signal, phase.name);
  return tableOf(
    'The server as clients come and go',
    measured,
    [
      { name: 'phase', unit: 'text', of: ({ name }) => name },
      { name: 'clients', unit: 'count', of: ({ labels }) => Number(labels.clients) },
      { name: 'p95', unit: 'ms', of: ({ latency_ms: latency }) => latency?.p95 ?? null },
      { name: 'memory', unit: 'bytes', of: mean('memory') },
      { name: 'files', unit: 'count', of: mean('open_files_count') },
      { name: 'threads', unit: 'count', of: mean('threads') },
      { name: 'connections', unit: 'count', of: mean('connections_in') },
      { name: 'sessions', unit: 'count', of: mean('sessions') },
      { name: 'CPU', unit: 'ratio', of: mean('cpu') },
    ],
    ['Sessions: only for a server that reports their number.'],
  );
};
