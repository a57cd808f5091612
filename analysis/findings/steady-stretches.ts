/**
 * Finds the parts of a run in which no setting changes, and cuts them into blocks. A change within them has
 * no external cause.
 */

import type { Timeline } from '../collect/timeline.ts';
import { loadOf, type Phase } from '../judge/phases.ts';
import { DRIFT } from '../limits.ts';
import type { Known } from './known.ts';

/** Consecutive phases with the same settings. */
export interface Stretch {
  phases: string[];
  /** Unix time. */
  fromS: number;
  toS: number;
}

type Block = { fromS: number; toS: number };

/** Phases with a shorter gap count as consecutive. */
const SAME_S = 1;

/** @returns stretches of measured phases with the same load, mix and labels, without peaks */
export function steadyStretches({ plan, phases }: Pick<Known, 'plan' | 'phases'>): Stretch[] {
  const stretches: (Stretch & { key: string })[] = [];
  for (const phase of phases) {
    if (!phase.measured || phase.overload || phase.start === null || phase.end === null || !loadOf(phase))
      continue;
    const key = JSON.stringify([phase.offered_rps, phase.vus, phase.labels, callsOf(phase, plan)]);
    const [fromS, toS] = [Date.parse(phase.start) / 1000, Date.parse(phase.end) / 1000];
    const last = stretches.at(-1);
    if (last?.key === key && fromS - last.toS < SAME_S) {
      last.phases.push(phase.name);
      last.toS = toS;
    } else stretches.push({ phases: [phase.name], fromS, toS, key });
  }
  return stretches;
}

function callsOf({ name }: Phase, plan: Known['plan']) {
  const { operation, weights } = plan.phases.find((one) => one.name === name) ?? {};
  return [operation, weights];
}

/** @returns a key that is the same for phases that differ only in their load */
export const steadyKey = (phase: Phase, plan: Known['plan']): string =>
  JSON.stringify([phase.offered_rps === null, phase.labels, callsOf(phase, plan)]);

/** @returns minimum length in seconds */
export const blockLength = (stepS: number): number => Math.max(DRIFT.minBlockS, DRIFT.minBlockPoints * stepS);

/** @returns blocks of equal length, without the settling time at the beginning */
export function blocksOf({ fromS, toS }: Stretch, { step_s }: Pick<Timeline, 'step_s'>): Block[] {
  const settling = Math.min(
    DRIFT.maxSettlingS,
    Math.max(DRIFT.minSettlingS, DRIFT.settlingShare * (toS - fromS)),
  );
  const begin = fromS + settling;
  const count = Math.min(DRIFT.maxBlocks, Math.floor((toS - begin) / blockLength(step_s)));
  const length = (toS - begin) / count;
  return Array.from({ length: Math.max(0, count) }, (_, index) => ({
    fromS: begin + index * length,
    toS: begin + (index + 1) * length,
  }));
}
