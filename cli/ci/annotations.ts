/** Annotations that a pipeline shows next to the change: the verdict and the relevant findings. */

export interface Annotation {
  level: 'error' | 'warning' | 'notice';
  title: string;
  message: string;
}

/** @returns the annotations, the verdict first */
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
      .filter(({ kind, confidence }) => kind !== 'note' && confidence !== 'inconclusive')
      .map(
        ({ kind, subject, phase, statement }): Annotation => ({
          // Findings of a passed run are not warnings: use an objective for that.
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
