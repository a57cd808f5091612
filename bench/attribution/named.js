import { CONCURRENCY } from '../../analysis/bottleneck/no-suspect.ts';
import { RESOURCES } from '../../analysis/bottleneck/resources.ts';

/** The result if no bottleneck is named. */
export const NOTHING = 'none';
export const UNKNOWN = 'inconclusive';

/**
 * @param {Pick<import('../../analysis/findings/finding.ts').Finding, 'subject' | 'statement'>} finding bottleneck
 * finding
 * @param {boolean} withCause
 * @returns {string} the id of the resource that the finding names, with the cause in parentheses; or UNKNOWN
 */
export function named({ subject, statement }, withCause) {
  if (subject === CONCURRENCY) return 'concurrency';
  const resource = RESOURCES.find((one) => one.subject === subject);
  if (!resource) return UNKNOWN;
  const cause = resource.causes.find(({ id }) => statement.includes(` (${id})`))?.id;
  return withCause ? `${resource.id} (${cause})` : resource.id;
}
