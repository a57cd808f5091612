/**
 * Detects what grows or wears out under a constant load. Computes robust slopes of memory, connections,
 * sessions, files, latency and throughput over the stretches of a run in which no setting changes.
 *
 * A stretch is cut into blocks, so that garbage collection cycles and the look-back of rates stay within a
 * block. A Theil-Sen line is fitted to the blocks' values. Growth is reported only if the slope's confidence
 * interval excludes zero for the stretch and for both halves, if growth continues in the second half, and if
 * it matters: the change within the observed time is noticeable, and it reaches a limit within
 * `DRIFT.horizonH` at that pace. See `limits.ts` for the values.
 */
import { counted, duration, inUnit, number } from '../../contract/units.js';
import { timesOf } from '../collect/grid.ts';
import { seriesOf, type Timeline } from '../collect/timeline.ts';
import { isLocal } from '../is-local.ts';
import { DRIFT } from '../limits.ts';
import { round } from '../round.ts';
import { type DriftRule, type Limit, MEANT_TO_LAST, RULES } from './drift-rules.ts';
import type { Finding } from './finding.ts';
import type { Known } from './known.ts';
import { note } from './note.ts';
import { blockLength, blocksOf, type Stretch, steadyStretches } from './steady-stretches.ts';
import { HOUR_S, STATISTIC, type Trend, trendOf } from './stretch-trend.ts';

export function drift(known: Known): Finding[] {
  const { timeline, plan } = known;
  if (!timeline) return [];
  const stretches = steadyStretches(known);
  const long = stretches.filter((stretch) => blocksOf(stretch, timeline).length >= DRIFT.minBlocks);
  if (long.length === 0 && MEANT_TO_LAST.includes(plan.test)) return tooShort(stretches, timeline);
  return long.flatMap((stretch) => merged(RULES.flatMap((rule) => claim(known, stretch, rule))));
}

/**
 * Merges related findings: a connection that is never closed also shows as an open file.
 *
 * @param findings findings of one stretch
 */
function merged(findings: Finding[]): Finding[] {
  const distinct: Finding[] = [];
  for (const finding of findings) {
    const { part_of = [] } = RULES.find(({ subject }) => subject === finding.subject) ?? {};
    const cause = distinct.find(({ subject }) => part_of.includes(subject));
    if (cause) {
      cause.evidence.push(`related: ${finding.statement}`);
      cause.observations?.push(...(finding.observations ?? []));
    } else distinct.push(finding);
  }
  return distinct;
}

function tooShort(stretches: Stretch[], { step_s }: Timeline): Finding[] {
  const longest = Math.max(0, ...stretches.map(({ fromS, toS }) => toS - fromS));
  const needed = DRIFT.minBlocks * blockLength(step_s) + DRIFT.minSettlingS;
  return [
    note(
      'leaks',
      `too short to detect leaks: ${duration(Math.round(longest))} of steady load; at least ${duration(needed)} needed`,
      {
        confidence: 'inconclusive',
        figures: { steady_s: round(longest, 1), least_s: needed },
      },
    ),
  ];
}

/** @returns one finding, or none */
function claim(known: Known, stretch: Stretch, rule: DriftRule): Finding[] {
  const timeline = known.timeline as Timeline;
  const trend = trendOf(rule, stretch, timeline);
  if (!trend?.persists) return [];
  const { from, to } = trend;
  const moved = Math.abs(to - from);
  const enough = moved >= (rule.least.growth ?? 0) && moved >= (rule.least.share ?? 0) * Math.abs(from);
  const end = endOf(rule, trend, stretch, known);
  return enough && end.hours <= DRIFT.horizonH
    ? [findingOf(rule, trend, stretch, end, unitOf(timeline, rule.series))]
    : [];
}

const unitOf = (timeline: Timeline, series: string) => seriesOf(timeline, series)?.unit ?? '';

/** The projected end of a trend. */
interface End {
  /** Hours until the end; infinite if it is never reached. */
  hours: number;
  /** In the series' unit; null if unknown: then the end is twice the level, or half of it. */
  limit: number | null;
  /** What happens at the end. */
  text: string;
}

function endOf({ limit, worse }: DriftRule, { slope, to }: Trend, stretch: Stretch, known: Known): End {
  const pace = worse * slope;
  const far = limit && limitOf(limit, to, stretch, known);
  if (far) {
    const remaining = Math.max(0, far.value - to);
    return { hours: pace > 0 ? remaining / pace : Infinity, limit: far.value, text: far.text };
  }
  const remaining = worse > 0 ? to : to / 2;
  return {
    hours: pace > 0 ? remaining / pace : Infinity,
    limit: null,
    text: worse > 0 ? 'doubles' : 'halves',
  };
}

