/** The line of a finding's evidence that recommends an action. */

const HELPS = 'remedy: ';

/** @returns a line for the end of the evidence */
export const remedy = (hint: string): string => `${HELPS}${hint}`;

/** @returns the evidence without the recommendation, and the recommendation */
export function withoutRemedy(evidence: readonly string[]): { evidence: string[]; remedy: string | null } {
  const found = evidence.find((text) => text.startsWith(HELPS)) ?? null;
  return { evidence: evidence.filter((text) => text !== found), remedy: found };
}
