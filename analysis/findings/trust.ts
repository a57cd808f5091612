/** Decides whether the run's figures can be trusted. Each rule is a reason with a recommendation. */
import type { Finding } from './finding.ts';
import type { Known } from './known.ts';
import { remedy } from './remedy.ts';
import { busyGenerator } from './trust/busy-generator.ts';
import { clockJumps } from './trust/clock-jumps.ts';
import type { Doubt } from './trust/doubt.ts';
import { exceptions } from './trust/exceptions.ts';
import { missingOperations } from './trust/missing-operations.ts';
import { otherProcesses } from './trust/other-processes.ts';
import { lostPushes } from './trust/remote-write.ts';
import { shortLoad } from './trust/short-load.ts';
import { silence } from './trust/silent-phases.ts';
import { type Span, spansOf } from './trust/spans.ts';
import { starvedGenerator } from './trust/starved-generator.ts';
import { unreconciled } from './trust/unreconciled.ts';

const RULES: ((known: Known, spans: Span[]) => Doubt[])[] = [
  exceptions,
  unreconciled,
  lostPushes,
  clockJumps,
  busyGenerator,
  starvedGenerator,
  otherProcesses,
  silence,
  shortLoad,
  missingOperations,
];

/** Why a run is invalid, each reason with a hint. */
export interface Distrust {
  /** The figures may be caused by the generator. */
  figures: string[];
  /** Some of the load is missing. */
  load: string[];
}

/** @returns the reasons, and findings that only inform */
export function distrust(known: Known): { reasons: Distrust; findings: Finding[] } {
  const spans = spansOf(known);
  const doubts = RULES.flatMap((rule) => rule(known, spans));
  const reasons = (of: Doubt['invalid']) =>
    doubts.filter(({ invalid }) => invalid === of).map(({ statement, hint }) => `${statement}; ${hint}`);
  return {
    reasons: { figures: reasons('figures'), load: reasons('load') },
    findings: doubts.map(({ invalid: _, hint, evidence = [], figures = {}, ...doubt }) => ({
      confidence: 'high' as const,
      figures,
      ...doubt,
      evidence: [...evidence, remedy(hint)],
    })),
  };
}
