/**
 * A profile defines how long a test may take. It scales durations and, for smoke, rates. It never changes
 * what is measured or judged.
 *
 * @typedef {object} Profile
 * @property {string} about one line for `make help-all`
 * @property {number} warmUpS length of the warm-up, seconds
 * @property {number | null} measuredS total length of the measured phases, seconds; null = as defined in the
 *   test
 * @property {number} rate multiplier of arrival rates
 * @property {number} iterations multiplier of the calls and pauses of a sequence
 * @property {boolean} repeats whether a test's `repetitions` apply
 * @property {boolean} slowCalls whether steps with slow calls (seconds each) make all their calls in each repetition
 */

/** @typedef {'smoke' | 'quick' | 'full'} ProfileName */

/** @type {Record<ProfileName, Profile>} */
export const profiles = {
  smoke: {
    about: 'about half a minute at a fifth of the rate, to check that everything works',
    warmUpS: 3,
    measuredS: 30,
    rate: 0.2,
    iterations: 0.1,
    repeats: false,
    slowCalls: false,
  },
  quick: {
    about: 'about two minutes at the full rate',
    warmUpS: 10,
    measuredS: 120,
    rate: 1,
    iterations: 1,
    repeats: true,
    slowCalls: false,
  },
  full: {
    about: 'durations and rates of the benchmark documents',
    warmUpS: 30,
    measuredS: null,
    rate: 1,
    iterations: 1,
    repeats: true,
    slowCalls: true,
  },
};
