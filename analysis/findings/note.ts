import type { Finding } from './finding.ts';

/** A finding that is for the reader to know, and no more than that. @param statement one sentence */
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
