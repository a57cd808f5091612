/** The four main figures of a run, each with its limit. None of them is a last value. */
import { duration, milliseconds, number, percent, perSecond } from '../../contract/units.js';
import type { Figure, Tone } from '../../page/model.ts';
import { latencyText } from '../collect/latencies.ts';
import type { Run } from '../judge/run.ts';
import type { Threshold } from '../judge/threshold.ts';
import { scopeName, wordsOf } from '../judge/threshold-words.ts';
import { observedText } from '../render/tables.ts';

type Shown = Pick<Run, 'phases' | 'thresholds' | 'findings'>;
type Phase = Run['phases'][number];

export const figuresOf = (run: Shown): Figure[] =>
  [goodput(run), latency(run), failures(run), recovery(run)].filter((figure) => figure !== null);

const TONES: Partial<Record<Threshold['outcome'], Tone>> = { fail: 'fail', invalid: 'invalid', pass: 'pass' };
const toneOf = (threshold: Threshold | undefined) => {
  const tone = threshold && TONES[threshold.outcome];
  return tone && { tone };
};

const measuredOf = ({ phases }: Shown) =>
  phases.filter(({ measured, requests }) => measured && requests !== null);

/** The rate of successful answers in the phase with the highest load, compared with the offered rate. */
function goodput(run: Shown): Figure | null {
  const rateOf = (phase: Phase) => phase.offered_rps ?? phase.achieved_rps ?? 0;
  const [peak] = measuredOf(run).toSorted((a, b) => rateOf(b) - rateOf(a));
  if (!peak || peak.duration_s === 0) return null;
  const { name, offered_rps: target, requests, failed, requests_per_s: sent, duration_s } = peak;
  const delivered = run.thresholds.find(
    ({ scope, metric }) => scope.phase === name && metric === 'delivered_share',
  );
  const offered = target === null ? 'as fast as its VUs get answers' : `target ${perSecond(target)}`;
  return {
    name: `Goodput, in ${name}`,
    value: perSecond(((requests ?? 0) - (failed ?? 0)) / duration_s),
    next: `of ${perSecond(sent)} requests, ${offered}`,
    ...toneOf(delivered),
  };
}

/**
 * @returns the threshold of a metric that is closest to its limit, or exceeds it by most, in one phase or
 *   in all phases
 */
function nearest({ thresholds }: Shown, metric: string, phase?: string): Threshold | undefined {
  const share = ({ observed, limit }: Threshold) => (observed ?? 0) / (limit || Number.MIN_VALUE);
  return thresholds
    .filter((one) => one.metric === metric && one.relative_to === null && one.limit !== null)
    .filter(({ scope }) => phase === undefined || scope.phase === phase)
    .toSorted((a, b) => share(b) - share(a))[0];
}

function judged(title: string, threshold: Threshold): Figure {
  const { format } = wordsOf(threshold.metric);
  const { op, limit } = threshold;
  return {
    name: `${title}, in ${scopeName(threshold.scope)}`,
    value: observedText(threshold),
    next: `limit ${op} ${format(limit ?? 0)}`,
    ...toneOf(threshold),
  };
}

function latency(run: Shown): Figure | null {
  const threshold = nearest(run, 'p99_ms') ?? nearest(run, 'p95_ms');
  if (threshold) return judged(wordsOf(threshold.metric).name, threshold);
  const [slowest] = measuredOf(run).toSorted((a, b) => (b.latency_ms?.p99 ?? 0) - (a.latency_ms?.p99 ?? 0));
  if (!slowest?.latency_ms) return null;
  return {
    name: `p99, in ${slowest.name}`,
    value: latencyText(slowest.latency_ms, 'p99'),
    next: 'the highest of all phases; no limit',
  };
}

/** The failure rate of the phase with the most failures, whether or not it is judged. */
function failures(run: Shown): Figure | null {
  const [worst] = measuredOf(run).toSorted((a, b) => (b.failure_rate ?? 0) - (a.failure_rate ?? 0));
  if (!worst || worst.failure_rate === null) return null;
  const threshold = nearest(run, 'failure_rate', worst.name);
  if (threshold) return judged('Failure rate', threshold);
  if (worst.failure_rate === 0) {
    const other = nearest(run, 'failure_rate');
    if (other) return judged('Failure rate', other);
  }
  const { name, failed, requests, failure_rate } = worst;
  return {
    name: `Failure rate, in ${name}`,
    value: percent(failure_rate),
    next: `${number(failed)} of ${number(requests)} requests; no limit`,
  };
}

function recovery({ findings, thresholds }: Shown): Figure | null {
  const found = findings.find(({ kind }) => kind === 'recovery');
  if (!found || found.confidence === 'inconclusive') return null;
  const { recovery_s: after = null, observed_s: within = null, normal_p99_ms: normal = null } = found.figures;
  const threshold = thresholds.find(({ metric }) => metric === 'recovery_s');
  const limit = threshold?.limit ?? null;
  return {
    name: `Time to recover, after ${found.phase ?? 'it'}`,
    value: after === null ? `> ${duration(within)}` : duration(after),
    next: limit === null ? `to p99 <= ${milliseconds(normal)}; no limit` : `limit ${duration(limit)}`,
    ...(threshold ? toneOf(threshold) : after === null && { tone: 'fail' }),
  };
}
