/**
 * A finding that is for the reader to know, and no more than that.
 *
 * @param {string} subject
 * @param {string} statement one sentence
 * @param {Partial<import('./findings.js').Finding>} [rest]
 * @returns {import('./findings.js').Finding}
 */
export function note(subject, statement, rest = {}) {
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
