/** What a reader of the figures has to know beside them. */
import { bytes, counted, duration, number, percent, perSecond } from '../../contract/units.js';
import { bottleneck } from '../bottleneck/bottleneck.ts';
import type { Capacity } from '../capacity.ts';
import type { Environment } from '../collect/environment.ts';
import type { Group } from '../collect/groups.ts';
import type { HostWatch } from '../collect/host-watch-record.ts';
import type { K6Log } from '../collect/k6-log.ts';
import type { Clients, ClockJump } from '../collect/measured.ts';
import type { Server } from '../collect/observe.ts';
import type { Plan } from '../collect/plan.ts';
import type { Line } from '../collect/seconds.ts';
import { isBlurred, STEP_S } from '../collect/signals.ts';
import type { Timeline } from '../collect/timeline.ts';
import type { Bucket } from '../episode.ts';
import { isLocal } from '../is-local.ts';
import type { Failure } from '../judge/failures.ts';
import type { Operation } from '../judge/operations.ts';
import type { Partial } from '../judge/partial.ts';
import { type Phase, peaks } from '../judge/phases.ts';
import type { Ledger } from '../judge/reconcile.ts';
import type { Threshold } from '../judge/threshold.ts';
import { thresholdName } from '../judge/threshold-words.ts';
import { round } from '../round.ts';
import { atLeast, capacity } from './capacity-finding.ts';
import { connectionsFinding } from './connections-finding.ts';
import { degraded } from './degraded.ts';
import { drift } from './drift.ts';
import { failureFindings } from './failures.ts';
import { growthOverTime } from './growth-over-time.ts';
import { note } from './note.ts';
import { onset } from './onset.ts';
import type { Recovery } from './recovery.ts';
import { recovery } from './recovery-finding.ts';
import { slowOperation } from './slow-operation.ts';

type FindingKind =
  | 'bottleneck'
  | 'capacity'
  | 'recovery'
  | 'episode'
  | 'leak'
  | 'generator'
  | 'regression'
  | 'onset'
  | 'connections'
  | 'failures'
  | 'note';

/** What a finding was read from. */
export interface Observation {
  /** Of the timeline: `client.p99`, or a signal's name. */
  series: string;
  /** Of the figures, as in the timeline. */
  unit: string;
  /** In the baseline. */
  from: number | null;
  /** In the phase. */
  to: number | null;
  threshold: number | null;
  /** ISO time when it was crossed. */
  at: string | null;
}

export interface Finding {
  kind: FindingKind;
  subject: string;
  phase: string | null;
  confidence: 'high' | 'medium' | 'low' | 'not_enough_to_tell';
  /** One sentence. */
  statement: string;
  /** Units in the names. */
  figures: Record<string, number | null>;
  evidence: string[];
  observations?: Observation[];
  /** The operation that it is about, and of failures the only kind; absent: there are several. */
  operation?: string;
  failure_kind?: string;
}

/** Everything that findings are drawn from. */
export interface Known {
  plan: Plan;
  phases: Phase[];
  operations: Operation[];
  /** What was counted, by phase and operation. */
  groups: readonly Group[];
  failures: Failure[];
  thresholds: Threshold[];
  server: Server;
  recoveries: Recovery[];
  capacities: Capacity[];
  /** null: no phase took place. */
  timeline: Timeline | null;
  environment: Environment;
  log: K6Log;
  /** Users that k6 had at most. */
  vusMax: number;
  /** Of the machine beside k6, one a trial that has one. */
  watches: HostWatch[];
  /** Of the run's seconds. */
  lines: readonly Line[];
  buckets: readonly Bucket[];
  /** Processors that k6 may use; null: not known. */
  cores: number | null;
  clockJumps: readonly ClockJump[];
  /** null or none: the run came to its end. */
  partial?: Partial | null;
  /** Variables of the run; absent: not known. */
  variables?: Record<string, string | null> | undefined;
  /** VUs by how many of their calls failed; absent: not known. */
  clients?: Clients | undefined;
  /** Iterations against requests. */
  ledger: Ledger;
  /** Sessions that the server had ended when they were used. */
  expired: number;
}

