/** Finds operations with a much higher latency than the others, which determine the latency of the mix. */
import { counted, milliseconds, number, percent } from '../../contract/units.js';
import { withBaselines } from '../bottleneck/compared-phases.ts';
import { type Group, inScope, latenciesOf } from '../collect/groups.ts';
import type { SparseHistogram } from '../collect/sparse-histogram.ts';
import type { Phase } from '../judge/phases.ts';
import { SLOW_OPERATION } from '../limits.ts';
import { round } from '../round.ts';
import { binomialTail } from '../statistics/binomial.ts';
import type { Finding } from './finding.ts';
import type { Known } from './known.ts';
import { note } from './note.ts';

/** Percentiles are accurate to 0.1 %. */
const BELOW = 0.998;

type Facts = Pick<Known, 'plan' | 'phases' | 'groups'>;

/**
 * @returns a finding about an operation that is always slow, and one about an operation that became slow
 *   while the others did not
 */
export function slowOperation(known: Facts): Finding[] {
  return [...alwaysSlow(known), ...aloneSlow(known)];
}

/** @returns a finding about the first measured phase */
function alwaysSlow({ phases, groups, plan }: Facts): Finding[] {
  const phase = phases.find(({ measured, overload }) => measured && !overload);
  if (!phase) return [];
  const operations = latenciesIn(phase, { groups, plan });
  const mix = latenciesOf(inScope(groups, { phase: phase.name })).all;
  const p99 = mix.percentile(0.99);
  return operations.flatMap(({ operation, all }) => {
    // Refusals are fast.
    const others = latenciesOf(groupsOfOthers(phase, operation, { groups, plan })).of('ok');
    const [own, rest] = [all.percentile(0.5), others.percentile(0.5)];
    if (all.count < SLOW_OPERATION.minAnswers || others.count < SLOW_OPERATION.minAnswers) return [];
    if (
      own === null ||
      rest === null ||
      p99 === null ||
      own < Math.max(SLOW_OPERATION.factor * rest, rest + SLOW_OPERATION.minMs)
    )
      return [];
    const slow = mix.countOver(p99 * BELOW);
    const ownSlow = all.countOver(p99 * BELOW);
    const isIts = ownSlow >= SLOW_OPERATION.minOfSlow * slow;
    const times = Math.round(own / rest);
    return [
      note(
        'operation',
        `${operation} takes ${milliseconds(own)} at p50, ${number(times)} x the others (${milliseconds(rest)})` +
          (isIts ? `, and causes the p99 of ${phase.name} (${milliseconds(p99)})` : ''),
        {
          phase: phase.name,
          operation,
          figures: { p50_ms: round(own), others_p50_ms: round(rest) },
          evidence: [
            `${number(ownSlow)} of the ${counted(slow, 'call')} at or above that p99 are ${operation} calls`,
          ],
        },
      ),
    ];
  });
}

/** @returns a finding about the first phase in which exactly one operation left its normal range */
function aloneSlow({ phases, groups, plan }: Facts): Finding[] {
  for (const { phase, baseline } of withBaselines(plan, phases)) {
    if (!baseline) continue;
    const compared = latenciesIn(phase, { groups, plan }).flatMap(({ operation, all }) => {
      const usual = latenciesOf(inScope(groups, { phase: baseline.name, operation })).all;
      const limit = (usual.percentile(0.95) ?? Number.NaN) * SLOW_OPERATION.slowFactor;
      const slow = all.countOver(limit);
      return usual.count >= SLOW_OPERATION.minAnswers && all.count >= SLOW_OPERATION.minAnswers
        ? [{ operation, all, usual, slow }]
        : [];
    });
    const chanceOf = (slow: number, calls: number) =>
      compared.length * binomialTail(slow, calls, SLOW_OPERATION.slowShare);
    const slowed = compared.filter(({ slow, all }) => chanceOf(slow, all.count) < SLOW_OPERATION.maxChance);
    const [only] = slowed;
    if (slowed.length !== 1 || !only || compared.length < 2) continue;
    const others = compared.filter((one) => one !== only);
    const maxOtherShare = Math.max(...others.map(shareOf));
    if (maxOtherShare > SLOW_OPERATION.slowShare || shareOf(only) < SLOW_OPERATION.minAhead * maxOtherShare)
      continue;
    const [slow, calls] = [sumOf(others, (one) => one.slow), sumOf(others, ({ all }) => all.count)];
    const [from, to] = [p95Of(only.usual), p95Of(only.all)];
    return [
      note(
        'operation',
        `${only.operation} alone became slow in ${phase.name}: p95 ${milliseconds(from)} -> ${milliseconds(to)}; ` +
          `${percent(slow / calls)} of the other operations' calls left their normal range`,
        {
          phase: phase.name,
          operation: only.operation,
          figures: { p95_ms: round(to), baseline_p95_ms: round(from) },
        },
      ),
    ];
  }
  return [];
}

const shareOf = ({ slow, all }: { slow: number; all: SparseHistogram }): number => slow / all.count;

const sumOf = <T>(all: readonly T[], count: (one: T) => number) =>
  all.reduce((sum, one) => sum + count(one), 0);

const p95Of = (all: SparseHistogram): number => all.percentile(0.95) ?? Number.NaN;

/** @returns the latencies of the plan's operations with calls in this phase */
const latenciesIn = ({ name }: Phase, { groups, plan }: Omit<Facts, 'phases'>) =>
  plan.operations.flatMap(({ operation }) => {
    const { all } = latenciesOf(inScope(groups, { phase: name, operation }));
    return all.count > 0 ? [{ operation, all }] : [];
  });

const groupsOfOthers = (
  { name }: Phase,
  operation: string,
  { groups, plan }: Omit<Facts, 'phases'>,
): Group[] =>
  plan.operations
    .filter((one) => one.operation !== operation)
    .flatMap((one) => inScope(groups, { phase: name, operation: one.operation }));
