/**
 * Repeats a test: with `repetitions: 3` in its definition all its phases, or steps, run three times, one
 * round after the other. The label `repetition` has the number of the round.
 *
 * @template {{name: string, once?: true, quick?: number, labels?: import('./phases.js').Labels}} T
 * @param {T[]} shape
 * @param {number | undefined} repetitions undefined = the test is not repeated
 * @param {Pick<import('../contract/profiles.js').Profile, 'repeats' | 'slowCalls'>} profile
 * @returns {T[]}
 */
export function repeated(shape, repetitions, { repeats, slowCalls }) {
  if (repetitions === undefined) return shape;
  const rounds = Array.from({ length: repeats ? repetitions : 1 }, (_, index) => index + 1);
  return rounds.flatMap((repetition) =>
    shape
      .filter(({ once, quick }) => repetition === 1 || !(once || (quick !== undefined && !slowCalls)))
      .map((phase) =>
        phase.once
          ? phase
          : { ...phase, name: `${phase.name}-${repetition}`, labels: { ...phase.labels, repetition } },
      ),
  );
}
