/** Whether the run's figures can be trusted: one rule a reason, each with what to change. The limits are in trust-rules.ts. */
import { counted, duration, milliseconds, number, percent } from '../../contract/units.js';
import { generatorIn } from '../collect/generator.ts';
import type { HostWatch } from '../collect/host-watch-record.ts';
import { heaviestOther, type Watched, watchedWithin } from '../collect/host-watch-series.ts';
import { sumsWithin, Within } from '../collect/seconds.ts';
import { callsOf, dueOf, type Phase } from '../judge/phases.ts';
import { shortfallCause } from '../judge/shortfall.ts';
import type { Finding, Known, Observation } from './findings.ts';
import { remedy } from './remedy.ts';
import * as rules from './trust-rules.ts';

interface Doubt {
  /** figures: they may be the generator's own; load: they stand, and some of the load is missing; null: the reader is to know. */
  invalid: 'figures' | 'load' | null;
  kind: 'generator' | 'note';
  subject: string;
  phase: string | null;
  statement: string;
  /** What to change. */
  hint: string;
  figures?: Record<string, number | null>;
  evidence?: string[];
  observations?: Observation[];
}

/** A time that is looked at as one: a phase, or all those that are too short for that. */
export interface Span {
  name: string;
  phase: string | null;
  /** Unix time. */
  fromS: number;
  toS: number;
  /** Fills the machine by design: an overload, or users who call again as soon as they are answered. */
  fills: boolean;
  /** Mean latency. */
  meanMs: number | null;
  watch: HostWatch | undefined;
  /** Signals of the generator and of the watcher; absent: not known. */
  watched: Watched;
}

const RULES: ((known: Known, spans: Span[]) => Doubt[])[] = [
  exceptions,
  unreconciled,
  lostPushes,
  clockJumps,
  busyGenerator,
  starvedGenerator,
  otherProcesses,
  silence,
  shortLoad,
  missingOperations,
];

/** Why a run is invalid, each with a hint. */
export interface Distrust {
  /** The figures may be the generator's own. */
  figures: string[];
  /** Some of the load is missing. */
  load: string[];
}

/** @returns reasons; what else a reader has to know is a finding alone */
export function distrust(known: Known): { reasons: Distrust; findings: Finding[] } {
  const spans = spansOf(known);
  const doubts = RULES.flatMap((rule) => rule(known, spans));
  const reasons = (of: Doubt['invalid']) =>
    doubts.filter(({ invalid }) => invalid === of).map(({ statement, hint }) => `${statement}; ${hint}`);
  return {
    reasons: { figures: reasons('figures'), load: reasons('load') },
    findings: doubts.map(({ invalid: _, hint, evidence = [], figures = {}, ...doubt }) => ({
      confidence: 'high' as const,
      figures,
      ...doubt,
      evidence: [...evidence, remedy(hint)],
    })),
  };
}

/** @returns measured ones that saw no request */
export function silentPhases(phases: Phase[]): Phase[] {
  return phases.filter(({ measured, requests }) => measured && !requests);
}

function spansOf({ phases, watches, lines, cores }: Known): Span[] {
  const ran = phases.flatMap((phase) => {
    if (!phase.measured || phase.start === null || phase.end === null) return [];
    // A search goes too far to know how far it may go: what it found is held afterwards.
    if (phase.labels.kind === 'step') return [];
    const [fromS, toS] = [Date.parse(phase.start) / 1000, Date.parse(phase.end) / 1000];
    const { name, overload, offered_rps, latency_ms } = phase;
    const fills = overload || offered_rps === null;
    return [{ name, phase: name, fromS, toS, fills, meanMs: latency_ms?.avg ?? null }];
  });
  const short = ran.filter(({ fromS, toS }) => toS - fromS < rules.SHORTEST_S);
  const together =
    short.length > 1
      ? [
          {
            name: `${short[0]?.name} to ${short.at(-1)?.name}`,
            phase: null,
            fills: short.every(({ fills }) => fills),
            fromS: Math.min(...short.map(({ fromS }) => fromS)),
            toS: Math.max(...short.map(({ toS }) => toS)),
            meanMs: meanOf(phases.filter(({ name }) => short.some((one) => one.name === name))),
          },
        ]
      : short;
  const spans = [...ran.filter((one) => !short.includes(one)), ...together];
  const sums = sumsWithin(lines, spans);
  return spans.map((span, index) => {
    const { fromS, toS } = span;
    const seen = watches
      .map((watch) => ({ watch, watched: watchedWithin(watch, fromS, toS) }))
      .find(({ watched }) => Object.keys(watched).length > 0);
    const ofGenerator = generatorIn(sums[index] ?? new Within(), cores);
    return { ...span, watch: seen?.watch, watched: { ...seen?.watched, ...ofGenerator } };
  });
}

