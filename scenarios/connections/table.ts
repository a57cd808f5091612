/** `make connections`: what sessions cost, idle ones and active ones, how they come and go, and whether they are given back. */

import { inScope, trendOf } from '../../analysis/collect/groups.ts';
import { signalMean } from '../../analysis/collect/signals.ts';
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

export default function connections({ phases, signals, groups, trials }: Facts<Result>): Built {
  const result = trials?.result;
  if (!result) return { tables: [] };
  const phaseOf = (trial: string) => phases.find(({ name, measured }) => measured && name === trial);
  const mean = (signal: string, phase: string) => signalMean(signals, signal, phase);

  const rows = [
    ...result.idle.map((step) => ({ kind: 'idle', ...step })),
    ...result.active.map((step) => ({ kind: 'active', holder_bytes: 0, memory_bytes: null, ...step })),
  ].flatMap((step) => {
    const phase = phaseOf(step.trial);
    if (!phase) return [];
    const p99 = (phase.answered ?? 0) < NORMAL.minP99Calls ? null : (phase.latency_ms?.p99 ?? null);
    const k6 = mean('generator_memory', step.trial);
    const generator = k6 === null ? null : k6 + step.holder_bytes;
    return [{ ...step, phase, p99, generator, memory: step.memory_bytes ?? mean('memory', step.trial) }];
  });
  const sessions = tableOf(
    'Concurrent sessions',
    rows,
    [
      { name: 'sessions', unit: 'text', of: ({ kind }) => kind },
      { name: 'number', unit: 'count', of: ({ size }) => size },
      { name: 'messages', unit: 'per_s', of: ({ phase }) => phase.achieved_rps },
      { name: 'p99', unit: 'ms', of: ({ p99 }) => p99 },
      { name: 'memory', unit: 'bytes', of: ({ memory }) => memory },
      { name: 'CPU', unit: 'ratio', of: ({ trial }) => mean('cpu', trial) },
      { name: 'host CPU', unit: 'ratio', of: ({ trial }) => mean('host_cpu', trial) },
      { name: 'generator', unit: 'bytes', of: ({ generator }) => generator },
      { name: 'status', unit: 'text', of: ({ p99 }) => zoneOf(p99) },
    ],
    [
      "Idle: so many sessions are open, each with the stream on which it listens where the server has one, while 5 other users call. Active: so many users call, each in its own. Memory and CPU are the server's (idle: memory at rest), generator: memory of k6 and of what holds the idle ones.",
      `Status: safe with p99 below ${SAFE_MS} ms, warning below ${WARNING_MS} ms, else danger, as the document has it (safe to 40,000 connections, 553,000 to 285,000 messages/s, 45 MB a thousand).`,
      ...(result.stopped ? [`More idle ones were not held: ${result.stopped}.`] : []),
    ],
  );
  const idle = memoryLine(result);
  const active = rows.filter(({ kind }) => kind === 'active');
  const { abandoned } = result;
  return {
    tables: [
      sessions,
      perSession(idle, lineOf(active.map(({ size, memory }) => [size, memory]))),
      comingAndGoing(result, phaseOf, groups),
    ],
    findings: [
      note('connections', memorySentence(result, idle), {
        figures: { memory_mib_per_conn: idle && idle.slope > idle.error ? idle.slope / 1024 ** 2 : null },
      }),
      ...(abandoned
        ? [note('connections', abandonedSentence(abandoned), { figures: { known: abandoned.known } })]
        : []),
    ],
    thresholds: givenBack(result),
  };
}

function zoneOf(p99: number | null) {
  if (p99 === null) return 'too few answers';
  if (p99 < SAFE_MS) return 'safe';
  return p99 < WARNING_MS ? 'warning' : 'danger';
}

/** @returns the server's memory over the sessions that it holds, without the steps of unknown memory */
const lineOf = (steps: [size: number, memory: number | null][]): Line | null =>
  fitLine(steps.filter((step): step is [number, number] => step[1] !== null));

