/** How long may a call take before a timeout ends it, and does progress keep it alive? */
import { ConfigError } from '../../contract/config-error.js';
import { parseDuration } from '../../contract/duration.js';
import { defineTest } from '../../lib/test.js';
import { workload } from '../../workloads/long-calls.js';

/**
 * lengthsS: call durations if CALL_DURATIONS is not set; calls: number of calls per duration, both with and
 * without progress; retries: number of calls that are abandoned and retried
 */
const PROFILES = {
  smoke: { lengthsS: [1, 5], calls: 2, retries: 1 },
  quick: { lengthsS: [1, 10, 30, 61, 125], calls: 3, retries: 2 },
  full: { lengthsS: [1, 10, 30, 61, 125, 300], calls: 5, retries: 5 },
};

/** Allowance for a call beyond its length. */
const MARGIN_S = 2;
/** Time limit of an answer, beyond the length of the longest call. */
const TIMEOUT_S = 60;
/**
 * Length of the abandoned and retried call, the time until its client gives up, and the time until it
 * retries.
 */
const RETRIED_S = 4;
const GIVE_UP_S = 1.5;
const RETRY_S = 2;
/** A retry may have to wait for the first call. */
const RETRY_LENGTH_S = 2 * RETRIED_S;

/**
 * @param {import('../../contract/profiles.js').ProfileName} profile
 * @returns {number[]} seconds, in rising order
 */
function lengthsOf(profile) {
  const asked = (__ENV.CALL_DURATIONS ?? '').split(',').flatMap((text) => parseDuration(text.trim()) ?? []);
  const lengths = asked.length > 0 ? asked : PROFILES[profile].lengthsS;
  return [...new Set(lengths)].sort((a, b) => a - b);
}

/**
 * @param {import('../../contract/profiles.js').ProfileName} profile
 * @returns {import('../../lib/phases.js').Phase[]}
 */
function phasesOf(profile) {
  const { calls, retries } = PROFILES[profile];
  /** @param {string} name @param {number} vus @param {number} lengthS @param {object} labels */
  const phase = (name, vus, lengthS, labels) => ({
    ...{ name, vus, iterations: vus, duration: `${lengthS}s`, labels },
  });
  const lengths = lengthsOf(profile);
  if (__ENV.ARGS && !__ENV.ARGS.includes('SECONDS') && lengths.length > 1)
    throw new ConfigError(
      'ARGS does not set how long a call takes; valid: SECONDS or MILLISECONDS as a value, or a single CALL_DURATIONS',
    );
  const rounds = Array.from({ length: retries }, (_, index) => index + 1);
  const retried = { seconds: RETRIED_S, give_up_s: GIVE_UP_S };
  return [
    ...rounds.flatMap((round) => [
      { ...phase(`alone-${round}`, 1, RETRIED_S + 1, retried), operation: 'silent' },
      {
        ...phase(`given-up-${round}`, 1, RETRY_S, retried),
        ...{ operation: 'given_up', overload: /** @type {const} */ (true) },
      },
      { ...phase(`retried-${round}`, 1, RETRY_LENGTH_S, retried), operation: 'silent' },
    ]),
    ...lengths.map((seconds) => ({
      ...phase(`${seconds}s`, 2 * calls, seconds + MARGIN_S, { seconds }),
      mix: 'both',
    })),
  ];
}

export const { options, setup, iterate, teardown } = defineTest({
  name: 'long-calls',
  title: 'calls of increasing duration, with and without progress',
  group: 'protocol and access',
  about:
    'calls of `CALL_DURATIONS` (1 s to 5 min), with and without progress: which calls are answered, after what time the others are cut off, and whether a retry repeats the work',
  judgedBy: 'failures < 1%',
  servers: 'any',
  workload: workload(__ENV, `${GIVE_UP_S}s`),
  mix: 'all',
  timed: true,
  timeoutS: (profile) => Math.max(...lengthsOf(profile)) + TIMEOUT_S,
  phasesOf,
  asWritten: true,
  warmUp: 'none',
  objectives: { each: { failure_rate: 0.01 } },
});
