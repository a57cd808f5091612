/**
 * Composes a k6 test from workload, shape and objectives: the one function that every file in `scenarios/` calls.
 * This file and what it imports is what every virtual user evaluates; all else is in lead.js.
 */
import { randomSeed } from 'k6';
import exec from 'k6/execution';
import { asText } from '../contract/as-text.js';
import { oneLine } from '../contract/one-line.js';
import { readProtocol } from '../contract/protocols.js';
import { fixedAuth } from './auth/fixed-auth.js';
import { McpClient } from './mcp/client.js';
import {
  exceptions,
  furtherRequests,
  items as itemsMetric,
  offeredRps,
  phaseEndSeconds,
  sequenceDuration,
} from './metrics.js';

/**
 * @typedef {object} TestDefinition
 * @property {string} name the file's name without `.js`
 * @property {string} title one line: the load
 * @property {string[]} [covers] which parts of published benchmark documents it reproduces, as `document: heading`
 * @property {import('./workload.js').Workload} workload
 * @property {string} [mix] a mix of the workload, or one of its operations; without: the operations that the phases name
 * @property {import('./phases.js').Phase[]} [phases] in the figures of PROFILE=full
 * @property {true} [asWritten] the phases' durations and rates are no profile's to change
 * @property {string} [warmUp] k6 duration, instead of the profile's
 * @property {number} [repetitions] makes all of them so many times
 * @property {Sequence} [sequence] instead of phases: steps of one user, one after the other
 * @property {string} [prepare] an operation, called once before the load
 * @property {(document: import('./workload-document.js').WorkloadDocument) => import('./workload.js').AnyWorkload} [fit] what
 *   the phases call on a server that discovery looked at; those whose operation it has not are left out
 * @property {Omit<import('./phases.js').Phase, 'name'> & {objectives: Record<string, number>}} [eachOf] on such a server:
 *   instead of the phases, one like this for each of its operations
 * @property {string} [cleanUp] an operation, called once when the run is over, however it ends
 * @property {import('./objectives.js').Objectives} objectives
 * @property {string[]} [measures] metrics that the summary is to have by phase, beside the usual ones
 * @property {true} [raw] the analysis wants every sample
 * @property {true} [observe] users look at the sizes and connections of each call (mcp/observing-client.js)
 * @property {true} [newConnections] each call opens one
 *
 * @typedef {{longest: string, steps: import('./phases.js').Step[]}} Sequence longest: k6 duration, then it is cut off
 *
 * @typedef {import('./phases.js').PlannedPhase} PlannedPhase
 *
 * @typedef {object} UserOperation what a user has to know of an operation, beside the functions in the workload
 * @property {string} operation
 * @property {string} method
 * @property {string} class
 * @property {string} params JSON: k6 hands on an object with its members in any order
 * @property {number} weight of 100
 * @property {string[] | {first: number, length: number}} [arguments] JSON texts, or which of the shared ones, used in
 *   turn
 * @property {true} [scripted] the workload has functions for it
 * @property {string} [member] of the parameters, where it is not `arguments` that vary
 * @property {UserOperation[]} [calls] instead: these, one after the other
 *
 * @typedef {object} SetupData all that set-up hands to the users; no secrets, for k6 shows it
 * @property {import('./mcp/client.js').Connection} connection
 * @property {number} startedMs the zero of the phases, milliseconds since the epoch
 * @property {number} timeoutS longest wait for one answer
 * @property {string} sessions SESSIONS_MODE
 * @property {number} seed
 * @property {Record<string, PlannedPhase>} phases by name
 * @property {string[]} order the phases' names: k6 hands on an object with its members in any order
 * @property {UserOperation[]} operations
 * @property {import('./latency-limits.js').Counting} counting
 * @property {unknown} handOver of signing in (see auth/auth.js)
 */

// Most runs speak MCP and need at most a token: their users hold no more code than that.
const { TARGET_HEADERS, OAUTH_CLIENT_ID, SECRET_SOURCE, TARGET_PROTOCOL, WORKLOAD, DRY_RUN } = __ENV;
/** @type {typeof import('./auth/user-auth.js') | null} */
const userAuth = TARGET_HEADERS || OAUTH_CLIENT_ID || SECRET_SOURCE ? require('./auth/user-auth.js') : null;
/** @type {typeof import('./dialects/clients.js') | null} */
let dialects = null;
/** @type {typeof import('./mcp/observing-client.js').observing | null} */
let observing = null;

