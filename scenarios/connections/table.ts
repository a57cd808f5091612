/** `make connections`: what sessions cost, idle ones and active ones, how they come and go, and whether they are given back. */

import { inScope, trendOf } from '../../analysis/collect/groups.ts';
import { signalMean } from '../../analysis/collect/signals.ts';
import { note } from '../../analysis/findings/note.ts';
import { judged } from '../../analysis/judge/judged.ts';
import type { Phase } from '../../analysis/judge/phases.ts';
import type { Threshold } from '../../analysis/judge/threshold.ts';
import { fitLine, type Line } from '../../analysis/statistics/line.ts';
import type { Built, Column, Facts, ReportTable } from '../../analysis/tables/report-tables.ts';
import { bytes, counted, number, percent } from '../../contract/units.js';
import type { ConnectionsResult } from './trials.ts';

type Result = ConnectionsResult;

type Columns = Column[];

/** The document's zones, by p99 in milliseconds. */
const SAFE_MS = 10;
const WARNING_MS = 15;
/** Fewer answers make no p99. */
const MIN_SAMPLES = 100;

export default function connections({ phases, signals, groups, trials }: Facts<ConnectionsResult>): Built {
  const result = trials?.result ?? null;
  if (!result) return { tables: [] };
  const phaseOf = (trial: string) => phases.find(({ name, measured }) => measured && name === trial);
  const mean = (signal: string, phase: string) => signalMean(signals, signal, phase);

  const rows = [
    ...result.idle.map((step) => ({ kind: 'idle', held: step.holder_bytes, ...step })),
    ...result.active.map((step) => ({ kind: 'active', held: 0, memory_bytes: null, ...step })),
  ].flatMap(({ kind, trial, size, held, memory_bytes: atRest }) => {
    const phase = phaseOf(trial);
    if (!phase) return [];
    const p99 = (phase.answered ?? 0) < MIN_SAMPLES ? null : (phase.latency_ms?.p99 ?? null);
    const generator = mean('generator_memory', trial);
    return [
      [
        kind,
        size,
        phase.achieved_rps,
        p99,
        atRest ?? mean('memory', trial),
        mean('cpu', trial),
        mean('host_cpu', trial),
        generator === null ? null : generator + held,
        zoneOf(p99),
      ],
    ];
  });
  const columns = [
    { name: 'sessions', unit: 'text' },
    { name: 'number', unit: 'count' },
    { name: 'messages', unit: 'per_s' },
    { name: 'p99', unit: 'ms' },
    { name: 'memory', unit: 'bytes' },
    { name: 'CPU', unit: 'ratio' },
    { name: 'host CPU', unit: 'ratio' },
    { name: 'generator', unit: 'bytes' },
    { name: 'status', unit: 'text' },
  ] as Columns;
  const notes = [
    "Idle: so many sessions are open, each with the stream on which it listens where the server has one, while 5 other users call. Active: so many users call, each in its own. Memory and CPU are the server's (idle: memory at rest), generator: memory of k6 and of what holds the idle ones.",
    `Status: safe with p99 below ${SAFE_MS} ms, warning below ${WARNING_MS} ms, else danger, as the document has it (safe to 40,000 connections, 553,000 to 285,000 messages/s, 45 MB a thousand).`,
    ...(result.stopped ? [`More idle ones were not held: ${result.stopped}.`] : []),
  ];
  return {
    tables: [
      { title: 'Concurrent sessions', columns, rows, notes },
      perSession(result, phaseOf, mean),
      comingAndGoing(result, phases, groups),
    ],
    findings: [
      note('connections', memorySentence(result), { figures: { memory_mib_per_conn: mebibytes(result) } }),
      ...(abandonedNote(result) ?? []),
    ],
    thresholds: givenBack(result),
  };
}

function zoneOf(p99: number | null) {
  if (p99 === null) return 'too few answers';
  if (p99 < SAFE_MS) return 'safe';
  return p99 < WARNING_MS ? 'warning' : 'danger';
}

/** @returns the server's memory over the idle sessions that it holds */
export function memoryLine({ idle }: Result): Line | null {
  return fitLine(
    idle.flatMap(({ size, memory_bytes: memory }) =>
      memory === null ? [] : [[size, memory] as [number, number]],
    ),
  );
}