/** A machine of "8 GiB" shows somewhat less to the system. */
const MEMORY_TOLERANCE = 0.9;
/** With the host this busy, whatever shares it waits for CPU. */
const BUSY_HOST = 0.9;

export function findings(known: Known): Finding[] {
  const { shapes, limits } = failureFindings(known, bottleneck(known));
  return [
    ...shapes,
    ...limits,
    ...capacity(known),
    ...atLeast(known),
    ...recovery(known),
    ...degraded(known),
    ...onset(known),
    ...connectionsFinding(known),
    ...drift(known),
    ...growthOverTime(known),
    ...slowOperation(known),
    ...overload(known),
    ...(shapes.some(({ subject }) => subject === 'replicas') ? [] : expiredSessions(known)),
    ...smallMachine(known),
    ...missingSignals(known),
    ...sharedMachine(known),
    ...unfinished(known),
    ...interrupted(known),
    ...unjudged(known),
    ...disagreements(known),
  ];
}

function expiredSessions({ expired }: Known): Finding[] {
  if (expired === 0) return [];
  const sessions = expired === 1 ? '1 session' : `${number(expired)} sessions`;
  const statement = `the server had ended ${sessions} before the next call: opened anew, and the call made again`;
  return [note('sessions', statement, { figures: { sessions_expired: expired } })];
}

/** @returns what an overload phase did: it is reported, not judged */
function overload({ phases, server }: Known): Finding[] {
  return peaks(phases)
    .filter((phase) => phase.iterations !== null)
    .map((phase) => {
      /** @param name events of this phase, from their mean rate; null where that can't be told */
      const events = (name: string) => {
        if (isBlurred(phase.duration_s)) return null;
        const signal = server.signals.find((one) => one.signal === name && one.phase === phase.name);
        return signal ? Math.round(signal.avg * phase.duration_s) : null;
      };
      const figures = {
        offered_rps: phase.offered_rps,
        achieved_rps: phase.achieved_rps,
        failure_share: phase.error_rate,
        rate_limited_requests: phase.failures?.rate_limited ?? 0,
        rate_limit_hits: events('rate_limited'),
        breaker_trips: events('breaker_open'),
      };
      const counts = [
        [figures.rate_limit_hits, 'rate-limit hit'],
        [figures.breaker_trips, 'breaker trip'],
      ].flatMap(([count, noun]) =>
        count === null
          ? []
          : Number(count) === 0
            ? `no ${noun}`
            : `about ${counted(Number(count), String(noun))}`,
      );
      const load =
        phase.offered_rps === null
          ? perSecond(phase.achieved_rps)
          : `${perSecond(phase.achieved_rps)} of ${perSecond(phase.offered_rps)} (${number(phase.dropped)} dropped)`;
      return note(
        'overload',
        `${phase.name} took ${load}, ${percent(phase.error_rate ?? 0)} of its requests failed, ` +
          `${number(figures.rate_limited_requests)} were answered with 429` +
          (counts.length > 0 ? `; the server counted ${counts.join(' and ')}` : ''),
        { phase: phase.name, figures },
      );
    });
}

function smallMachine({ plan: { reference_machine: reference }, thresholds, environment }: Known): Finding[] {
  if (!reference) return [];
  const small =
    environment.cores < reference.cores ||
    environment.memory_bytes < MEMORY_TOLERANCE * reference.memory_bytes;
  if (!small) return [];
  const missed = thresholds.some(({ ok }) => ok === false);
  return [
    note(
      'machine',
      `this machine (${counted(environment.cores, 'core')}, ${bytes(environment.memory_bytes)}) is smaller than the one that ` +
        `the objectives are for (${counted(reference.cores, 'core')}, ${bytes(reference.memory_bytes)})` +
        (missed ? '; they are not lowered for it, so a missed one may be the machine' : ''),
      { figures: { cores: environment.cores, memory_bytes: environment.memory_bytes } },
    ),
  ];
}