// The first run of the script reads the file by itself, and says what is wrong with it.
/** @type {typeof import('./shared-arguments.js') | null} */
const shared = __VU !== 0 && WORKLOAD ? require('./shared-arguments.js') : null;
const sharedTexts = shared?.shareArguments() ?? [];
/** @type {import('./workload.js').Workload | null} */
const script = __VU !== 0 && WORKLOAD?.endsWith('.js') ? require(WORKLOAD).default : null;

/**
 * @param {TestDefinition} definition
 * @returns {{options: import('k6/options').Options, setup: () => Promise<SetupData>,
 *   iterate: (data: SetupData) => void | Promise<void>, teardown: (data: SetupData) => Promise<void>,
 *   handleSummary: (data: any) => Record<string, string>}} what a k6 script exports; teardown only where there is
 *   something to clean up
 */
export const defineTest = (definition) => {
  // k6 runs the script once for itself, and once more for every virtual user.
  const first =
    __VU === 0
      ? require('./lead.js').lead(definition)
      : { options: {}, setup: none, teardown: none, handleSummary: none };
  // What a document says of it is read too late for that.
  if (definition.observe) observing = require('./mcp/observing-client.js').observing;
  const own = WORKLOAD ? '' : (definition.workload.dialect ?? 'mcp');
  const dialect = readProtocol(TARGET_PROTOCOL ?? '').dialect || own;
  if (dialect !== 'mcp') dialects = require('./dialects/clients.js');
  return { ...first, iterate: DRY_RUN === '1' ? () => {} : makeIterate(definition) };
};

/** @returns {never} */
const none = () => {
  throw new Error('k6 called set-up or summary in a virtual user other than its own');
};

/**
 * @param {TestDefinition} definition
 * @returns {(data: SetupData) => void | Promise<void>} one iteration: one operation, called once
 */
