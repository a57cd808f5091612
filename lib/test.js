/**
 * Composes a k6 test from a workload, a shape and objectives. Each file in `scenarios/` calls it.
 * Every VU evaluates this file and its imports; everything else is in setup.js.
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
 * @property {string} [group] its group in docs/tests.md and `make help` (GROUPS in scripts/definitions.ts)
 * @property {string} [about] what it does, and its variables: one line of Markdown
 * @property {string} [judgedBy] its objectives on the reference target: one line of Markdown
 * @property {import('../contract/servers.js').Servers} servers the servers that it can load
 * @property {string} [does] what it does to the reference target, if it can load no other server
 * @property {string[]} [covers] which parts of published benchmark documents it reproduces, as `document:
 *   heading`
 * @property {import('./workload.js').Workload} workload
 * @property {string} [mix] a mix of the workload, or one of its operations; by default the operations that
 *   the phases name
 * @property {import('./phases.js').Phase[]} [phases] with the values of PROFILE=full
 * @property {(profile: import('../contract/profiles.js').ProfileName) => import('./phases.js').Phase[]}
 *   [phasesOf] instead of `phases`: the phases of each profile
 * @property {true} [asWritten] profiles do not change the phases' durations and rates
 * @property {string} [warmUp] k6 duration, instead of the profile's; 'none'; or 'every VU': until each VU of
 *   the first phase has made a call
 * @property {number} [repetitions] number of times that all phases or steps run
 * @property {Sequence} [sequence] instead of phases: steps of one VU, one after the other
 * @property {string} [prepare] an operation that is called once before the load
 * @property {(document: import('./workload.js').WorkloadDocument) => FittedWorkload} [fit] what the phases
 *   call on a server that discovery examined; phases whose operation the server lacks are left out
 * @property {Omit<import('./phases.js').Phase, 'name'> & {objectives: Record<string, number>}} [eachOf] on
 *   such a server: replaces the phases by one like this for each of its operations
 * @property {string} [cleanUp] an operation that is called when the run is over, however it ends
 * @property {import('./objectives.js').Objectives} objectives the benchmark document's objectives, for the
 *   reference target
 * @property {import('./objectives.js').Objectives} [anyServer] additional objectives of any other server,
 *   relative to its first phase
 * @property {true} [observe] VUs record the size of bodies and the keep-alive time of each call
 * @property {true} [newConnections] each call opens a new connection
 * @property {true} [timed] the label `seconds` of a phase sets the duration of its calls; the workload calls
 *   TOOL with ARGS
 * @property {(profile: import('../contract/profiles.js').ProfileName) => number} [timeoutS] replaces the
 *   default of TARGET_TIMEOUT
 *
 * @typedef {object} FittedWorkload
 * @property {import('./workload.js').AnyWorkload} workload
 * @property {Record<string, string>} [calls] phase -> operation, if its name differs
 * @property {string} [title] the test's title on that server
 *
 * @typedef {{longest: string, steps: import('./phases.js').Step[]}} Sequence longest: k6 duration after which
 *   it is stopped
 *
 * @typedef {import('./phases.js').PlannedPhase} PlannedPhase
 *
 * @typedef {object} UserOperation what a VU needs to call an operation, apart from the workload's functions
 * @property {string} operation
 * @property {string} method
 * @property {string} class
 * @property {string} params JSON text, because k6 does not preserve the order of an object's members
 * @property {number} weight percentage of the calls
 * @property {string[] | {first: number, length: number}} [arguments] JSON texts, or a range of the shared
 *   ones; used in turn
 * @property {true} [scripted] the workload has functions for it
 * @property {string} [member] the member of the parameters that varies, if not `arguments`
 * @property {Record<string, string>} [headers] Mcp-Param-<key> from the argument at that JSON pointer
 * @property {Record<string, string>} [request_headers] for example a user's credentials
 * @property {number[]} [expect_status] for dialect rest: statuses that are not failures
 * @property {boolean} [progress] requests progress notifications
 * @property {string} [abandon_after] k6 duration after which the client gives up
 * @property {UserOperation[]} [calls] instead of a call: these calls, one after the other
 *
 * @typedef {object} SetupData what set-up passes to the VUs; without secrets, because k6 exposes it
 * @property {import('./credentials.js').UserOptions} client
 * @property {number} startedMs the zero point of the phases, milliseconds since the epoch
 * @property {number} seed
 * @property {Record<string, PlannedPhase>} phases by name
 * @property {string[]} order the phases' names, because k6 does not preserve the order of an object's members
 * @property {UserOperation[]} operations
 * @property {import('./streams.js').StreamsData} [streams] set if a phase holds streams
 * @property {{scope: import('./objectives.js').Objective['scope'], limit: number}[]} limits objectives for
 *   percentiles, in milliseconds
 */

const { WORKLOAD, DRY_RUN, SECRET_SOURCE } = __ENV;
// The first run of the script reads and validates the file itself.
const isUser = __VU !== 0 && Boolean(WORKLOAD);
const texts = isUser ? shareArguments() : [];
/** @type {import('./workload.js').Workload | null} */
const script = isUser && WORKLOAD?.endsWith('.js') ? require(WORKLOAD).default : null;

/**
 * @param {TestDefinition} definition
 * @returns {{options: import('k6/options').Options, setup: () => Promise<SetupData>, iterate: (data:
 *   SetupData) => void | Promise<void>, teardown: (data: SetupData) => Promise<void>}} the exports of a k6
 *   script; teardown does nothing unless there is something to clean up
 */
export const defineTest = (definition) => {
  // k6 runs the script once for the options, and again for every VU.
  const first =
    __VU === 0
      ? require('./setup.js').optionsAndSetup(definition)
      : { options: {}, setup: none, teardown: none };
  return { ...first, iterate: DRY_RUN === '1' ? () => {} : makeIterate(definition) };
};

/** @returns {never} */
const none = () => {
  throw new Error('k6 called setup() in the wrong VU');
};

/**
 * @param {TestDefinition} definition
 * @returns {(data: SetupData) => void | Promise<void>} one iteration: one call of an operation, or a whole
 *   sequence
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
      // An unmeasured call opens the connection; then all VUs begin together.
      of.enter(entered.name, false);
      of.call(operationIn(entered, of, 0), 0, entered);
      sleep(Math.max(0, startedMs + entered.start_s * 1000 - Date.now()) / 1000);
    }
    of.enter(entered.name, entered.measured);
    return entered;
  };

  /**
   * @param {SetupData} data
   * @param {Record<string, string | undefined>} env with the secrets of the secret source
   */
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
    // Each of the last iterations records it, because any of them may end last.
    if (phase.iterations !== null && iteration >= phase.iterations - (phase.vus ?? 1))
      phaseEndSeconds.add((Date.now() - startedMs) / 1000);
  };

  if (!SECRET_SOURCE) return (data) => iterate(data, __ENV);
  // k6 awaits the returned promise.
  return async (data) => iterate(data, user ? __ENV : await withSecrets(__ENV));
};

/**
 * @param {PlannedPhase} phase
 * @param {User} user
 * @param {number} iteration
 * @returns {number} the index of the operation to call
 */
const operationIn = ({ operation, weights }, user, iteration) =>
  operation === undefined ? pick(weights ?? user.weights, iteration) : user.names.indexOf(operation);

/**
 * The fractional part of the golden ratio: its multiples fill 0..1 more evenly than those of any other
 * number.
 */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * Replaces a random draw: any range of consecutive iterations has the proportions of the mix, to within one
 * call. So the percentiles of a phase do not depend on a random number of slow operations.
 *
 * @param {number[]} weights percentages
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