function sharedMachine({ plan, server }: Known): Finding[] {
  if (!isLocal(plan.target.url)) return [];
  const busy = server.signals.filter(({ signal, avg }) => signal === 'host_cpu' && avg > BUSY_HOST);
  if (busy.length === 0) return [];
  const where = busy.map(({ phase, avg }) => `${phase} ${percent(avg)}`);
  return [
    note(
      'shared machine',
      `generator and target share a machine that had no CPU left (${listed(where)}): latencies hold waiting for it`,
      { evidence: where },
    ),
  ];
}

function unfinished({ plan, phases }: Known): Finding[] {
  return phases.flatMap((phase, index) => {
    if (phase.completed) return [];
    const planned = duration(plan.phases[index]?.duration_s);
    const { name, iterations, iterations_planned: wanted } = phase;
    if (phase.start === null) return [note('phase', `${name} did not start`, { phase: name })];
    const statement =
      wanted !== null && iterations !== null
        ? `${name} made ${number(iterations)} of its ${number(wanted)} iterations in the ${duration(phase.duration_s)} it had`
        : `${name} was cut short: ${duration(phase.duration_s)} of ${planned}`;
    return [note('phase', statement, { phase: name })];
  });
}

/** @returns calls that k6 interrupted are in no figure */
function interrupted({ phases }: Known): Finding[] {
  return phases.flatMap(({ name, start, interrupted: cut }) => {
    if (!cut || start === null) return [];
    const sinceS = round((Date.parse(cut.since) - Date.parse(start)) / 1000, 1);
    const were = cut.calls === 1 ? 'was' : 'were';
    const statement = `${counted(cut.calls, 'call')} ${were} still open when ${name} was interrupted, the first since ${duration(sinceS)} into it: neither finished nor failed`;
    return [note('interrupted', statement, { phase: name, figures: { interrupted_calls: cut.calls } })];
  });
}

function unjudged({ thresholds }: Known): Finding[] {
  const reasons = thresholds.flatMap(({ outcome, reason }) =>
    outcome === 'unjudged' && reason ? [reason] : [],
  );
  if (reasons.length === 0) return [];
  const rest = reasons.length > 1 ? ` (and ${reasons.length - 1} more like it)` : '';
  return [note('objectives', `${reasons[0]}${rest}`, { evidence: reasons })];
}

function disagreements({ thresholds }: Known): Finding[] {
  return thresholds
    .filter(({ disputed }) => disputed)
    .map((threshold) =>
      note(
        'k6',
        `k6 and this analysis disagree on ${thresholdName(threshold)}: k6 says ${threshold.k6?.ok ? 'pass' : 'fail'}; a fail counts`,
      ),
    );
}

function missingSignals({ phases, server: { problem, silent, ambiguous } }: Known): Finding[] {
  const missing = problem ? [note('signals', `server signals are missing because ${problem}`)] : [];
  const longest = Math.max(
    0,
    ...phases.filter(({ measured }) => measured).map(({ duration_s }) => duration_s),
  );
  if (silent.length > 0 && longest < STEP_S)
    missing.push(note('signals', `no server signals: no phase took the ${STEP_S} s that they need`));
  else if (silent.length > 0)
    missing.push(note('signals', `no samples for ${listed(silent)}`, { evidence: silent }));
  if (ambiguous.length > 0) {
    const statement = `left out, as each has more than one series: ${listed(ambiguous)}; its rule must add them up`;
    missing.push(note('signals', statement, { evidence: ambiguous }));
  }
  return missing;
}

const LISTED = 12;

function listed(names: string[]): string {
  const rest = names.length > LISTED ? ` and ${names.length - LISTED} more` : '';
  return `${names.slice(0, LISTED).join(', ')}${rest}`;
}
