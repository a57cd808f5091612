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
      "Idle: so many sessions are open, each with the stream on which it listens where the server has one, while 5 other users call. Active: so many users call, each in its own. Memory and CPU are the server's, generator: memory of k6.",
      `Status: safe with p99 below ${SAFE_MS} ms, warning below ${WARNING_MS} ms, else danger, as the document has it (safe to 40,000 connections, 553,000 to 285,000 messages/s, 45 MB a thousand).`,
      ...(stopped ? [`Of the idle ones ${stopped}.`] : []),
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
        ? [note('connections', 'the server keeps no sessions: it gave none an id')]
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
  /** Actual sessions and planned sessions. */
  size: number;
  asked: number;
  memory: number | null;
}

/** Abandoned sessions. */
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
    'Memory of a session',
    [
      { kind: 'idle', line: idle },
      { kind: 'active', line: active },
    ],
    [
      { name: 'sessions', unit: 'text', of: ({ kind }) => kind },
      { name: 'memory each', unit: 'bytes', of: ({ line }) => line && Math.max(0, line.slope) },
      { name: 'from', unit: 'bytes', of: ({ line }) => line && Math.max(0, line.slope - line.error) },
      { name: 'to', unit: 'bytes', of: ({ line }) => line && Math.max(0, line.slope + line.error) },
      { name: 'without any', unit: 'bytes', of: ({ line }) => line?.start ?? null },
      { name: 'steps', unit: 'count', of: ({ line }) => line?.count ?? 0 },
    ],
    [
      "The slope of the server's memory over the number of its sessions, with its 95 % interval; one that begins at 0 is inconclusive. It is memory as the system sees it, with what a runtime has claimed and not yet used.",
      'The document has 45 KB an idle connection, in a runtime with a heap for each; here a session is a whole MCP server object of the SDK.',
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
    { name: 'churn', what: 'opened and ended around each call' },
    { name: ABANDONED, what: 'opened for each call, never ended' },
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
      'A handshake: initialize and notifications/initialized; of those to be held, up to the answer to the request for the stream. 10 users come and go.',
      ...(abandoned ? [abandonedSentence(abandoned)] : []),
    ],
  );
}

function abandonedSentence({ asked, known, afterS, most, left }: Abandoned) {
  const counts =
    most === null || left === null
      ? ''
      : `; the server counted ${number(most)} sessions then and ${number(left)} after it`;
  return `Of ${counted(asked, 'session')} that nobody used for ${number(afterS)} s the server still knew ${number(known)}${counts}.`;
}

function memorySentence(most: number, stopped: string | null, line: Line | null) {
  const held = `${number(most)} idle sessions were held${stopped ? `: ${stopped}` : ''}`;
  if (!line) return `${held}; what one costs the server is not known`;
  const { slope, error } = line;
  if (slope <= error) return `${held}; what one costs the server is inconclusive`;
  return `${held}; one costs the server ${bytes(slope)} (+-${percent(error / slope, 2)})`;
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
      what: 'sessions that nobody used and the server still had',
      format: number,
    }),
  ];
}
