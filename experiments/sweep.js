import { seededRandom } from '../contract/seeded-random.js';
import { duration } from '../contract/units.js';
import { besides, valuesOf } from './knobs.js';
import { rounds, USUAL_RUNS } from './rounds.js';

/** Seconds of one run, by PROFILE. */
const TRIAL_S = /** @type {Record<string, number>} */ ({ smoke: 4, quick: 15, full: 60 });

/** What a restart of the target takes, about. */
const RESTART_S = 5;

/** @typedef {import('../analysis/tables/trial-results.ts').SweepResult} SweepResult */

/** @param {any} config */
export function check(config) {
  besides(config.KNOB, valuesOf(config.KNOB, config.VALUES), process.env);
}

/** Users. */
const USUAL_USERS = 50;

/** @type {import('./lasts.ts').Lasts} */
export const lasts = ({ KNOB, VALUES, RUNS, PROFILE, DURATION }, trialS) =>
  valuesOf(KNOB, VALUES).length *
  (RUNS ?? USUAL_RUNS) *
  (RESTART_S + trialS({ DURATION: `${DURATION ?? TRIAL_S[PROFILE]}s` }));

/** @param {import('./lab.js').Lab} lab */
export default async function sweep(lab) {
  const { KNOB: knob, VALUES: given, RUNS, CONCURRENCY, SEED: seed, PROFILE } = lab.config;
  const repeats = RUNS ?? USUAL_RUNS;
  const values = valuesOf(knob, given);
  const trialS = lab.config.DURATION ?? TRIAL_S[PROFILE] ?? 15;
  const beside = besides(knob, values, process.env);
  /** @type {SweepResult} */
  const result = { knob, values, repeats, trialS, beside };
  lab.result = result;
  const env = {
    CONCURRENCY: String(CONCURRENCY ?? USUAL_USERS),
    DURATION: `${trialS}s`,
    // Whether a client gets it compressed is then the server's to say.
    ACCEPT_ENCODING: 'gzip',
  };
  for (const [index, order] of rounds(values, repeats, seededRandom(seed)).entries()) {
    lab.say(`sweep: round ${index + 1} of ${repeats}, ${duration(trialS)} each: ${order.join(', ')}`);
    for (const value of order) {
      await lab.target({ ...beside, [knob]: value }, { fresh: true });
      const name = `v${values.indexOf(value) + 1}-r${index + 1}`;
      await lab.trial({ name, labels: { [knob]: value, round: index + 1 }, env });
    }
  }
}