function perSession(
  result: Result,
  phaseOf: (trial: string) => Phase | undefined,
  mean: (signal: string, phase: string) => number | null,
): ReportTable {
  const active = fitLine(
    result.active.flatMap(({ trial, size }) => {
      const memory = mean('memory', trial);
      return phaseOf(trial) && memory !== null ? [[size, memory] as [number, number]] : [];
    }),
  );
  const lines = [
    ['idle', memoryLine(result)],
    ['active', active],
  ] as const;
  const columns = [
    { name: 'sessions', unit: 'text' },
    { name: 'memory each', unit: 'bytes' },
    { name: 'from', unit: 'bytes' },
    { name: 'to', unit: 'bytes' },
    { name: 'without any', unit: 'bytes' },
    { name: 'steps', unit: 'count' },
  ] as Columns;
  const rows = lines.map(([kind, line]) => {
    if (!line) return [kind, null, null, null, null, 0];
    const { slope, error, start, count } = line;
    return [kind, Math.max(0, slope), Math.max(0, slope - error), Math.max(0, slope + error), start, count];
  });
  const notes = [
    "The slope of the server's memory over the number of its sessions, with its 95 % interval; one that begins at 0 is not enough to tell. It is memory as the system sees it, with what a runtime has claimed and not yet used.",
    'The document has 45 KB an idle connection, in a runtime with a heap for each; here a session is a whole MCP server object of the SDK.',
  ];
  return { title: 'Memory of a session', columns, rows, notes };
}

function comingAndGoing({ idle, abandoned }: Result, phases: Phase[], groups: Facts['groups']): ReportTable {
  const opened = idle.filter((step) => step.opened > 0);
  const last = opened.at(-1);
  const rows: (string | number | null)[][] = last
    ? [
        [
          `${number(last.opened)} opened, 20 at a time`,
          last.handshakes_per_s,
          last.handshake_p50_ms,
          last.handshake_p95_ms,
          last.handshake_p99_ms,
          last.size,
        ],
      ]
    : [];
  for (const [name, what] of [
    ['churn', 'opened and ended around each call'],
    ['abandoned', 'opened for each call, never ended'],
  ]) {
    const phase = phases.find((one) => one.measured && one.name === name);
    if (!phase) continue;
    const { count, latency } = trendOf(inScope(groups, { phase: phase.name }), 'mcp_session_duration');
    rows.push([
      `${what}`,
      phase.duration_s > 0 ? count / phase.duration_s : null,
      latency?.p50 ?? null,
      latency?.p95 ?? null,
      count < MIN_SAMPLES ? null : (latency?.p99 ?? null),
      count,
    ]);
  }
  const columns = [
    { name: 'sessions', unit: 'text' },
    { name: 'handshakes', unit: 'per_s' },
    { name: 'p50', unit: 'ms' },
    { name: 'p95', unit: 'ms' },
    { name: 'p99', unit: 'ms' },
    { name: 'sessions so far', unit: 'count' },
  ] as Columns;
  const notes = ['A handshake: initialize and notifications/initialized. 10 users come and go.'];
  if (abandoned) notes.push(abandonedSentence(abandoned));
  return { title: 'Sessions that come and go', columns, rows, notes };
}

function abandonedSentence({ probes, known, after_s: afterS, most, left }: NonNullable<Result['abandoned']>) {
  const counts =
    most === null || left === null
      ? ''
      : `; the server counted ${number(most)} sessions then and ${number(left)} after it`;
  return `Of ${counted(probes, 'session')} that nobody used for ${number(afterS)} s the server still knew ${number(known)}${counts}.`;
}

/** @returns what an idle session costs, in the document's unit; null: not known */
function mebibytes(result: Result): number | null {
  const line = memoryLine(result);
  return line && line.slope > line.error ? line.slope / 1024 ** 2 : null;
}

function memorySentence(result: Result) {
  const line = memoryLine(result);
  const most = Math.max(...result.idle.map(({ size }) => size), 0);
  const held = `${number(most)} idle sessions were held${result.stopped ? `, then no more: ${result.stopped}` : ''}`;
  if (!line) return `${held}; what one costs the server is not known`;
  const { slope, error } = line;
  if (slope <= error)
    return `${held}; from their memory it can not be told what one costs: not enough to tell`;
  return `${held}; one costs the server ${bytes(slope)} (+-${percent(error / slope, 2)})`;
}

function abandonedNote({ abandoned }: Result) {
  return (
    abandoned && [note('connections', abandonedSentence(abandoned), { figures: { known: abandoned.known } })]
  );
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
