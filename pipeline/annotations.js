/** What a pipeline shows beside the change that it was started by: the verdict, and each finding that says something. */

/**
 * @typedef {object} Annotation
 * @property {'error' | 'warning' | 'notice'} level
 * @property {string} title
 * @property {string} message
 */

/**
 * @param {import('../analysis/run.js').Run} run
 * @returns {Annotation[]} the verdict's first
 */
export function annotationsOfRun({ test, testid, verdict, findings }) {
  const passed = verdict.outcome === 'pass';
  return [
    {
      level: passed ? 'notice' : 'error',
      title: `load test ${test ?? testid}: ${verdict.outcome}`,
      message: verdict.reasons.join('\n'),
    },
    ...findings
      .filter(({ kind, confidence }) => kind !== 'note' && confidence !== 'not_enough_to_tell')
      .map(
        ({ kind, subject, phase, statement }) =>
          /** @type {Annotation} */ ({
            // What a run passes with is no warning: an objective is how to make it one.
            level: passed ? 'notice' : 'warning',
            title: `${kind}: ${subject}${phase === null ? '' : ` in ${phase}`}`,
            message: statement,
          }),
      ),
  ];
}

/**
 * @param {import('../analysis/compare/comparison.js').Comparison} comparison
 * @returns {Annotation[]}
 */
export function annotationsOfComparison({ base, verdict }) {
  return [
    {
      level: verdict.exit_code === 0 ? 'notice' : 'error',
      title: `compared with ${base.given}: ${verdict.outcome}`,
      message: verdict.reasons.join('\n'),
    },
  ];
}
