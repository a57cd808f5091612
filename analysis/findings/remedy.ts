/** The line of a finding's evidence that says what to do. */

const HELPS = 'what helps: ';

/** @returns the last line of evidence */
export const remedy = (hint: string): string => `${HELPS}${hint}`;

/** @returns what was seen, and what to do about it */
export function withoutRemedy(evidence: readonly string[]): { evidence: string[]; remedy: string | null } {
  const found = evidence.find((text) => text.startsWith(HELPS)) ?? null;
  return { evidence: evidence.filter((text) => text !== found), remedy: found };
}
