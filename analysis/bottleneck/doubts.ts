/** Reasons to be less confident that a resource limited the run. */
import { number } from '../../contract/units.js';
import { BOTTLENECK } from '../limits.ts';
import type { Case, Suspect } from './bottleneck.ts';

/**
 * @param others other unexplained suspects, by descending weight
 * @returns the doubts; each lowers the confidence by one level
 */
export function doubtsOf(
  first: Suspect,
  [second]: Suspect[],
  { breakage: { baseline, onsetS, way }, nearly }: Case,
): string[] {
  const doubts = [];
  if (nearly < 1) doubts.push('no resource was at its limit; this one was the closest');
  if (!baseline) doubts.push('there is no earlier phase to compare with');
  if (first.held.some(({ source }) => source === 'connections'))
    doubts.push("inferred from the server's connections, which are observed externally");
  if (first.missing.length > 0) doubts.push(`no samples of ${first.missing.join(', ')}`);
  // Failures do not necessarily affect p99.
  const rho = way === 'failures' ? null : strengthOf(first);
  if (rho !== null && rho < BOTTLENECK.minCorrelation)
    doubts.push(
      `at a given load, the rank correlation with p99 is only ${number(rho, 2)} (minimum: ${BOTTLENECK.minCorrelation})`,
    );
  if (first.firstS === null || first.firstS > onsetS + BOTTLENECK.lateS) {
    doubts.push('the limit was reached only after the run degraded');
  }
  if (second && second.weight > first.weight - BOTTLENECK.minLead) {
    doubts.push(`${second.resource.subject} is nearly as likely`);
  }
  return doubts;
}

/** @returns the rank correlation with p99; positive if p99 rises as the reading gets worse */
function strengthOf({ correlation, held }: Suspect): number | null {
  if (!correlation) return null;
  const reading = held.find((one) => one.reading.series === correlation.series)?.reading;
  const falls = reading?.share !== undefined || reading?.fallen !== undefined;
  return falls ? -correlation.rho : correlation.rho;
}
