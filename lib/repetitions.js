/**
 * A test that is repeated: `repetitions: 3` in its definition makes each of its phases, or steps, three times, one
 * round after the other. Which one it is, is in the label `repetition`.
 *
 * @template {{name: string, once?: true, quick?: number, labels?: import('./phases.js').Labels}} T
 * @param {T[]} shape
 * @param {number | undefined} repetitions undefined: the test is none of these
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
