/** The parts of a run in which nothing is varied, and their blocks: what changes in them does so by itself. */

import type { Timeline } from '../collect/timeline.ts';
import { loadOf, type Phase } from '../judge/phases.ts';
import { DRIFT } from '../limits.ts';
import type { Known } from './known.ts';

/** Phases, one after the other, that nothing tells apart. */
export interface Stretch {
  phases: string[];
  /** Unix time. */
  fromS: number;
  toS: number;
}

type Block = { fromS: number; toS: number };

/** Phases that follow each other this closely have nothing between them. */
const SAME_S = 1;

/** @returns measured phases of one load, mix and labels; a peak is none */
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

/** @returns what the phase calls */
function callsOf({ name }: Phase, plan: Known['plan']) {
  const { operation, weights } = plan.phases.find((one) => one.name === name) ?? {};
  return [operation, weights];
}

/** @returns the same for phases that differ in nothing but their load */
export const steadyKey = (phase: Phase, plan: Known['plan']): string =>
  JSON.stringify([phase.offered_rps === null, phase.labels, callsOf(phase, plan)]);

/** @returns seconds, at least */
export const blockLength = (stepS: number): number => Math.max(DRIFT.minBlockS, DRIFT.minBlockPoints * stepS);

/** @returns of equal length, without what settles first */
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
