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

/** @returns whether the note is the test's own result */
export const isOwnNote = ({ kind, subject }: Finding, test: string | null | undefined): boolean =>
  kind === 'note' && subject === test;
