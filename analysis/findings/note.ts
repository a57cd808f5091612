import type { Finding } from './finding.ts';

/** A finding that only informs and has no effect on the verdict. @param statement one sentence */
export function note(subject: string, statement: string, rest: Partial<Finding> = {}): Finding {
  return {
    kind: 'note',
    subject,
    phase: null,
    confidence: 'high',
    statement,
    figures: {},
    evidence: [],
    ...rest,
  };
}

/** Tells whether a finding is a note of the test itself: what the test is run to find out. */
export const isOwnNote = ({ kind, subject }: Finding, test: string | null | undefined): boolean =>
  kind === 'note' && subject === test;