/** @returns of all their calls; a mean may be had of means, a percentile not */
function meanOf(phases: Phase[]): number | null {
  const calls = phases.reduce((sum, phase) => sum + callsOf(phase), 0);
  const all = phases.reduce((sum, phase) => sum + callsOf(phase) * (phase.latency_ms?.avg ?? 0), 0);
  return calls > 0 ? all / calls : null;
}

/**
 * One doubt of a rule, however many phases it holds in.
 *
 * @param found the phases, the worst first
 * @param say where: the worst one's name, and how many more there are
 */
function once<T extends { name: string; phase?: string | null }>(
  found: T[],
  say: (worst: T, where: string) => Doubt,
): Doubt[] {
  const [worst, ...rest] = found;
  if (!worst) return [];
  return [
    say(worst, rest.length > 0 ? `${worst.name} and ${counted(rest.length, 'other phase')}` : worst.name),
  ];
}

function observation(
  { timeline }: Known,
  spans: Span[],
  span: Span,
  series: string,
  threshold: number | null,
): Observation {
  const points = timeline?.signals[series];
  const index =
    timeline && points && threshold !== null
      ? points.values.findIndex((value, i) => {
          const atS = timeline.start_s + i * timeline.step_s;
          return value !== null && value > threshold && atS > span.fromS && atS <= span.toS;
        })
      : -1;
  const before = spans[0] === span ? undefined : spans[0]?.watched[series];
  return {
    series,
    unit: points?.unit ?? (series === 'generator_delay' ? 'milliseconds' : 'ratio'),
    from: before ?? null,
    to: span.watched[series] ?? null,
    threshold,
    at:
      index >= 0 && timeline
        ? new Date((timeline.start_s + index * timeline.step_s) * 1000).toISOString()
        : null,
  };
}

/** Figures come from k6: only charts and what is read from them have holes, and they show as holes. */
function lostPushes({ phases, log }: Known): Doubt[] {
  const { failedPushesS } = log;
  const lost = phases
    .flatMap((phase) => {
      if (!phase.measured || phase.start === null || phase.end === null) return [];
      const [fromS, toS] = [Date.parse(phase.start) / 1000, Date.parse(phase.end) / 1000];
      const seconds = rules.PUSH_S * failedPushesS.filter((atS) => atS > fromS && atS <= toS).length;
      const share = Math.min(1, seconds / (toS - fromS));
      return share > rules.LOST_SHARE ? [{ name: phase.name, share }] : [];
    })
    .sort((a, b) => b.share - a.share);
  const [first, last] = [failedPushesS[0] ?? Number.NaN, failedPushesS.at(-1) ?? Number.NaN];
  return once(lost, ({ name, share }, where) => ({
    invalid: null,
    kind: 'note',
    subject: 'remote write',
    phase: name,
    statement:
      `k6 could not write to Prometheus for ${percent(share)} of ${where}: ` +
      'charts and findings lack this time, latencies and counts do not',
    hint: 'see that Prometheus runs and has the CPU and disk that it needs',
    figures: { failed_pushes: failedPushesS.length, lost_ratio: share, limit_ratio: rules.LOST_SHARE },
    evidence: [
      `${counted(failedPushesS.length, 'write')} failed between ${timeOf(first)} and ${timeOf(last)}, of ${rules.PUSH_S} s each`,
    ],
  }));
}

const timeOf = (atS: number): string =>
  Number.isFinite(atS) ? new Date(atS * 1000).toISOString() : 'an unknown time';

