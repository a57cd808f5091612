/**
 * A profile says how long a test may take. It scales durations and, for smoke, rates; it never changes what is
 * measured or judged.
 *
 * @typedef {object} Profile
 * @property {string} about one line for `make help-all`
 * @property {number} warmUpS length of the warm-up, seconds
 * @property {number | null} measuredS length of all measured phases together, seconds; null = the test's own figures
 * @property {number} rate factor on arrival rates
 * @property {number} iterations factor on the calls, and the pauses, of a sequence
 * @property {boolean} repeats whether a test that is repeated is
 * @property {boolean} slowCalls whether all calls are made where each takes seconds, in each repetition
 */

/** @typedef {'smoke' | 'quick' | 'full'} ProfileName */

/** @type {Record<ProfileName, Profile>} */
export const profiles = {
  smoke: {
    about: 'about half a minute at a fifth of the rate: does it work at all',
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
    about: "the benchmark documents' own figures",
    warmUpS: 30,
    measuredS: null,
    rate: 1,
    iterations: 1,
    repeats: true,
    slowCalls: true,
  },
};