export const memoryLine = ({ idle }: Result): Line | null =>
  lineOf(idle.map(({ size, memory_bytes }) => [size, memory_bytes]));

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
      "The slope of the server's memory over the number of its sessions, with its 95 % interval; one that begins at 0 is not enough to tell. It is memory as the system sees it, with what a runtime has claimed and not yet used.",
      'The document has 45 KB an idle connection, in a runtime with a heap for each; here a session is a whole MCP server object of the SDK.',
    ],
  );

function comingAndGoing(
  { idle, abandoned }: Result,
  phaseOf: (name: string) => Phase | undefined,
  groups: Facts['groups'],
): ReportTable {
  const opened = idle.findLast((step) => step.opened > 0);
  const loads = [
    { name: 'churn', what: 'opened and ended around each call' },
    { name: 'abandoned', what: 'opened for each call, never ended' },
  ].flatMap(({ name, what }) => {
    const phase = phaseOf(name);
    if (!phase) return [];
    const { count, latency } = trendOf(inScope(groups, { phase: name }), 'mcp_session_duration');
    return [
      {
        what,
        handshakes_per_s: phase.duration_s > 0 ? count / phase.duration_s : null,
        handshake_p50_ms: latency?.p50 ?? null,
        handshake_p95_ms: latency?.p95 ?? null,
        handshake_p99_ms: count < NORMAL.minP99Calls ? null : (latency?.p99 ?? null),
        size: count,
      },
    ];
  });
  return tableOf(
    'Sessions that come and go',
    [...(opened ? [{ ...opened, what: `${number(opened.opened)} opened, 20 at a time` }] : []), ...loads],
    [
      { name: 'sessions', unit: 'text', of: ({ what }) => what },
      { name: 'handshakes', unit: 'per_s', of: ({ handshakes_per_s }) => handshakes_per_s },
      { name: 'p50', unit: 'ms', of: ({ handshake_p50_ms }) => handshake_p50_ms },
      { name: 'p95', unit: 'ms', of: ({ handshake_p95_ms }) => handshake_p95_ms },
      { name: 'p99', unit: 'ms', of: ({ handshake_p99_ms }) => handshake_p99_ms },
      { name: 'sessions so far', unit: 'count', of: ({ size }) => size },
    ],
    [
      'A handshake: initialize and notifications/initialized. 10 users come and go.',
      ...(abandoned ? [abandonedSentence(abandoned)] : []),
    ],
  );
}

function abandonedSentence({ probes, known, after_s: afterS, most, left }: NonNullable<Result['abandoned']>) {
  const counts =
    most === null || left === null
      ? ''
      : `; the server counted ${number(most)} sessions then and ${number(left)} after it`;
  return `Of ${counted(probes, 'session')} that nobody used for ${number(afterS)} s the server still knew ${number(known)}${counts}.`;
}

function memorySentence({ idle, stopped }: Result, line: Line | null) {
  const most = Math.max(...idle.map(({ size }) => size), 0);
  const held = `${number(most)} idle sessions were held${stopped ? `, then no more: ${stopped}` : ''}`;
  if (!line) return `${held}; what one costs the server is not known`;
  const { slope, error } = line;
  if (slope <= error)
    return `${held}; from their memory it can not be told what one costs: not enough to tell`;
  return `${held}; one costs the server ${bytes(slope)} (+-${percent(error / slope, 2)})`;
}

/** @returns where the server says when it gives them back */
function givenBack({ abandoned }: Result): Threshold[] {
  if (!abandoned || abandoned.left === null) return [];
  const { probes, known } = abandoned;
  return [
    judged({
      scope: {},
      metric: 'sessions_kept',
      op: '<=',
      limit: 0,
      observed: probes > 0 ? known : null,
      samples: probes,
      what: 'sessions that nobody used and the server still had',
      format: number,
    }),
  ];
}