const makeIterate = ({ workload, sequence, phases }) => {
  // A virtual user's state. In variables: k6 takes longer to read a property.
  /** @type {import('./mcp/client.js').McpClient | undefined} */
  let client;
  /** @type {import('./mcp/client.js').Sender[]} */
  const senders = [];
  /** @type {number[]} of 100, by turn */
  const weights = [];
  /** Those of the phase. */
  let shares = weights;
  let varied = false;
  /** @type {Record<string, string> | undefined} */
  let environment;
  /** @type {PlannedPhase} */
  let phase;
  /** @type {number | null} */
  let offered = null;
  let nextOfferMs = 0;
  /** @type {typeof exec.scenario | null} null: nothing depends on the iteration's number */
  let numbers = null;
  /** From this iteration on, any may be the phase's last to end. */
  let closing = Number.POSITIVE_INFINITY;
  /** @type {string[]} names by turn */
  const names = [];
  /** The one operation of the phase, by turn; -1: the mix. */
  let only = -1;
  /** Operations of which this VU has logged an exception (a text, for a first Set would cost 19 KB). */
  let logged = ' ';

  /**
   * k6 would log each exception, and count an iteration that had one like any other.
   *
   * @param {unknown} error
   * @param {string} [operation] without: no call had begun
   */
  const noteException = (error, operation) => {
    const inFunction = running && `${running}() of `;
    running = '';
    exceptions.add(1, operation === undefined ? {} : { operation });
    if (logged.includes(` ${operation} `)) return;
    logged += `${operation} `;
    const text = messageOf(error).slice(0, MAX_UNREDACTED);
    const message = oneLine(client ? client.auth.redact(text) : text, MAX_MESSAGE);
    console.error(`exception in ${inFunction}${operation ?? 'the start of a VU'}: ${message}`);
  };

  /** @param {number} index of the operation @returns {import('./mcp/client.js').Sender | undefined} one that never throws */
  const guarded = (index) => {
    const send = senders[index];
    return (
      send &&
      ((iteration, ofPhase) => {
        try {
          return send(iteration, ofPhase);
        } catch (error) {
          noteException(error, names[index]);
          return NO_ANSWER;
        }
      })
    );
  };

  /** @param {SetupData} data @param {import('./auth/auth.js').Auth} auth */
  const start = (data, auth) => {
    const user = makeClient(data, auth);
    // Not for...of: a first iterator costs each virtual user 9 KB.
    data.operations.forEach((operation) => {
      senders.push(makeSender(user, operation, script ?? workload, noteException));
      weights.push(operation.weight);
      names.push(operation.operation);
      varied = senders.length > 1 || (operation.arguments?.length ?? 1) > 1;
    });
    client = user;
  };

  /** @param {SetupData} data */
  const enterPhase = (data) => {
    if (!client) start(data, fixedAuth(__ENV.TARGET_TOKEN ?? ''));
    const { phases, counting } = data;
    environment = __ENV;
    phase = /** @type {PlannedPhase} */ (phases[__ENV.PHASE ?? '']);
    offered = phase.offered_rps;
    shares = phase.weights ?? weights;
    only = phase.operation === undefined ? -1 : names.indexOf(phase.operation);
    closing = phase.iterations === null ? Number.POSITIVE_INFINITY : phase.iterations - (phase.vus ?? 1);
    numbers = varied || phase.iterations !== null ? exec.scenario : null;
    if (readiness && phase.lead_in) {
      client?.enterPhase(false, counting.streamed, undefined);
      readiness.leadIn(data, phase, () => void guarded(Math.max(only, 0))?.(0, phase));
    }
    client?.enterPhase(phase.measured, counting.streamed, counting.limits[phase.name]);
  };

  /** @param {SetupData} data */
  const iterate = (data) => {
    let index = -1;
    let iteration = 0;
    try {
      // k6 makes a new environment for a user whenever it hands it to another phase.
      if (__ENV !== environment) enterPhase(data);
      if (offered !== null && Date.now() >= nextOfferMs) {
        offeredRps.add(offered);
        nextOfferMs = Date.now() + 1000;
      }
      if (numbers !== null) iteration = numbers.iterationInTest;
      index = only >= 0 ? only : varied ? pick(shares, iteration) : 0;
      /** @type {import('./mcp/client.js').Sender} */ (senders[index])(iteration, phase);
    } catch (error) {
      noteException(error, names[index]);
    }
    if (iteration >= closing) phaseEndSeconds.add((Date.now() - data.startedMs) / 1000);
  };

  /** @type {typeof import('./lead-in.js') | null} */
  const readiness = phases?.some(({ leadIn }) => leadIn) ? require('./lead-in.js') : null;
  /** @type {typeof import('./sequence.js') | null} */
  const steps = sequence ? require('./sequence.js') : null;
  if (!userAuth && !steps) return iterate;
  // k6 waits for what is returned.
  return async (data) => {
    try {
      if (!client)
        start(data, await (userAuth?.takeOver(data.handOver) ?? fixedAuth(__ENV.TARGET_TOKEN ?? '')));
      const user = /** @type {import('./mcp/client.js').McpClient} */ (client);
      if (steps)
        return await steps.runSequence(data, user, (operation) =>
          guarded(operation === undefined ? 0 : names.indexOf(operation)),
        );
      if (user.auth.dueMs <= Date.now()) await user.renew();
    } catch (error) {
      return noteException(error);
    }
    iterate(data);
  };
};

/**
 * @param {SetupData} data
 * @param {import('./auth/auth.js').Auth} auth
 */
const makeClient = ({ connection, startedMs, timeoutS, sessions, seed, operations }, auth) => {
  // The same seed makes the same sequences of arguments; every user has one of its own. (It takes 9 KB.)
  if (operations.some(({ scripted }) => scripted)) randomSeed(seed * 100_003 + exec.vu.idInTest);
  const Plain = connection.dialect && dialects ? dialects.dialectClients[connection.dialect] : McpClient;
  const Client = observing ? observing(Plain) : Plain;
  return new Client(connection, { auth, timeoutS, startedMs, sessions });
};

/**
 * @param {import('./mcp/client.js').McpClient} client
 * @param {UserOperation} operation
 * @param {import('./workload.js').Workload} workload
 * @param {NoteException} note
 * @param {string} [tag] the operation that the calls are counted as
 * @returns {import('./mcp/client.js').Sender}
 */
