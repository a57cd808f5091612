/**
 * Composes a k6 test from workload, shape and objectives: the one function that every file in `scenarios/` calls.
 * This file and what it imports is what every virtual user evaluates; all else is in setup.js.
 */
import { sleep } from 'k6';
import exec from 'k6/execution';
import { offeredRps, phaseEndSeconds } from './metrics.js';
import { withSecrets } from './secret-source.js';
import { runSequence } from './sequence.js';
import { shareArguments } from './shared-arguments.js';
import { holdStreams } from './streams.js';
import { noteException, User } from './user.js';

/**
 * @typedef {object} TestDefinition
 * @property {string} name the file's name without `.js`
 * @property {string} title one line: the load
 * @property {string} [group] of tests, as docs/tests.md and `make help` list them (GROUPS in scripts/definitions.ts)
 * @property {string} [about] what it does, and by which variables: one line of Markdown
 * @property {string} [judgedBy] what it is judged by on the reference target: one line of Markdown
 * @property {import('../contract/servers.js').Servers} servers that it can load
 * @property {string} [does] what it does to the reference target, if it can load no other
 * @property {string[]} [covers] which parts of published benchmark documents it reproduces, as `document: heading`
 * @property {import('./workload.js').Workload} workload
 * @property {string} [mix] a mix of the workload, or one of its operations; without: the operations that the phases name
 * @property {import('./phases.js').Phase[]} [phases] in the figures of PROFILE=full
 * @property {(profile: import('../contract/profiles.js').ProfileName) => import('./phases.js').Phase[]} [phasesOf] instead: other ones in each profile
 * @property {true} [asWritten] the phases' durations and rates are no profile's to change
 * @property {string} [warmUp] k6 duration, instead of the profile's; 'none'; or 'every VU': as long as each of the first phase's needs for a call
 * @property {number} [repetitions] makes all of them so many times
 * @property {Sequence} [sequence] instead of phases: steps of one user, one after the other
 * @property {string} [prepare] an operation, called once before the load
 * @property {(document: import('./workload.js').WorkloadDocument) => FittedWorkload} [fit] what the phases call on a server
 *   that discovery looked at; those whose operation it has not are left out
 * @property {Omit<import('./phases.js').Phase, 'name'> & {objectives: Record<string, number>}} [eachOf] on such a server:
 *   instead of the phases, one like this for each of its operations
 * @property {string} [cleanUp] an operation, called once when the run is over, however it ends
 * @property {import('./objectives.js').Objectives} objectives of the benchmark document, for the reference target
 * @property {import('./objectives.js').Objectives} [anyServer] what any other server is judged by as well, compared with its first phase
 * @property {true} [observe] users look at the size of bodies and the keep-alive time of each call
 * @property {true} [newConnections] each call opens one
 * @property {true} [timed] its calls take as long as their phase's label `seconds` says: those of the workload, which calls TOOL with ARGS
 * @property {(profile: import('../contract/profiles.js').ProfileName) => number} [timeoutS] in place of the default of TARGET_TIMEOUT
 *
 * @typedef {object} FittedWorkload
 * @property {import('./workload.js').AnyWorkload} workload
 * @property {Record<string, string>} [calls] phase -> its operation, if that has another name
 * @property {string} [title] of the test on that server
 *
 * @typedef {{longest: string, steps: import('./phases.js').Step[]}} Sequence longest: k6 duration, then it is cut off
 *
 * @typedef {import('./phases.js').PlannedPhase} PlannedPhase
 *
 * @typedef {object} UserOperation what a user has to know of an operation, in addition to the functions in the workload
 * @property {string} operation
 * @property {string} method
 * @property {string} class
 * @property {string} params JSON: k6 hands on an object with its members in any order
 * @property {number} weight of 100
 * @property {string[] | {first: number, length: number}} [arguments] JSON texts, or which of the shared ones, used in
 *   turn
 * @property {true} [scripted] the workload has functions for it
 * @property {string} [member] of the parameters, where it is not `arguments` that vary
 * @property {Record<string, string>} [headers] Mcp-Param-<key> from the argument at that JSON pointer
 * @property {Record<string, string>} [request_headers] for example the user's
 * @property {number[]} [expect_status] of dialect rest: statuses that are no failure
 * @property {boolean} [progress] the server is asked for progress
 * @property {string} [abandon_after] k6 duration: its client gives up
 * @property {UserOperation[]} [calls] instead: these, one after the other
 *
 * @typedef {object} SetupData all that set-up hands to the users; no secrets, for k6 shows it
 * @property {import('./credentials.js').UserOptions} client
 * @property {number} startedMs the zero of the phases, milliseconds since the epoch
 * @property {number} seed
 * @property {Record<string, PlannedPhase>} phases by name
 * @property {string[]} order the phases' names: k6 hands on an object with its members in any order
 * @property {UserOperation[]} operations
 * @property {import('./streams.js').StreamsData} [streams] where a phase has any
 * @property {{scope: import('./objectives.js').Objective['scope'], limit: number}[]} limits milliseconds, of objectives for a percentile
 */

