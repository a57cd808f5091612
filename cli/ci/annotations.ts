/** What a pipeline shows next to the change that it was started by: the verdict, and each finding that says something. */

export interface Annotation {
  level: 'error' | 'warning' | 'notice';
  title: string;
  message: string;
}

/** @returns the verdict's first */
export function annotationsOfRun({
  test,
  testid,
  verdict,
  findings,
}: import('../../analysis/judge/run.ts').Run): Annotation[] {
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
        ({ kind, subject, phase, statement }): Annotation => ({
          // What a run passes with is no warning: an objective is how to make it one.
          level: passed ? 'notice' : 'warning',
          title: `${kind}: ${subject}${phase === null ? '' : ` in ${phase}`}`,
          message: statement,
        }),
      ),
  ];
}

export function annotationsOfComparison({
  base,
  verdict,
}: import('../../analysis/compare/comparison.ts').Comparison): Annotation[] {
  return [
    {
      level: verdict.exit_code === 0 ? 'notice' : 'error',
      title: `compared with ${base.given}: ${verdict.outcome}`,
      message: verdict.reasons.join('\n'),
    },
  ];
}
