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
  if (nearly < 1) doubts.push('nothing was at its limit: this was the nearest to it');
  if (!baseline) doubts.push('there is no phase to compare with: limits alone say it');
  if (first.held.some(({ source }) => source === 'connections'))
    doubts.push("it is inferred from the server's connections, observed externally");
  if (first.missing.length > 0) doubts.push(`no samples of ${first.missing.join(', ')}`);
  // Failures do not necessarily affect p99.
  const rho = way === 'failures' ? null : strengthOf(first);
  if (rho !== null && rho < BOTTLENECK.minCorrelation)
    doubts.push(
      `p99 hardly follows it at a given load (rank correlation ${number(rho, 2)}, from ${BOTTLENECK.minCorrelation} on it does)`,
    );
  if (first.firstS === null || first.firstS > onsetS + BOTTLENECK.lateS) {
    doubts.push('it was at its limit only after the run had broken');
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
