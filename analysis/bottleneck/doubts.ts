/** What makes a resource that was found less sure to be what limited the run. */
import { number } from '../../contract/units.js';
import { BOTTLENECK } from '../limits.ts';
import type { Case, Suspect } from './bottleneck.ts';

/** @param others not explained either, the weightiest first @returns each takes a step of confidence */
export function doubtsOf(
  first: Suspect,
  [second]: Suspect[],
  { breakage: { baseline, onsetS, way }, nearly }: Case,
): string[] {
  const doubts = [];
  if (nearly < 1) doubts.push('nothing was at its limit: this was the nearest to it');
  if (!baseline) doubts.push('there is no phase to compare with: limits alone say it');
  if (first.held.some(({ source }) => source === 'connections'))
    doubts.push("it is inferred from the server's connections, seen from outside");
  if (first.missing.length > 0) doubts.push(`no samples of ${first.missing.join(', ')}`);
  // Failures may leave p99 as it is.
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

/** @returns its rank correlation with p99, above 0 if p99 rises as the reading gets worse */
function strengthOf({ correlation, held }: Suspect): number | null {
  if (!correlation) return null;
  const reading = held.find((one) => one.reading.series === correlation.series)?.reading;
  const falls = reading?.share !== undefined || reading?.fallen !== undefined;
  return falls ? -correlation.rho : correlation.rho;
}
