import type { Config } from '../../cli/trials/config.ts';
import type { Lab } from '../../cli/trials/lab.ts';
import { DEFAULT_RUNS, rounds } from '../../cli/trials/rounds.ts';
import type { TrialsModule } from '../../cli/trials/trials.ts';
import type { ProfileName } from '../../contract/profiles.js';
import { seededRandom } from '../../contract/seeded-random.js';
import { duration } from '../../contract/units.js';
import { checkedValues, neededSettings } from './settings.ts';
import type { variables } from './variables.ts';

type SweepConfig = Config<typeof variables>;

export interface SweepResult {
  setting: string;
  /** As given by the user. */
  values: string[];
  repeats: number;
  trialS: number;
  /** Other settings that all values need. */
  needed: Record<string, string>;
}

/** Length of one run, seconds. */
const TRIAL_S: Record<ProfileName, number> = { smoke: 4, quick: 15, full: 60 };
/** Approximate duration of a restart of the target. */
const RESTART_S = 5;
const DEFAULT_VUS = 50;

export function check({ SETTING, VALUES }: SweepConfig) {
  neededSettings(SETTING, checkedValues(SETTING, VALUES), process.env);
}

const trialSecondsOf = ({ DURATION, PROFILE }: SweepConfig) => DURATION ?? TRIAL_S[PROFILE];

export const nativeOnly = true;

export const lasts: TrialsModule<SweepConfig>['lasts'] = (config, trialS) =>
  checkedValues(config.SETTING, config.VALUES).length *
  (config.RUNS ?? DEFAULT_RUNS) *
  (RESTART_S + trialS({ DURATION: `${trialSecondsOf(config)}s` }));

/**
 * Restarts the reference target with each value, in rounds of random order, and applies the same load each
 * time.
 */
export default async function sweep(lab: Lab<SweepConfig, SweepResult>) {
  const { SETTING: setting, VALUES, RUNS, CONCURRENCY, SEED } = lab.config;
  const repeats = RUNS ?? DEFAULT_RUNS;
  const values = checkedValues(setting, VALUES);
  const trialS = trialSecondsOf(lab.config);
  const needed = neededSettings(setting, values, process.env);
  lab.result = { setting, values, repeats, trialS, needed };
  const env = {
    CONCURRENCY: String(CONCURRENCY ?? DEFAULT_VUS),
    DURATION: `${trialS}s`,
    // The server then decides whether to compress an answer.
    ACCEPT_ENCODING: 'gzip',
  };
  for (const [index, order] of rounds(values, repeats, seededRandom(SEED)).entries()) {
    lab.logProgress(`sweep: round ${index + 1} of ${repeats}, ${duration(trialS)} each: ${order.join(', ')}`);
    for (const value of order) {
      await lab.target({ ...needed, [setting]: value }, { fresh: true });
      const name = `v${values.indexOf(value) + 1}-r${index + 1}`;
      await lab.trial({ name, labels: { [setting]: value, round: index + 1 }, env });
    }
  }
}
