/**
 * Detects episodes: time spans in which the calls that began were outside the normal range.
 *
 * Uses a cumulative sum (CUSUM) test. Each call is evidence for one of two rates of bad calls: the normal
 * rate, or a rate several times as high. The evidence is added up second by second and never falls below 0
 * (E. S. Page, Continuous Inspection Schemes, Biometrika 41, 1954). An episode begins where the sum last left
 * 0 before it reached the limit, and ends at the maximum of the sum. The test has no fixed window: at a low
 * call rate it needs more seconds to reach the limit, but it still finds the correct start and end.
 */
import type { Line } from './collect/seconds.ts';
import { Within } from './collect/seconds.ts';
import type { Phase } from './judge/phases.ts';
import { EPISODES } from './limits.ts';
import type { NormalRange } from './normal.ts';

type Kind = 'latency' | 'failures';

export interface Episode {
  /** Unix time. */
  fromS: number;
  toS: number;
  /** What left the normal range, each with its own times. */
  latency?: Stretch;
  failures?: Stretch;
  /** The phase in which it began. */
  phase: string;
}

export interface Stretch {
  /** Unix time. */
  fromS: number;
  toS: number;
}

/** The calls that began in one second of one phase. */
export interface Bucket {
  phase: string;
  /** Unix times of the part of the second that belongs to the phase. */
  fromS: number;
  toS: number;
  /**
   * Number of calls that were due; 0 while the generator was stalled. null in a closed model, where a VU
   * makes its next call only after the answer to the last one.
   */
  due: number | null;
  sums: Within;
}

/**
 * @param lines lines of the run's seconds
 * @returns the buckets in order; a second shared by two phases becomes two buckets
 */
export function bucketsOf(lines: readonly Line[], phases: readonly Phase[]): Bucket[] {
  const spans = phases.flatMap(({ name, measured, start, end, offered_rps }) =>
    measured && start !== null && end !== null
      ? [{ phase: name, fromS: Date.parse(start) / 1000, toS: Date.parse(end) / 1000, rate: offered_rps }]
      : [],
  );
  // k6 writes no line for a second in which it was stalled.
  const written = new Set(lines.map(({ second }) => second.at));
  const found = new Map<string, Bucket>();
  for (const { phase, rate, ...span } of spans)
    for (let at = Math.floor(span.fromS); at < span.toS; at += 1) {
      const [fromS, toS] = [Math.max(at, span.fromS), Math.min(at + 1, span.toS)];
      const due = rate === null ? null : written.has(at) ? rate * (toS - fromS) : 0;
      found.set(`${at} ${phase}`, { phase, fromS, toS, due, sums: new Within() });
    }
  for (const { second, groups } of lines) {
    const names = new Set(Object.keys(second.groups ?? {}).map((number) => groups.get(number)?.phase ?? ''));
    for (const name of names)
      found.get(`${second.at} ${name}`)?.sums.add(second, (number) => groups.get(number), [name]);
  }
  return [...found.values()].sort((a, b) => a.fromS - b.fromS);
}

/** @returns the buckets of these phases, in order */
export function bucketsIn(buckets: readonly Bucket[], phases: readonly Phase[]): Bucket[] {
  const names = new Set(phases.map(({ name }) => name));
  return buckets.filter(({ phase }) => names.has(phase));
}

/** Counts the bad calls and all calls of a bucket. */
type Count = (bucket: Bucket) => { bad: number; all: number };

const slowCalls =
  ({ p99_ms: limit }: NormalRange): Count =>
  ({ due, sums: { latencies, dropped } }) => {
    const made = latencies.all.count + dropped;
    const missing = due !== null && made < EPISODES.minMade * due ? due - made : 0;
    // Iterations are dropped because all VUs wait for an answer.
    return { bad: latencies.countOver(limit) + dropped + missing, all: made + missing };
  };

const failedCalls: Count = ({ sums: { failed, attempts } }) => ({ bad: failed, all: attempts });

const droppedLoad: Count = ({ due, sums: { dropped } }) => ({ bad: dropped, all: due ?? 0 });

/** @param buckets in order, of a single k6 run @returns spans with p99 above the range, in order */
export const slowStretches = (buckets: readonly Bucket[], range: NormalRange): Stretch[] =>
  stretchesOf(buckets, EPISODES.slowShare, slowCalls(range));

/** @param buckets in order, of a single k6 run @returns spans with failures above the range, in order */
export const failingStretches = (buckets: readonly Bucket[], range: NormalRange): Stretch[] =>
  stretchesOf(buckets, range.failure_rate, failedCalls);

/**
 * @param buckets in order, of a single k6 run
 * @param allowed share of the load that may be dropped
 * @returns spans in order
 */
export const droppingStretches = (buckets: readonly Bucket[], allowed: number): Stretch[] =>
  stretchesOf(buckets, allowed, droppedLoad);

/**
 * @param buckets in order, of a single k6 run
 * @returns episodes in order; overlapping spans of latency and failures are merged
 */
export function episodesOf(buckets: readonly Bucket[], range: NormalRange): Episode[] {
  const all = [
    ...slowStretches(buckets, range).map((stretch) => ({ ...stretch, kind: 'latency' as const })),
    ...failingStretches(buckets, range).map((stretch) => ({ ...stretch, kind: 'failures' as const })),
  ].sort((a, b) => a.fromS - b.fromS);
  const episodes: Episode[] = [];
  for (const { kind, fromS, toS } of all) {
    const last = episodes.at(-1);
    if (last && fromS <= last.toS) join(last, kind, { fromS, toS });
    else {
      const phase = buckets.find((bucket) => bucket.toS > fromS)?.phase ?? '';
      episodes.push({ fromS, toS, phase, [kind]: { fromS, toS } });
    }
  }
  return episodes;
}

function join(episode: Episode, kind: Kind, { fromS, toS }: Stretch) {
  episode[kind] = { fromS: episode[kind]?.fromS ?? fromS, toS };
  episode.toS = Math.max(episode.toS, toS);
}

/** @param normal normal share of bad calls */
function stretchesOf(buckets: readonly Bucket[], normal: number, count: Count): Stretch[] {
  const raised = Math.min(
    EPISODES.maxBad,
    Math.max(EPISODES.badFactor * normal, normal + EPISODES.minMoreBad),
  );
  const [ofBad, ofGood] = [Math.log(raised / normal), Math.log((1 - raised) / (1 - normal))];
  const stretches: Stretch[] = [];
  let [sum, most, fromS, toS] = [0, 0, 0, 0];
  const end = () => {
    if (most >= EPISODES.minEvidence) stretches.push({ fromS, toS });
    [sum, most] = [0, 0];
  };
  for (const bucket of buckets) {
    const { bad, all } = count(bucket);
    if (sum === 0) fromS = bucket.fromS;
    sum = Math.max(0, sum + bad * ofBad + (all - bad) * ofGood);
    if (sum > most || (all === 0 && bucket.due === null && sum > 0)) [most, toS] = [sum, bucket.toS];
    if (sum === 0 || (most >= EPISODES.minEvidence && most - sum >= EPISODES.minEvidenceOfEnd)) end();
  }
  end();
  return stretches;
}