const { WORKLOAD, DRY_RUN, SECRET_SOURCE } = __ENV;
// The first run of the script reads the file by itself, and says what is wrong with it.
const isUser = __VU !== 0 && Boolean(WORKLOAD);
const texts = isUser ? shareArguments() : [];
/** @type {import('./workload.js').Workload | null} */
const script = isUser && WORKLOAD?.endsWith('.js') ? require(WORKLOAD).default : null;

/**
 * @param {TestDefinition} definition
 * @returns {{options: import('k6/options').Options, setup: () => Promise<SetupData>,
 *   iterate: (data: SetupData) => void | Promise<void>, teardown: (data: SetupData) => Promise<void>}} what a k6 script
 *   exports; teardown only where there is something to clean up
 */
export const defineTest = (definition) => {
  // k6 runs the script once for itself, and again for every virtual user.
  const first =
    __VU === 0
      ? require('./setup.js').optionsAndSetup(definition)
      : { options: {}, setup: none, teardown: none };
  return { ...first, iterate: DRY_RUN === '1' ? () => {} : makeIterate(definition) };
};

/** @returns {never} */
const none = () => {
  throw new Error('k6 called set-up in a virtual user other than its own');
};

/**
 * @param {TestDefinition} definition
 * @returns {(data: SetupData) => void | Promise<void>} one iteration: one operation, called once; of a sequence all of it
 */
const makeIterate = ({ workload, sequence }) => {
  /** @type {User | undefined} */
  let user;
  /** @type {PlannedPhase | undefined} */
  let phase;
  /** @type {typeof exec.scenario | undefined} k6 builds a new object at each access */
  let scenario;
  let nextOfferMs = 0;

  /** @param {SetupData} data @param {User} of @returns {PlannedPhase} */
  const enterPhase = ({ phases, startedMs }, of) => {
    const entered = /** @type {PlannedPhase} */ (phases[__ENV.PHASE ?? '']);
    scenario = exec.scenario;
    of.client.reuseAfter = startedMs + (entered.start_s + entered.duration_s) * 1000;
    if (entered.lead_in) {
      // A call that is not measured opens the connection; then all users begin together.
      of.enter(entered.name, false);
      of.call(operationIn(entered, of, 0), 0, entered);
      sleep(Math.max(0, startedMs + entered.start_s * 1000 - Date.now()) / 1000);
    }
    of.enter(entered.name, entered.measured);
    return entered;
  };

  /** @param {SetupData} data @param {Record<string, string | undefined>} env with what the secret source has */
  const iterate = (data, env) => {
    try {
      if (__ENV.STREAMS_OF) return holdStreams(data, env);
      user ??= new User(data, env, script ?? workload, texts);
      if (sequence) return runSequence(data, user);
      if (!phase || phase.name !== __ENV.PHASE) phase = enterPhase(data, user);
      callNext(user, phase, data.startedMs);
    } catch (error) {
      noteException(error, user?.client);
    }
  };

  /** @param {User} user @param {PlannedPhase} phase @param {number} startedMs */
  const callNext = (user, phase, startedMs) => {
    const iteration = scenario?.iterationInTest ?? 0;
    if (phase.offered_rps !== null && Date.now() >= nextOfferMs) {
      offeredRps.add(phase.offered_rps);
      nextOfferMs = Date.now() + 1000;
    }
    user.call(operationIn(phase, user, iteration), iteration, phase);
    // Any of the last ones may be the phase's last to end.
    if (phase.iterations !== null && iteration >= phase.iterations - (phase.vus ?? 1))
      phaseEndSeconds.add((Date.now() - startedMs) / 1000);
  };

  if (!SECRET_SOURCE) return (data) => iterate(data, __ENV);
  // k6 waits for what is returned.
  return async (data) => iterate(data, user ? __ENV : await withSecrets(__ENV));
};

/**
 * @param {PlannedPhase} phase
 * @param {User} user
 * @param {number} iteration
 * @returns {number} which of the user's operations is called
 */
const operationIn = ({ operation, weights }, user, iteration) =>
  operation === undefined ? pick(weights ?? user.weights, iteration) : user.names.indexOf(operation);

/** The golden ratio's fraction: its multiples fill 0..1 more evenly than those of any other number. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * Instead of a random draw: any stretch of consecutive iterations holds the mix in its exact proportions, give or
 * take one, so a phase's percentiles do not depend on how many slow operations chance dealt it.
 *
 * @param {number[]} weights of 100
 * @param {number} iteration
 * @returns {number} an index of the weights
 */
const pick = (weights, iteration) => {
  let rest = ((iteration * GOLDEN) % 1) * 100;
  const index = weights.findIndex((weight) => {
    rest -= weight;
    return rest < 0;
  });
  return index < 0 ? weights.length - 1 : index;
};
