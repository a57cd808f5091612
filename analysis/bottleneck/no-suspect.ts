/** What is said where no resource was at its limit: who shared the machine, how many calls were served at once, whether the server was there. */
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

/** Failures of a server that is not there, or says nothing, in words. */
const AWAY = {
  connect: 'found no connection or lost it',
  timeout: 'had no answer in time',
} as Record<string, string>;

/** @returns where the calls found no server, or one that said nothing; null: it was there, as far as its failures tell */
export function awayFound(the: Pick<Case, 'breakage' | 'capacity'>): Finding | null {
  const { phase, statement, observation, failing } = the.breakage;
  // Who answers some while the others wait is there, until no connection is found any more.
  const unanswered =
    the.capacity && (phase.failures?.connect ?? 0) < BOTTLENECK.mostlyAway * (phase.failed ?? 0);
  return failing && !unanswered ? awayIn(phase, statement, observation) : null;
}

/** @param broke what broke @param observation of that */
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
    statement: `the target was away or said nothing in ${name}: of ${counted(requests, 'request')} ${each.join(', ')}`,
    figures: Object.fromEntries([...kinds, ['requests', requests]]),
    evidence: [
      broke,
      'nothing that is watched was full',
      remedy(
        "the target's log of that time, whether it ended, restarted or hung, and what is between the two",
      ),
    ],
    observations: [observation],
  };
}

/** @returns where the machine has hardly any CPU left: who took it; null: it has some */
export function machineFound(the: Case): Finding | null {
  const { breakage, reader } = the;
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
  const who = shares.map((one) => `${programOf(one, the)} ${percent(one.share)}`).join(', ');
  return {
    kind: 'bottleneck',
    subject,
    phase: phase.name,
    confidence: 'medium',
    statement: `the ${subject} limited the run in ${phase.name} (${consumer?.cause.id ?? 'shared'}): ${percent(inUse)} of the machine was in use${who && `: ${who}`}`,
    figures: { host_cpu_ratio: round(inUse) },
    evidence: [
      statement,
      ...comparedWith(the),
      ...partsText(the.parts),
      remedy(
        consumer?.cause.hint ??
          'run k6 on another machine, or use one with more cores: all that wait for a CPU are slow, each because of the others',
      ),
    ],
    observations: [breakage.observation],
  };
}

/** @returns the resource that is named where this series takes the most of a machine's CPU */
function resourceOf(series: string): { subject: string; cause: Cause } | null {
  for (const { subject, causes } of RESOURCES) {
    const cause = causes.find(({ topConsumer }) => topConsumer === series);
    if (cause) return { subject, cause };
  }
  return null;
}

const programOf = ({ series, who }: { series: string; who: string }, { reader }: Case) =>
  reader.series(series)?.program ?? who;

/** What no resource limits is the number of calls that are served at once. */
export const CONCURRENCY = "server's concurrency";

/** @returns where nothing that is watched was full, how many calls the server works on at once; null: not known, or calls became slower */
export function concurrencyFound(the: Case): Finding | null {
  const { breakage, capacity } = the;
  const { phase, statement } = breakage;
  if (!capacity?.parallelism) return null;
  const { answers_per_s: rate, service_ms: service, parallelism, baseline } = capacity;
  const width = parallelism.high - parallelism.low;
  if (isLessThanOne(parallelism) || width > BOTTLENECK.maxPoolWidth * parallelism.value) return null;
  const atATime = atOnce(parallelism);
  const pool = poolText(the, parallelism);
  const subject = pool ? POOL : CONCURRENCY;
  return {
    kind: 'bottleneck',
    subject,
    phase: phase.name,
    confidence: 'medium',
    statement: `the ${subject} limited the run in ${phase.name}${pool && ' (seen from outside)'}: it answers ${perSecond(rate.value)} at most, ${atATime}${pool}, and ${nothingFull(the)}`,
    figures: {
      answers_per_s: rate.value,
      service_ms: service.value,
      parallelism: parallelism.value,
    },
    evidence: [
      statement,
      ...comparedWith(the),
      `a call took ${milliseconds(service.value)} in ${baseline}, while nothing waited: ${perSecond(rate.value)} are ${atATime} (Little's law)`,
      ...nearestText(the),
      ...partsText(the.parts),
      remedy(
        'look for what lets so many calls pass at a time: a lock, a call that blocks the loop, a pool of workers or connections, a limit of what is behind the server',
      ),
    ],
    observations: [breakage.observation],
  };
}

const POOL = 'connection pool';

/** @returns for a sentence, where the server works on as many calls at once as it has connections to a database; else '' */
function poolText({ reader, breakage }: Case, { low, high }: Estimate): string {
  const series = reader.series('db_clients');
  const count = levelIn(series, breakage.broken) ?? 0;
  if (
    count < BOTTLENECK.minPool ||
    count < (1 - BOTTLENECK.poolMargin) * low ||
    count > (1 + BOTTLENECK.poolMargin) * high
  )
    return '';
  return `, which is the number of its connections to ${series?.destination ?? 'the database'} (${number(count)})`;
}

/** @returns for a sentence */
function nothingFull(the: Case): string {
  const [nearest] = nearestOf(the);
  return `nothing that is watched was full${nearest ? ` (nearest: ${nearText(nearest)})` : ''}`;
}

const nearestText = (the: Case): string[] => {
  const nearest = nearestOf(the);
  return nearest.length > 0 ? [`in use: ${nearest.map(nearText).join('; ')}`] : [];
};

/** @param missing signals */
export function nothingFound(the: Case, missing: string[]): Finding {
  const { breakage, parts } = the;
  // What a server says of itself tells more than its processes do.
  const most = missing.includes('request')
    ? "; the server's own metrics would tell most (TARGET_METRICS)"
    : '';
  return {
    kind: 'bottleneck',
    subject: 'unknown',
    phase: breakage.phase.name,
    confidence: 'not_enough_to_tell',
    statement: `inconclusive what limited the run in ${breakage.phase.name}: ${nothingFull(the)}${most}`,
    figures: { added_ms: parts ? round(parts.addedS * 1000) : null, missing_signals: missing.length },
    evidence: [
      breakage.statement,
      ...comparedWith(the),
      ...nearestText(the),
      ...partsText(parts),
      ...(missing.length > 0 ? [`no samples of ${missing.join(', ')}`] : []),
    ],
    observations: [breakage.observation],
  };
}

/** What was missed, by its series. */
const MISSED = {
  'client.p99': 'p99 was',
  'client.failed': 'failures were',
} as Record<string, string>;

export function nothingLasted({ phase, reason, moments, watched, observation }: Miss): Finding {
  const { series, unit, threshold } = observation;
  const most = `${moments === 0 ? 'none' : number(moments)} of ${counted(watched, 'moment')}`;
  const beyond = `${MISSED[series]} over the normal ${inUnit(unit, threshold)} in ${most}`;
  return {
    kind: 'bottleneck',
    subject: 'unknown',
    phase: phase.name,
    confidence: 'not_enough_to_tell',
    statement: `inconclusive what limited the run in ${phase.name}: ${beyond} only`,
    figures: { moments, watched_moments: watched },
    evidence: [
      reason,
      'what limits a run is read from what lasts: to the end of the phase, but for single moments',
    ],
    observations: [observation],
  };
}
