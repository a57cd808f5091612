/** The four figures of a run, of what was judged, each next to its limit. None of them is a last value. */
import { duration, milliseconds, number, percent, perSecond } from '../../contract/units.js';
import type { Figure, Tone } from '../../page/model.ts';
import type { Run } from '../run.js';
import { scopeName, type Threshold, wordsOf } from '../thresholds.js';

type Shown = Pick<Run, 'phases' | 'thresholds' | 'findings'>;

export const figuresOf = (run: Shown): Figure[] =>
  [peakRate(run), latency(run), failures(run), recovery(run)].filter((figure) => figure !== null);

const TONES: Partial<Record<Threshold['outcome'], Tone>> = { fail: 'fail', invalid: 'invalid', pass: 'pass' };
const toneOf = (threshold: Threshold | undefined) => {
  const tone = threshold && TONES[threshold.outcome];
  return tone && { tone };
};

const measuredOf = ({ phases }: Shown) =>
  phases.filter(({ measured, requests }) => measured && requests !== null);

function peakRate(run: Shown): Figure | null {
  const rateOf = (phase: Run['phases'][number]) => phase.offered_rps ?? phase.achieved_rps ?? 0;
  const [peak] = measuredOf(run).toSorted((a, b) => rateOf(b) - rateOf(a));
  if (!peak) return null;
  const { name, offered_rps: target, achieved_rps: achieved } = peak;
  const delivered = run.thresholds.find(
    ({ scope, metric }) => scope.phase === name && metric === 'delivered_share',
  );
  return {
    name: `Peak rate, in ${name}`,
    value: perSecond(achieved),
    next: target === null ? 'no target: as fast as its users are answered' : `target ${perSecond(target)}`,
    ...toneOf(delivered),
  };
}

/** Of a metric, what came nearest to its limit, or went furthest beyond. */
function nearest({ thresholds }: Shown, metric: string): Threshold | undefined {
  const share = ({ observed, limit }: Threshold) => (observed ?? 0) / (limit || Number.MIN_VALUE);
  return thresholds
    .filter((one) => one.metric === metric && one.relative_to === null && one.limit !== null)
    .toSorted((a, b) => share(b) - share(a))[0];
}

function judged(title: string, threshold: Threshold): Figure {
  const { format } = wordsOf(threshold.metric);
  const { observed, op, limit } = threshold;
  return {
    name: `${title}, in ${scopeName(threshold.scope)}`,
    value: observed === null ? '-' : format(observed),
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
    value: milliseconds(slowest.latency_ms.p99),
    next: 'the highest of all phases; no limit',
  };
}

function failures(run: Shown): Figure | null {
  const threshold = nearest(run, 'failure_share');
  if (threshold) return judged('Failure rate', threshold);
  const measured = measuredOf(run);
  const [requests, failed] = [sum(measured, 'requests'), sum(measured, 'failed')];
  if (requests === 0) return null;
  return {
    name: 'Failure rate',
    value: percent(failed / requests),
    next: `${number(failed)} of ${number(requests)} requests; no limit`,
  };
}

const sum = (phases: Run['phases'], figure: 'requests' | 'failed') =>
  phases.reduce((total, phase) => total + (phase[figure] ?? 0), 0);

function recovery({ findings, thresholds }: Shown): Figure | null {
  const found = findings.find(({ kind }) => kind === 'recovery');
  if (!found) return null;
  const { recovery_s: after = null, observed_s: within = null, band_p99_ms: band = null } = found.figures;
  const threshold = thresholds.find(({ metric }) => metric === 'recovery_s');
  const limit = threshold?.limit ?? null;
  return {
    name: `Time to recover, after ${found.phase ?? 'it'}`,
    value: after === null ? `> ${duration(within)}` : duration(after),
    next: limit === null ? `to p99 <= ${milliseconds(band)}; no limit` : `limit ${duration(limit)}`,
    ...(threshold ? toneOf(threshold) : after === null && { tone: 'fail' }),
  };
}
