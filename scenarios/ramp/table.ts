/** `make ramp`: the result of each step of the load, and the last step that held. */

import { signalMean } from '../../analysis/collect/signals.ts';
import type { Finding } from '../../analysis/findings/finding.ts';
import { note } from '../../analysis/findings/note.ts';
import type { Phase } from '../../analysis/judge/phases.ts';
import { NORMAL, TRUST } from '../../analysis/limits.ts';
import { round } from '../../analysis/round.ts';
import { fitScalabilityLaw } from '../../analysis/statistics/scalability-law.ts';
import { type Built, type Column, type Facts, tableOf } from '../../analysis/tables/report-tables.ts';
import { milliseconds, number, percent, perSecond } from '../../contract/units.js';

const P99_MS = 320;
const FAILURE_SHARE = 0.001;
/** Steps with a higher failure rate are not comparable. */
const MAX_FAILED = 0.1;

export default function ramp({ plan, phases, signals }: Facts): Built {
  const steps = phases.filter((phase) => phase.measured && phase.iterations !== null);
  const planned = new Map(plan.phases.map((phase) => [phase.name, phase.duration_s]));
  const judged = steps.map((phase) => {
    const expected = (phase.offered_rps ?? 0) * (planned.get(phase.name) ?? phase.duration_s);
    const delivered = expected > 0 ? (phase.iterations ?? 0) / expected : null;
    return { phase, delivered, missed: missedBy(phase, delivered) };
  });
  const since = (start: string | null) =>
    start !== null && steps[0]?.start ? (Date.parse(start) - Date.parse(steps[0].start)) / 1000 : null;
  const columns: Column<(typeof judged)[number]>[] = [
    { name: 'from', unit: 's', of: ({ phase }) => since(phase.start) },
    { name: 'offered', unit: 'per_s', of: ({ phase }) => phase.offered_rps },
    { name: 'achieved', unit: 'per_s', of: ({ phase }) => phase.achieved_rps },
    { name: 'delivered', unit: 'ratio', of: ({ delivered }) => delivered },
    { name: 'p50', unit: 'ms', of: ({ phase }) => phase.latency_ms?.p50 ?? null },
    { name: 'p99', unit: 'ms', of: ({ phase }) => phase.latency_ms?.p99 ?? null },
    { name: 'failed', unit: 'ratio', of: ({ phase }) => phase.failure_rate },
    { name: 'target CPU', unit: 'ratio', of: ({ phase }) => signalMean(signals, 'cpu', phase.name) },
    { name: 'host CPU', unit: 'ratio', of: ({ phase }) => signalMean(signals, 'host_cpu', phase.name) },
    { name: 'gen. CPU', unit: 'ratio', of: ({ phase }) => signalMean(signals, 'generator_cpu', phase.name) },
    { name: 'holds', unit: 'text', of: ({ missed }) => (missed.length === 0 ? 'yes' : 'no') },
  ];
  const notes = [
    `A step holds if ${percent(TRUST.minDelivered)} of its load is delivered, p99 (with at least ${NORMAL.minP99Calls} answers) is below ${milliseconds(P99_MS)} and failures are below ${percent(FAILURE_SHARE)}. CPU is a share of the whole machine.`,
    'Steps follow each other without a pause: after the first step that does not hold, later steps start with a backlog.',
  ];
  // Only steps before the first broken step count, because a later step may hold by chance.
  const firstBroken = judged.findIndex(({ missed }) => missed.length > 0);
  const held = firstBroken < 0 ? judged.at(-1) : judged[firstBroken - 1];
  const broken = judged[firstBroken];
  const [heldRps = null, brokenRps = null] = [held, broken].map((step) => step?.phase.offered_rps ?? null);
  const finding = note(
    'ramp',
    `${held ? `held up to ${perSecond(heldRps)}` : 'no step held'}` +
      `${broken ? `; ${perSecond(brokenRps)} did not: ${broken.missed.join(', ')}` : ', the last step'}` +
      `${broken && held ? ' (make capacity finds the rate between them)' : ''}`,
    { figures: { held_rps: heldRps, broken_rps: brokenRps } },
  );
  return {
    tables: [tableOf('Ramp', judged, columns, notes)],
    findings: [finding, ...scalability(steps)],
  };
}

/**
 * @returns a finding on the effect of more concurrent calls; none if the steps do not fit the scalability law
 */
function scalability(steps: Phase[]): Finding[] {
  const points = steps.flatMap(({ achieved_rps: rate, latency_ms: latency, failure_rate: failed }) =>
    rate && latency && !latency.at_least && (failed ?? 0) < MAX_FAILED
      ? [{ rate, stayS: latency.avg / 1000 }]
      : [],
  );
  const law = fitScalabilityLaw(points);
  if (!law) return [];
  const { rate, contention, coherence, error, peak } = law;
  if (!peak && contention <= error.contention) return [];
  const statement = peak
    ? `peaks at about ${perSecond(peak.rate)} with ${number(round(peak.calls, 0))} concurrent calls, and slows down with more`
    : `approaches ${perSecond(rate / contention)} with any number of concurrent calls: ${percent(contention)} of the work on a call is serialized`;
  return [
    note('scalability', statement, {
      figures: {
        contention_ratio: round(contention, 4),
        coherence_ratio: round(coherence, 7),
        peak_rps: peak ? round(peak.rate, 1) : null,
        peak_calls: peak ? round(peak.calls, 1) : null,
      },
      evidence: [
        `universal scalability law, fitted to ${points.length} steps: contention ${number(contention, 3)} +-${number(error.contention, 3)}, coherence ${coherence.toExponential(1)} +-${error.coherence.toExponential(1)}`,
      ],
    }),
  ];
}

/** @returns why the step did not hold, as text */
function missedBy(
  { latency_ms: latency, answered, failure_rate }: Phase,
  delivered: number | null,
): string[] {
  const p99 = (answered ?? 0) < NORMAL.minP99Calls ? null : (latency?.p99 ?? null);
  return [
    delivered !== null && delivered < TRUST.minDelivered ? `${percent(delivered)} delivered` : null,
    p99 === null ? 'too few answers for a p99' : p99 >= P99_MS ? `p99 ${milliseconds(p99)}` : null,
    (failure_rate ?? 0) >= FAILURE_SHARE ? `${percent(failure_rate)} failed` : null,
  ].filter((reason) => reason !== null);
}
