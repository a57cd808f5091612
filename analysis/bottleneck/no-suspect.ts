/**
 * Findings for a run in which no resource was at its limit: the machine was shared, the server's concurrency
 * was limited, or the target was away.
 */
import { counted, inUnit, milliseconds, number, percent, perSecond } from '../../contract/units.js';
import { type Estimate, isLessThanOne } from '../capacity.ts';
import { atOnce } from '../findings/capacity-finding.ts';
import type { Finding, Observation } from '../findings/finding.ts';
import { remedy } from '../findings/remedy.ts';
import type { Phase } from '../judge/phases.ts';
import { BOTTLENECK } from '../limits.ts';
import { round } from '../round.ts';
import type { Case } from './bottleneck.ts';
import type { Miss } from './miss.ts';
import { nearestOf, nearText } from './nearest.ts';
import { type Cause, CONSUMERS, FULL_HOST, RESOURCES } from './resources.ts';
import { fullestIn, levelIn } from './windows.ts';
import { comparedWith, partsText, WORTH } from './wording.ts';

/** Phrases for the failures of a server that is away or does not respond. */
const AWAY = {
  connect: 'failed to connect or lost the connection',
  timeout: 'timed out',
} as Record<string, string>;

/**
 * @returns a finding if the calls found no server, or one that did not respond; null if the failures show
 *   that the server was there
 */
export function awayFound(context: Pick<Case, 'breakage' | 'capacity'>): Finding | null {
  const { phase, statement, observation, failing } = context.breakage;
  // A server that answers some calls while others wait is not away, unless most failures are failed
  // connections.
  const unanswered =
    context.capacity && (phase.failures?.connect ?? 0) < BOTTLENECK.mostlyAway * (phase.failed ?? 0);
  return failing && !unanswered ? awayIn(phase, statement, observation) : null;
}

/** @param broke describes what broke @param observation the measurement behind `broke` */
export function awayIn(
  { name, failures, requests, failed }: Phase,
  broke: string,
  observation: Observation,
): Finding | null {
  const kinds = Object.entries(failures ?? {})
    .filter(([kind]) => kind in AWAY)
    .toSorted((a, b) => b[1] - a[1]);
  const count = kinds.reduce((sum, [, its]) => sum + its, 0);
  if (!failed || !requests || count < BOTTLENECK.mostlyAway * failed) return null;
  const each = kinds.map(([kind, its]) => `${number(its)} ${AWAY[kind]} (${kind})`);
  return {
    kind: 'bottleneck',
    subject: 'target away',
    phase: name,
    confidence: 'medium',
    statement: `the target was unreachable or did not respond in ${name}: of ${counted(requests, 'request')}, ${each.join(', ')}`,
    figures: Object.fromEntries([...kinds, ['requests', requests]]),
    evidence: [
      broke,
      'no monitored resource was at its limit',
      remedy("check the target's log for an exit, a restart or a hang, and check any intermediary"),
    ],
    observations: [observation],
  };
}

/**
 * @returns a finding about the processes that used the CPU if the machine had hardly any left; otherwise null
 */
export function machineFound(context: Case): Finding | null {
  const { breakage, reader } = context;
  const { phase, statement, broken } = breakage;
  const inUse = fullestIn(reader.series(FULL_HOST.series), broken);
  if (inUse === null || inUse < BOTTLENECK.nearlyFull) return null;
  const shares = Object.entries(CONSUMERS)
    .map(([series, who]) => ({ series, who, share: fullestIn(reader.series(series), broken) ?? 0 }))
    .filter(({ share }) => share >= WORTH)
    .toSorted((a, b) => b.share - a.share);
  const [first] = shares;
  const consumer =
    first && first.share >= BOTTLENECK.minConsumedOfUsed * inUse ? resourceOf(first.series) : null;
  const subject = consumer?.subject ?? 'host CPU';
  const who = shares.map((one) => `${programOf(one, context)} ${percent(one.share)}`).join(', ');
  return {
    kind: 'bottleneck',
    subject,
    phase: phase.name,
    confidence: 'medium',
    statement: `the ${subject} limited the run in ${phase.name} (${consumer?.cause.id ?? 'shared'}): ${percent(inUse)} of the machine's CPU was in use${who && `: ${who}`}`,
    figures: { host_cpu_ratio: round(inUse) },
    evidence: [
      statement,
      ...comparedWith(context),
      ...partsText(context.parts),
      remedy(
        consumer?.cause.hint ??
          'run k6 on another machine, or use a machine with more cores: all processes wait for CPU',
      ),
    ],
    observations: [breakage.observation],
  };
}

/** @returns the resource, with its cause, whose top consumer of CPU this series is */
function resourceOf(series: string): { subject: string; cause: Cause } | null {
  for (const { subject, causes } of RESOURCES) {
    const cause = causes.find(({ topConsumer }) => topConsumer === series);
    if (cause) return { subject, cause };
  }
  return null;
}