function clockJumps({ clockJumps: jumps }: Known): Doubt[] {
  return jumps.slice(0, 1).map(({ at, by }) => ({
    invalid: 'figures',
    kind: 'note',
    subject: 'clock',
    phase: null,
    statement:
      `the machine's clock jumped ${by > 0 ? 'ahead' : 'back'} by ${duration(Math.abs(by))} during the run: ` +
      'durations, and which phase a sample belongs to, are wrong',
    hint: 'let the clock be set before a run and not in it (time synchronisation, suspended machine), and run again',
    figures: { jump_s: by },
    evidence: [`wall clock against monotonic clock, at ${timeOf(at / 1000)}`],
  }));
}

/** Of what k6 may use, where that is known; else of the machine, as k6's own metrics say. */
function busyGenerator(known: Known, spans: Span[]): Doubt[] {
  const limit = rules.GENERATOR_CPU_LIMIT;
  const busy = spans
    .flatMap((span) => {
      const allowed = span.watched.generator_allowed;
      const ofMachine = known.server.signals.find(
        ({ signal, phase }) => signal === 'generator_cpu' && phase === span.phase,
      )?.avg;
      const used = allowed ?? ofMachine;
      return used !== undefined && used > limit
        ? [{ ...span, span, used, machine: allowed === undefined }]
        : [];
    })
    .sort((a, b) => b.used - a.used);
  return once(busy, ({ span, phase, used, machine }, where) => ({
    invalid: 'figures',
    kind: 'generator',
    subject: 'generator CPU',
    phase,
    statement:
      `the load generator used ${percent(used)} of ${machine ? "the machine's CPU" : 'the CPU that it may use'} in ${where}, ` +
      `at most ${percent(limit)} can be trusted: its own waiting is in the figures`,
    hint: 'offer less (RATE_SCALE), or give k6 more processors (its affinity, its cgroup, GOMAXPROCS, a larger machine)',
    figures: { used_ratio: used, limit_ratio: limit },
    observations: [
      machine
        ? { series: 'generator_cpu', unit: 'ratio', from: null, to: used, threshold: limit, at: null }
        : observation(known, spans, span, 'generator_allowed', limit),
    ],
  }));
}

function starvedGenerator(known: Known, spans: Span[]): Doubt[] {
  const starved = spans
    .flatMap((span) => {
      // Too few ticks make no mean.
      if (span.toS - span.fromS < rules.SHORTEST_S) return [];
      const { generator_delay: delayMs = 0 } = span.watched;
      const limit = span.fills ? rules.FULL_DELAY_SHARE : rules.GENERATOR_DELAY_SHARE;
      const leastMs = span.meanMs === null ? rules.GENERATOR_DELAY_ALONE_MS : rules.GENERATOR_DELAY_MS;
      // Where nothing was answered all of its time is k6's.
      const share = delayMs / (span.meanMs ?? delayMs);
      return delayMs > leastMs && share > limit ? [{ ...span, span, delayMs, share, limit }] : [];
    })
    .sort((a, b) => b.share / b.limit - a.share / a.limit);
  return once(starved, ({ span, phase, delayMs, share, limit, meanMs }, where) => {
    const { other_cpu: other = 0 } = span.watched;
    const comm = span.watch && heaviestOther(span.watch, span.fromS, span.toS);
    const from = other > rules.OTHER_CPU_LIMIT && comm ? `; ${comm} takes it` : '';
    return {
      invalid: 'figures',
      kind: 'generator',
      subject: 'generator CPU',
      phase,
      statement:
        `the load generator was short of CPU in ${where}: what arrived waited ${milliseconds(delayMs)} until k6 took it up, where ` +
        `${meanMs === null ? 'no call was answered' : `a call took ${milliseconds(meanMs)}`}${from}`,
      hint: 'give k6 CPU of its own (no other load beside it, a higher priority, more processors, another machine), or offer less (RATE_SCALE)',
      figures: {
        delay_ms: delayMs,
        mean_latency_ms: meanMs,
        delay_ratio: share,
        limit_ratio: limit,
      },
      evidence: [
        `a timer of k6 came late by ${percent(share)} of what a call took on average; limit: ${percent(limit)}`,
      ],
      observations: [observation(known, spans, span, 'generator_delay', limit * (meanMs ?? 0))],
    };
  });
}

