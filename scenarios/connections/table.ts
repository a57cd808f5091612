/**
 * `make connections`: the cost of idle and active sessions, of opening and ending them, and whether abandoned
 * sessions are freed.
 */

import { inScope, shareOf, trendOf } from '../../analysis/collect/groups.ts';
import { signalMean } from '../../analysis/collect/signals.ts';
import type { SparseHistogram } from '../../analysis/collect/sparse-histogram.ts';
import { note } from '../../analysis/findings/note.ts';
import { judged } from '../../analysis/judge/judged.ts';
import type { Phase } from '../../analysis/judge/phases.ts';
import type { Threshold } from '../../analysis/judge/threshold.ts';
import { NORMAL } from '../../analysis/limits.ts';
import { fitLine, type Line } from '../../analysis/statistics/line.ts';
import { type Built, type Facts, type ReportTable, tableOf } from '../../analysis/tables/report-tables.ts';
import { bytes, counted, number, percent } from '../../contract/units.js';
import type { ConnectionsResult as Result } from './trials.ts';

/** The document's zones, by p99 in milliseconds. */
const SAFE_MS = 10;
const WARNING_MS = 15;
/** With fewer handshakes the p95 is the slowest one. */
const MIN_P95 = 20;

export default function connections({ phases, signals, groups, trials, streams }: Facts<Result>): Built {
  const result = trials?.result;
  if (!result) return { tables: [] };
  const phaseOf = (name: string) => phases.find(({ measured, ...phase }) => measured && phase.name === name);
  const mean = (signal: string, phase: string) => signalMean(signals, signal, phase);
  const opened = (phase: string) => trendOf(inScope(groups, { phase }), 'mcp_stream_opening_duration');

  let held = 0;
  const idle = result.idle.flatMap(({ phase: name, size }): Step[] => {
    const phase = phaseOf(name);
    if (!phase) return [];
    held += opened(name).count;
    return [{ kind: 'idle', phase, size: held, asked: size, memory: mean('memory', name) }];
  });
  const active = result.active.flatMap(({ trial, size }): Step[] => {
    const phase = phaseOf(trial);
    return phase ? [{ kind: 'active', phase, size, asked: size, memory: mean('memory', trial) }] : [];
  });
  const lost = streams.flatMap(({ ends = [] }) => ends)[0];
  const most = idle.at(-1);
  const stopped =
    most && most.size < most.asked
      ? `${number(most.size)} of ${number(most.asked)} were opened${lost?.detail ? ` (${lost.detail})` : ''}`
      : null;
  const sessions = tableOf(
    'Concurrent sessions',
    [...idle, ...active].map((step) => ({ ...step, p99: p99Of(step.phase) })),
    [
      { name: 'sessions', unit: 'text', of: ({ kind }) => kind },
      { name: 'number', unit: 'count', of: ({ size }) => size },
      { name: 'messages', unit: 'per_s', of: ({ phase }) => phase.achieved_rps },
      { name: 'p99', unit: 'ms', of: ({ p99 }) => p99 },
      { name: 'memory', unit: 'bytes', of: ({ memory }) => memory },
      { name: 'CPU', unit: 'ratio', of: ({ phase }) => mean('cpu', phase.name) },
      { name: 'host CPU', unit: 'ratio', of: ({ phase }) => mean('host_cpu', phase.name) },
      { name: 'generator', unit: 'bytes', of: ({ phase }) => mean('generator_memory', phase.name) },
      { name: 'status', unit: 'text', of: ({ p99 }) => zoneOf(p99) },
    ],
    [
      'Idle: this number of sessions is open, each with its listening stream if the server offers one, while 5 other VUs call. Active: this number of VUs call, each in its own session. Memory and CPU: of the server. Generator: memory of k6.',
      `Status, as in the document: safe with p99 below ${SAFE_MS} ms, warning below ${WARNING_MS} ms, else danger (document: safe to 40,000 connections, 553,000 to 285,000 messages/s, 45 MB per thousand).`,
      ...(stopped ? [`Idle sessions: ${stopped}.`] : []),
    ],
  );
  const line = lineOf(idle);
  const abandoned = abandonedOf(result, phaseOf(ABANDONED), { groups, signals });
  return {
    tables: [
      sessions,
      perSession(line, lineOf(active)),
      comingAndGoing(result, { phaseOf, opened, groups, abandoned }),
    ],
    findings: [
      note('connections', memorySentence(most?.size ?? 0, stopped, line), {
        figures: { memory_mib_per_conn: line && line.slope > line.error ? line.slope / 1024 ** 2 : null },
      }),
      ...(abandoned
        ? [note('connections', abandonedSentence(abandoned), { figures: { known: abandoned.known } })]
        : []),
      ...(result.abandoned && !abandoned
        ? [note('connections', 'the server keeps no sessions: it returned no session id')]
        : []),
    ],
    thresholds: givenBack(abandoned),
  };
}

/** The trial with abandoned sessions. */
const ABANDONED = 'abandoned';

interface Step {
  kind: 'idle' | 'active';
  phase: Phase;
  /** Number of actual sessions (`size`) and of planned sessions (`asked`). */
  size: number;
  asked: number;
  memory: number | null;
}

interface Abandoned {
  asked: number;
  known: number;
  afterS: number;
  /** As counted by the server. */
  most: number | null;
  left: number | null;
}

