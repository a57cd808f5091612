/**
 * Determines the verdict. The first of these applies: an error; a miss that the generator cannot have caused;
 * figures that are not trusted; a miss that is not chance; too little load or too few samples; a missed
 * objective; a pass.
 */
import { counted, number } from '../../contract/units.js';
import type { K6Log } from '../collect/k6-log.ts';
import type { Abort } from '../collect/measured.ts';
import type { Plan } from '../collect/plan.ts';
import { silentPhases } from '../findings/trust/silent-phases.ts';
import type { Distrust } from '../findings/trust.ts';
import { failedProbes, failedProbesText } from './failed-probes.ts';
import { ofPlanned, type Partial } from './partial.ts';
import type { Phase } from './phases.ts';
import type { Threshold } from './threshold.ts';

export interface Verdict {
  outcome: 'pass' | 'fail' | 'invalid' | 'error';
  exit_code: number;
  /** Whole sentences; the reason for the outcome comes first. */
  reasons: string[];
}

export interface Judged {
  k6Exit: number;
  partial: Partial | null;
  /** Why a test of several trials could not continue. */
  trialsError: string | null;
  log: K6Log;
  /** Why there is no summary. */
  summaryProblem: string | null;
  /** Why the script aborted the test. */
  abort?: Abort | null;
  plan: Plan | null;
  phases: Phase[];
  thresholds: Threshold[];
  distrust: Distrust;
}

export const PASS = 0;
export const INVALID = 98;
export const FAIL = 99;
/** k6's exit code if a signal stopped it and it could still write its summary. */
export const INTERRUPTED = 105;
/** Exit code for errors without an exit code of k6. */
const OTHER_ERROR = 1;

/** Descriptions of k6's exit codes. */
export const K6_EXIT = {
  97: 'cloud test failed',
  100: 'set-up timed out',
  101: 'teardown timed out',
  102: 'timed out',
  103: 'stopped through its REST API',
  104: 'invalid configuration',
  [INTERRUPTED]: 'interrupted by a signal',
  106: 'its REST API could not start',
  107: 'exception in the script',
  108: 'the script aborted the test',
  109: 'k6 crashed',
  110: 'the script marked the test as failed',
  130: 'interrupted',
  137: 'killed, for example because memory ran out',
  143: 'terminated',
} as Record<number, string>;

export function verdict(judged: Judged): Verdict {
  const errors = errorsOf(judged);
  if (errors) return { outcome: 'error', exit_code: errors.code, reasons: [errors.reason] };
  const { reasons, ...rest } = judgement(judged);
  const leftOut = judged.plan ? failedProbesText(failedProbes(judged.plan)) : '';
  return { ...rest, reasons: leftOut ? [...reasons, leftOut] : reasons };
}

/** @param judged must be a complete run */
function judgement(judged: Judged): Verdict {
  const { figures, missing } = invalidReasons(judged);
  const failed = failReasons(judged);
  const fail = (reasons: string[]) => ({ outcome: 'fail' as const, exit_code: FAIL, reasons });
  const invalid = (reasons: string[]) => ({ outcome: 'invalid' as const, exit_code: INVALID, reasons });
  if (judged.thresholds.some(({ outcome, proof }) => proof && outcome === 'fail'))
    return fail([...failed, ...figures, ...missing]);
  if (figures.length > 0) return invalid([...figures, ...missing, ...failed]);
  const isChance = judged.thresholds.every(
    ({ outcome, may_be_chance }) => outcome !== 'fail' || may_be_chance,
  );
  if (missing.length > 0 && isChance) return invalid([...missing, ...failed]);
  if (failed.length > 0) return fail([...failed, ...missing]);
  return { outcome: 'pass', exit_code: PASS, reasons: [passReason(judged)] };
}

function errorsOf({
  k6Exit,
  partial,
  trialsError,
  abort,
  log,
  summaryProblem,
}: Judged): { code: number; reason: string } | null {
  if (k6Exit === INTERRUPTED && partial && !trialsError)
    return {
      code: k6Exit,
      reason: `interrupted after ${ofPlanned(partial)}; the results cover the time until then`,
    };
  if (trialsError) return { code: OTHER_ERROR, reason: trialsError };
  if (abort && k6Exit !== 0) return abort;
  if (k6Exit !== 0 && k6Exit !== FAIL) {
    const words = K6_EXIT[k6Exit] ? ` (${K6_EXIT[k6Exit]})` : '';
    const last = log.lastLine ? `; last output: ${log.lastLine}` : '';
    return { code: k6Exit, reason: `k6 exited with code ${k6Exit}${words}${last}` };
  }
  if (summaryProblem)
    return { code: OTHER_ERROR, reason: `${summaryProblem}, although k6 exited with code ${k6Exit}` };
  return null;
}

/** @returns figures: why the figures are not trusted; missing: which load or samples were missing */
function invalidReasons({ phases, thresholds, distrust }: Judged): { figures: string[]; missing: string[] } {
  // Reported once, not for each objective of the phase.
  const silent = new Set(silentPhases(phases).map(({ name }) => name));
  const invalid = thresholds.filter(
    ({ outcome, scope }) => outcome === 'invalid' && !silent.has(scope.phase ?? ''),
  );
  const reasons = (byGenerator: boolean) =>
    invalid
      .filter(({ by_generator = false }) => by_generator === byGenerator)
      .map(({ reason }) => reason ?? '');
  return {
    figures: [...distrust.figures, ...reasons(true)],
    missing: [...distrust.load, ...reasons(false)],
  };
}

function failReasons({ k6Exit, plan, thresholds }: Judged): string[] {
  const reasons = thresholds.filter(({ outcome }) => outcome === 'fail').map(({ reason }) => reason ?? '');
  // A guard on the number of samples is a k6 threshold as well; its objective is already reported as invalid.
  const isExplained = thresholds.some(({ outcome }) => outcome === 'fail' || outcome === 'invalid');
  if (k6Exit === FAIL && !plan?.objectives_off && !isExplained) {
    reasons.push(`k6 reports a failed threshold (exit code ${FAIL}) that its summary does not show`);
  }
  return reasons;
}

function passReason({ plan, thresholds }: Judged): string {
  if (plan?.objectives_off) return 'measured, not judged: objectives are off';
  if (thresholds.length === 0) return 'measured, not judged: there are no objectives';
  const unjudged = thresholds.filter(({ ok }) => ok === null).length;
  const rest = unjudged > 0 ? `, ${number(unjudged)} could not be judged` : '';
  return `${counted(thresholds.length - unjudged, 'threshold')} held${rest}`;
}