const makeSender = (client, operation, workload, note, tag = operation.operation) => {
  if (operation.calls)
    return inTurn(operation.calls.map((part) => makeSender(client, part, workload, note, tag)));
  const { args, expect, received, items } =
    (operation.scripted && workload.operations[operation.operation]) || NO_SCRIPT;
  const texts = textsOf(operation.arguments);
  const withArguments = Boolean(texts ?? args);
  const noteHere = (/** @type {unknown} */ error) => note(error, tag);
  const wanted = received ? handOn(received, expect, noteHere) : expect;
  const options = { ...operation, operation: tag, withArguments, ...(wanted && { expect: wanted }) };
  const call = client.prepare(operation.method, JSON.parse(operation.params), options);
  const send = client.sender(call, argumentsOf(texts, args));
  if (!items) return send;
  return (iteration, phase) => {
    const answer = send(iteration, phase);
    if (answer.failure || !phase.measured) return answer;
    try {
      running = 'items';
      itemsMetric.add(items(phase.labels ?? NO_LABELS));
      running = '';
    } catch (error) {
      noteHere(error);
    }
    return answer;
  };
};

/**
 * @param {import('./mcp/client.js').Sender[]} senders
 * @returns {import('./mcp/client.js').Sender} calls one after the other; the first that fails is the last
 */
const inTurn = (senders) => (iteration, phase) => {
  const { instance } = exec;
  // In milliseconds and their parts, where Date.now() has none.
  const started = instance.currentTestRunDuration;
  /** @type {import('./mcp/answer.js').Answer} */
  let answer = { failure: null, result: null };
  for (let index = 0; index < senders.length; index += 1) {
    const send = /** @type {import('./mcp/client.js').Sender} */ (senders[index]);
    answer = send(iteration, phase);
    if (index > 0 && phase.measured) furtherRequests.add(1);
    if (answer.failure) return answer;
  }
  if (phase.measured) sequenceDuration.add(instance.currentTestRunDuration - started);
  return answer;
};

/**
 * @param {NonNullable<import('./workload.js').OperationSpec['received']>} received
 * @param {import('./mcp/answer.js').Expectation | undefined} expect
 * @param {(error: unknown) => void} note
 * @returns {import('./mcp/answer.js').Expectation}
 */
const handOn = (received, expect, note) => (reply, args) => {
  const met = expect === undefined || expect(reply, args);
  if (!met) return met;
  // The client takes an exception for an expectation that is not met, which would be the server's failure.
  try {
    running = 'received';
    received(reply, args);
    running = '';
  } catch (error) {
    note(error);
  }
  return met;
};

/**
 * @param {ReturnType<typeof textsOf>} texts
 * @param {import('./workload.js').OperationSpec['args'] | undefined} args
 * @returns {{text?: string, next?: import('./mcp/client.js').NextArguments}}
 */
const argumentsOf = (texts, args) => {
  if (texts?.length === 1) return { text: texts.at(0) };
  if (texts) return { next: (iteration) => /** @type {string} */ (texts.at(iteration % texts.length)) };
  if (!args) return {};
  return {
    next: (_, { labels = NO_LABELS }) => {
      running = 'args';
      const made = args(labels);
      running = '';
      return made;
    },
  };
};

/** @param {UserOperation['arguments']} given */
const textsOf = (given) => {
  return given && shared && 'first' in given
    ? new shared.SharedTexts(sharedTexts, given)
    : /** @type {string[] | undefined} */ (given);
};

/** The function of the workload that is running; '' = none. */
let running = '';

/** Characters of an exception's message that are logged. */
const MAX_MESSAGE = 200;
/** Characters in which secrets are looked for: one that begins before the cut is still whole. */
const MAX_UNREDACTED = 5000;

/**
 * @param {any} error whatever was thrown
 * @returns {string}
 */
const messageOf = (error) => {
  const { name = 'Error', message } = Object(error);
  return message === undefined ? asText(error) : `${asText(name)}: ${asText(message)}`;
};

/** @typedef {(error: unknown, operation?: string) => void} NoteException */

/** @type {import('./mcp/answer.js').Answer} of a call that ended in an exception */
const NO_ANSWER = { failure: null, result: null };

/** @type {Partial<import('./workload.js').OperationSpec>} */
const NO_SCRIPT = {};
/** @type {import('./phases.js').Labels} */
const NO_LABELS = {};

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
  const last = weights.length - 1;
  let rest = ((iteration * GOLDEN) % 1) * 100;
  let index = 0;
  // By index: k6 takes ten times as long for an iterator.
  for (; index < last; index += 1) {
    rest -= /** @type {number} */ (weights[index]);
    if (rest < 0) break;
  }
  return index;
};