const programOf = ({ series, who }: { series: string; who: string }, { reader }: Case) =>
  reader.series(series)?.program ?? who;

/** Subject of a finding about the number of calls that the server works on concurrently. */
export const CONCURRENCY = "server's concurrency";

/**
 * @returns a finding about how many calls the server works on concurrently; null if the number is unknown, or
 *   if calls became slower
 */
export function concurrencyFound(context: Case): Finding | null {
  const { breakage, capacity } = context;
  const { phase, statement } = breakage;
  if (!capacity?.parallelism) return null;
  const { answers_per_s: rate, service_ms: service, parallelism, baseline } = capacity;
  const width = parallelism.high - parallelism.low;
  if (isLessThanOne(parallelism) || width > BOTTLENECK.maxPoolWidth * parallelism.value) return null;
  const atATime = atOnce(parallelism);
  const pool = poolText(context, parallelism);
  const subject = pool ? POOL : CONCURRENCY;
  return {
    kind: 'bottleneck',
    subject,
    phase: phase.name,
    confidence: 'medium',
    statement: `the ${subject} limited the run in ${phase.name}${pool && ' (observed externally)'}: it answers at most ${perSecond(rate.value)}, ${atATime}${pool}; ${nothingFull(context)}`,
    figures: {
      answers_per_s: rate.value,
      service_ms: service.value,
      parallelism: parallelism.value,
    },
    evidence: [
      statement,
      ...comparedWith(context),
      `a call took ${milliseconds(service.value)} in ${baseline} without waiting; by Little's law, ${perSecond(rate.value)} is ${atATime}`,
      ...nearestText(context),
      ...partsText(context.parts),
      remedy(
        'find what limits concurrency: a lock, a call that blocks the event loop, a pool of workers or connections, or a service behind the server',
      ),
    ],
    observations: [breakage.observation],
  };
}

const POOL = 'connection pool';

/**
 * @returns a clause for the statement if the server works on as many concurrent calls as it has database
 *   connections; otherwise ''
 */
function poolText({ reader, breakage }: Case, { low, high }: Estimate): string {
  const series = reader.series('db_clients');
  const count = levelIn(series, breakage.broken) ?? 0;
  if (
    count < BOTTLENECK.minPool ||
    count < (1 - BOTTLENECK.poolMargin) * low ||
    count > (1 + BOTTLENECK.poolMargin) * high
  )
    return '';
  return `, as many as its connections to ${series?.destination ?? 'the database'} (${number(count)})`;
}

function nothingFull(context: Case): string {
  const [nearest] = nearestOf(context);
  return `no monitored resource was at its limit${nearest ? ` (nearest: ${nearText(nearest)})` : ''}`;
}

const nearestText = (context: Case): string[] => {
  const nearest = nearestOf(context);
  return nearest.length > 0 ? [`utilization: ${nearest.map(nearText).join('; ')}`] : [];
};

/** @param missing signals without samples */
export function nothingFound(context: Case, missing: string[]): Finding {
  const { breakage, parts } = context;
  // The server's own metrics are more informative than those of its processes.
  const metricsHint = missing.includes('request')
    ? "; set TARGET_METRICS to include the server's own metrics"
    : '';
  return {
    kind: 'bottleneck',
    subject: 'unknown',
    phase: breakage.phase.name,
    confidence: 'inconclusive',
    statement: `the bottleneck in ${breakage.phase.name} is inconclusive: ${nothingFull(context)}${metricsHint}`,
    figures: { added_ms: parts ? round(parts.addedS * 1000) : null, missing_signals: missing.length },
    evidence: [
      breakage.statement,
      ...comparedWith(context),
      ...nearestText(context),
      ...partsText(parts),
      ...(missing.length > 0 ? [`no samples of ${missing.join(', ')}`] : []),
    ],
    observations: [breakage.observation],
  };
}

/** Beginning of the sentence about a missed objective, by series. */
const MISSED = {
  'client.p99': 'p99 exceeded',
  'client.failed': 'failures exceeded',
} as Record<string, string>;

export function nothingLasted({ phase, reason, moments, watched, observation }: Miss): Finding {
  const { series, unit, threshold } = observation;
  const share = `${moments === 0 ? 'none' : `only ${number(moments)}`} of ${counted(watched, 'sample')}`;
  const beyond = `${MISSED[series]} the normal ${inUnit(unit, threshold)} in ${share}`;
  return {
    kind: 'bottleneck',
    subject: 'unknown',
    phase: phase.name,
    confidence: 'inconclusive',
    statement: `the bottleneck in ${phase.name} is inconclusive: ${beyond}`,
    figures: { moments, watched_moments: watched },
    evidence: [
      reason,
      'a bottleneck is only identified if the degradation lasts until the end of the phase, except for single samples',
    ],
    observations: [observation],
  };
}