/**
 * Where the target is on another machine, others matter as far as k6 waits for them: the rule above. Where it is here and
 * not one of ours, what belongs to it can't be told from what does not.
 */
function otherProcesses(known: Known, spans: Span[]): Doubt[] {
  const limit = known.plan.other_cpu_limit ?? rules.OTHER_CPU_LIMIT;
  // What a run allowed by MAX_BACKGROUND_CPU is told all the same.
  const told = Math.min(limit, rules.OTHER_CPU_LIMIT);
  const heavy = spans
    .flatMap((span) => {
      const { other_cpu: share = 0 } = span.watched;
      const kind = span.watch?.target;
      return share > told && kind !== 'elsewhere' ? [{ ...span, span, share, ours: kind === 'own' }] : [];
    })
    .sort((a, b) => b.share - a.share);
  return once(heavy, ({ span, phase, share, ours }, where) => {
    const comm = span.watch && heaviestOther(span.watch, span.fromS, span.toS);
    const name = comm ? `, most of it ${comm}` : '';
    const used = `used ${percent(share)} of the machine's CPU in ${where}${name}`;
    return {
      invalid: ours && share > limit ? 'figures' : null,
      kind: 'note',
      subject: 'other processes',
      phase,
      statement: !ours
        ? `processes other than the generator and the server ${used}`
        : share > limit
          ? `other processes ${used}: above ${percent(limit)} the result is not trusted`
          : `other processes ${used}, which MAX_BACKGROUND_CPU allowed`,
      hint: ours
        ? 'end them, or measure on a machine that does nothing else'
        : 'end them if they are not part of the server',
      figures: { other_ratio: share, limit_ratio: limit },
      observations: [observation(known, spans, span, 'other_cpu', limit)],
    };
  });
}

function silence({ phases, partial }: Known): Doubt[] {
  // Where a run was ended early, what never began is no surprise.
  const surprising = silentPhases(phases).filter(({ start }) => !partial || start !== null);
  return surprising.map(({ name, start }) => ({
    invalid: 'load',
    kind: 'note',
    subject: 'samples',
    phase: name,
    statement: `${name} saw no request: nothing about it can be judged`,
    hint:
      start === null
        ? 'the run ended before it: see why'
        : 'see that its rate and its length leave time for a request',
  }));
}

/** @returns loads that were not made, but for those that an objective judges (thresholds.ts) */
function shortLoad(known: Known): Doubt[] {
  const { plan, phases, thresholds } = known;
  const judged = new Set(
    thresholds.flatMap(({ metric, scope }) => (metric === 'delivered_share' ? [scope.phase] : [])),
  );
  const silent = new Set(silentPhases(phases));
  return phases.flatMap((phase) => {
    const due = phase.offered_rps === null ? 0 : dueOf(phase, plan);
    const made = phase.iterations ?? 0;
    if (!phase.measured || silent.has(phase) || judged.has(phase.name)) return [];
    if (made >= Math.floor(rules.DELIVERED_SHARE * due)) return [];
    const cause = shortfallCause(phase, known);
    // Of iterations without a request there is a reason of its own.
    if (cause.of === 'server' || cause.of === 'exceptions' || cause.hint === null) return [];
    const idle = idleServer(known, phase);
    // An overload is more than there is CPU for: it is the generator's fault only where the server had nothing to do.
    if (phase.overload && !idle) return [];
    return [
      {
        invalid: cause.of === 'users' ? ('load' as const) : ('figures' as const),
        kind: 'generator' as const,
        subject: 'offered load',
        phase: phase.name,
        statement: `${phase.name} delivered ${percent(made / due)} of its load: ${cause.because}`,
        hint: cause.hint,
        figures: {
          delivered_ratio: made / due,
          limit_ratio: rules.DELIVERED_SHARE,
          dropped: phase.dropped,
        },
        evidence: idle ? [idle] : [],
      },
    ];
  });
}