function abandonedOf(
  { abandoned }: Result,
  phase: Phase | undefined,
  { groups, signals }: Pick<Facts, 'groups' | 'signals'>,
): Abandoned | null {
  const kept = phase && shareOf(inScope(groups, { phase: phase.name }), 'mcp_sessions_kept');
  if (!abandoned || !kept) return null;
  const counted = signals.find(({ signal, ...one }) => signal === 'sessions' && one.phase === phase.name);
  const { after_s: afterS, left } = abandoned;
  return { asked: kept.total, known: kept.trues, afterS, most: counted?.max ?? null, left };
}

const p99Of = ({ answered, latency_ms: latency }: Phase) =>
  (answered ?? 0) < NORMAL.minP99Calls ? null : (latency?.p99 ?? null);

function zoneOf(p99: number | null) {
  if (p99 === null) return 'too few answers';
  if (p99 < SAFE_MS) return 'safe';
  return p99 < WARNING_MS ? 'warning' : 'danger';
}

/** @returns the server's memory as a function of its sessions, without steps of unknown memory */
const lineOf = (steps: readonly Step[]): Line | null =>
  fitLine(steps.flatMap(({ size, memory }): [number, number][] => (memory === null ? [] : [[size, memory]])));

const perSession = (idle: Line | null, active: Line | null): ReportTable =>
  tableOf(
    'Memory per session',
    [
      { kind: 'idle', line: idle },
      { kind: 'active', line: active },
    ],
    [
      { name: 'sessions', unit: 'text', of: ({ kind }) => kind },
      { name: 'memory/session', unit: 'bytes', of: ({ line }) => line && Math.max(0, line.slope) },
      { name: 'from', unit: 'bytes', of: ({ line }) => line && Math.max(0, line.slope - line.error) },
      { name: 'to', unit: 'bytes', of: ({ line }) => line && Math.max(0, line.slope + line.error) },
      { name: 'without sessions', unit: 'bytes', of: ({ line }) => line?.start ?? null },
      { name: 'steps', unit: 'count', of: ({ line }) => line?.count ?? 0 },
    ],
    [
      "Slope of the server's memory over the number of its sessions, with its 95 % interval; an interval that begins at 0 is inconclusive. Memory is measured by the operating system and includes memory that a runtime has reserved but not used.",
      'The document has 45 KB per idle connection, in a runtime with one heap per connection; here, each session is a complete MCP server object of the SDK.',
    ],
  );

function comingAndGoing(
  { idle }: Result,
  {
    phaseOf,
    opened,
    groups,
    abandoned,
  }: {
    phaseOf: (name: string) => Phase | undefined;
    opened: (phase: string) => SparseHistogram;
    groups: Facts['groups'];
    abandoned: Abandoned | null;
  },
): ReportTable {
  const last = idle.map(({ phase }) => opened(phase)).findLast(({ count }) => count > 0);
  const loads = [
    { name: 'churn', what: 'opened and closed around each call' },
    { name: ABANDONED, what: 'opened for each call, never closed' },
  ].flatMap(({ name, what }) => {
    const phase = phaseOf(name);
    if (!phase) return [];
    const handshakes = trendOf(inScope(groups, { phase: name }), 'mcp_session_duration');
    return [{ what, handshakes, perS: phase.duration_s > 0 ? handshakes.count / phase.duration_s : null }];
  });
  return tableOf(
    'Sessions that come and go',
    [...(last ? [{ what: 'opened with a stream, to be held', handshakes: last, perS: null }] : []), ...loads],
    [
      { name: 'sessions', unit: 'text', of: ({ what }) => what },
      { name: 'number', unit: 'count', of: ({ handshakes }) => handshakes.count },
      { name: 'handshakes', unit: 'per_s', of: ({ perS }) => perS },
      { name: 'p50', unit: 'ms', of: ({ handshakes }) => handshakes.latency?.p50 ?? null },
      {
        name: 'p95',
        unit: 'ms',
        of: ({ handshakes }) => (handshakes.count < MIN_P95 ? null : (handshakes.latency?.p95 ?? null)),
      },
      {
        name: 'p99',
        unit: 'ms',
        of: ({ handshakes }) =>
          handshakes.count < NORMAL.minP99Calls ? null : (handshakes.latency?.p99 ?? null),
      },
    ],
    [
      'A handshake is initialize and notifications/initialized, and for held sessions also the answer to the stream request. 10 VUs come and go.',
      ...(abandoned ? [abandonedSentence(abandoned)] : []),
    ],
  );
}

function abandonedSentence({ asked, known, afterS, most, left }: Abandoned) {
  const counts =
    most === null || left === null
      ? ''
      : `; its own session count fell from ${number(most)} to ${number(left)}`;
  return `After ${number(afterS)} s without use, the server still knew ${number(known)} of ${counted(asked, 'session')}${counts}.`;
}

function memorySentence(most: number, stopped: string | null, line: Line | null) {
  const held = `${number(most)} idle sessions were held${stopped ? `: ${stopped}` : ''}`;
  if (!line) return `${held}; the memory per session is unknown`;
  const { slope, error } = line;
  if (slope <= error) return `${held}; the memory per session is inconclusive`;
  return `${held}; each uses ${bytes(slope)} of server memory (+-${percent(error / slope, 2)})`;
}

/** @returns no thresholds if the server does not report its sessions */
function givenBack(abandoned: Abandoned | null): Threshold[] {
  if (!abandoned || abandoned.left === null) return [];
  const { asked, known } = abandoned;
  return [
    judged({
      scope: {},
      metric: 'sessions_kept',
      op: '<=',
      limit: 0,
      observed: asked > 0 ? known : null,
      samples: asked,
      what: 'unused sessions that the server kept',
      format: number,
    }),
  ];
}
