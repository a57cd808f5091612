/** The line of a finding's evidence that says what to do. */

const HELPS = 'what helps: ';

/** @param {string} hint @returns {string} the last line of evidence */
export const remedy = (hint) => `${HELPS}${hint}`;

/**
 * @param {readonly string[]} evidence
 * @returns {{evidence: string[], remedy: string | null}} what was seen, and what to do about it
 */
export function withoutRemedy(evidence) {
  const found = evidence.find((text) => text.startsWith(HELPS)) ?? null;
  return { evidence: evidence.filter((text) => text !== found), remedy: found };
}