/** @returns how it is seen that the server had little to do; null: it is not */
function idleServer({ server, phases }: Known, phase: Phase): string | null {
  const known = server.signals.filter(
    (one) => one.phase === phase.name && rules.IDLE_BELOW[one.signal] !== undefined,
  );
  if (known.some(({ signal }) => rules.CPU_OF_SERVER.includes(signal))) {
    const idle = known.every(({ signal, avg }) => avg < (rules.IDLE_BELOW[signal] ?? 0));
    return idle
      ? `the server was idle: ${known.map(({ signal, avg, unit }) => `${signal} ${unit === 'ratio' ? percent(avg) : number(avg)}`).join(', ')}`
      : null;
  }
  const calm = phases.find(({ measured, overload }) => measured && !overload);
  const [meanMs, calmMs] = [phase.latency_ms?.avg, calm?.latency_ms?.avg];
  return calm && meanMs && calmMs && calm !== phase && meanMs <= rules.SLOW_FACTOR * calmMs
    ? `the server answered in ${milliseconds(meanMs)}, after ${milliseconds(calmMs)} in ${calm.name}`
    : null;
}

/** Whatever threw it, the load was not the one that was planned. */
function exceptions({ ledger, log }: Known): Doubt[] {
  const { exceptions: count, iterations, exceptionsOf } = ledger;
  const uncaught = log.uncaught?.count ?? 0;
  if (count + uncaught === 0) return [];
  const [[operation = null, its = count] = [], ...others] = Object.entries(exceptionsOf).sort(
    ([, a], [, b]) => b - a,
  );
  const logged = log.exceptions[operation ?? Object.keys(log.exceptions)[0] ?? ''];
  const first = logged?.message ?? log.uncaught?.first;
  const thrower = logged?.function ? `${logged.function}() of ${operation}` : operation;
  const rest =
    others.length > 0 ? `, and there are more of ${counted(others.length, 'other operation')}` : '';
  return [
    {
      invalid: 'figures',
      kind: 'note',
      subject: 'exceptions',
      phase: null,
      statement:
        `${thrower ?? 'the script'} threw ${counted(its || uncaught, 'exception')} in ${counted(iterations, 'iteration')}` +
        `${first ? `, the first: ${first}` : ''}${rest}`,
      hint: logged?.function
        ? `correct ${logged.function}() in the workload`
        : 'correct the workload; where none of its functions threw it, k6.log says what did',
      figures: { exceptions: count + uncaught, iterations },
    },
  ];
}

/** Iterations and requests that do not add up: one of the two is wrong, and so may be every figure. */
function unreconciled({ ledger }: Known): Doubt[] {
  const found = ledger.phases
    .filter(({ unexplained, surplus }) => unexplained + surplus > 0)
    .map((one) => ({ ...one, name: one.phase }))
    .sort((a, b) => b.unexplained + b.surplus - (a.unexplained + a.surplus));
  return once(found, (worst, where) => {
    const { phase, iterations, calls, exceptions, unexplained, surplus, vus } = worst;
    return {
      invalid: 'figures',
      kind: 'note',
      subject: 'iterations',
      phase,
      statement:
        `iterations and requests do not add up in ${where}: ${counted(iterations, 'iteration')} ended, ` +
        `${counted(calls, 'call')} and ${counted(exceptions, 'exception')} were counted, so ` +
        (unexplained > 0
          ? `${counted(unexplained, 'iteration')} left no trace`
          : `${counted(surplus, 'call')} more than the ${counted(vus, 'VU')} can have had under way at the end`),
      hint: 'k6.log may say why; otherwise it is a bug of the load generator: please report it',
      figures: { iterations, calls, exceptions, unexplained, surplus },
    };
  });
}

function missingOperations({ plan, phases, operations }: Known): Doubt[] {
  const made = phases.reduce((sum, { iterations }) => sum + (iterations ?? 0), 0);
  return plan.operations.flatMap(({ operation, share = 0 }) => {
    const expected = made * share;
    const { requests = null } = operations.find((one) => one.operation === operation) ?? {};
    if (plan.sequence || requests !== 0 || expected < rules.MISSING_CALLS) return [];
    return [
      {
        invalid: 'load' as const,
        kind: 'note' as const,
        subject: 'samples',
        phase: null,
        statement: `${operation} was never called, though about ${counted(Math.round(expected), 'call')} of it were to be made`,
        hint: 'the load was not the one that was planned: see k6.log',
      },
    ];
  });
}