/** @param level level at the end of the stretch @returns null if unknown */
function limitOf(
  limit: Limit,
  level: number,
  stretch: Stretch,
  { timeline, plan, environment }: Known,
): { value: number; text: string } | null {
  const signal = 'ratio' in limit ? limit.ratio : 'host_memory';
  const used = timeline && lastOf(timeline, stretch, signal);
  if ('ratio' in limit)
    return used ? { value: level / used, text: `reaches the limit of about ${number(level / used)}` } : null;
  // The memory of another machine is unknown.
  if (!isLocal(plan.target.url)) return null;
  const free = used == null ? environment.memory_bytes - level : environment.memory_bytes * (1 - used);
  return { value: level + free, text: `uses all of the machine's free memory (${inUnit('bytes', free)})` };
}

/** @returns the signal's value in the last block of the stretch */
function lastOf(timeline: Timeline, stretch: Stretch, signal: string): number | null {
  const values = timeline.signals[signal]?.values ?? [];
  const last = blocksOf(stretch, timeline).at(-1);
  const inside = timesOf(timeline).flatMap((timeS, index) =>
    last && timeS >= last.fromS && timeS < last.toS ? (values[index] ?? []) : [],
  );
  return inside.length > 0 ? STATISTIC.middle(inside) : null;
}

function findingOf(
  { kind, subject, series, noun, of, worse }: DriftRule,
  trend: Trend,
  stretch: Stretch,
  end: End,
  unit: string,
): Finding {
  const perHour = (slope: number) => `${inUnit(unit, Math.abs(slope))} an hour`;
  const [low, high] = [
    Math.min(Math.abs(trend.low), Math.abs(trend.high)),
    Math.max(Math.abs(trend.low), Math.abs(trend.high)),
  ];
  const [first, last] = [stretch.phases[0], stretch.phases.at(-1)];
  const where = first === last ? `in ${first}` : `from ${first} to ${last}`;
  const verb = worse > 0 ? 'grows' : 'falls';
  const steady = Math.abs(trend.second / trend.first - 1) < DRIFT.steady;
  return {
    kind,
    subject,
    phase: first === last ? (first ?? null) : null,
    confidence: steady ? 'high' : 'medium',
    statement:
      `${noun} ${verb} by ${perHour(trend.slope)} (95 %: ${inUnit(unit, low)} to ${inUnit(unit, high)}) ${where}; ` +
      `at this rate it ${end.text} in ${hours(end.hours)}`,
    figures: {
      [`${unit}_per_hour`]: figure(trend.slope),
      [`${unit}_per_hour_low`]: figure(trend.low),
      [`${unit}_per_hour_high`]: figure(trend.high),
      [`${unit}_per_hour_first_half`]: figure(trend.first),
      [`${unit}_per_hour_second_half`]: figure(trend.second),
      hours_to_limit: end.limit === null ? null : figure(end.hours),
      ...(end.limit === null && { [worse > 0 ? 'hours_to_double' : 'hours_to_halve']: figure(end.hours) }),
      blocks: trend.blocks,
      block_s: round(trend.block_s, 1),
    },
    evidence: [
      `${series} went from ${inUnit(unit, trend.from)} to ${inUnit(unit, trend.to)} in ${duration(Math.round(trend.blocks * trend.block_s))} of steady load`,
      `Theil-Sen line through ${counted(trend.blocks, 'block')} of ${duration(Math.round(trend.block_s))}, ` +
        `${of === 'floor' ? 'using the lowest quarter of each to exclude temporary use' : 'using the middle half of each'}; the initial settling is excluded`,
      `first half ${perHour(trend.first)}, second half ${perHour(trend.second)}: it does not level off`,
    ],
    observations: [observation(series, unit, trend, end.limit)],
  };
}

const observation = (series: string, unit: string, { from, to }: Trend, limit: number | null) => ({
  series,
  unit,
  from: figure(from),
  to: figure(to),
  threshold: limit === null ? null : figure(limit),
  at: null,
});

/** @returns the value with 4 significant digits, which is more than the precision of any slope */
const figure = (value: number): number => Number(value.toPrecision(4));

/** @returns the duration with a readable unit */
function hours(count: number): string {
  if (count >= 48) return `${number(count / 24)} days`;
  return duration(count < 1 ? Math.round(count * HOUR_S) : Math.round(count * 60) * 60);
}
