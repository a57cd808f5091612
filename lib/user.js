/** One virtual user: its client, and the operations of the test, each ready to be called. */
import { randomSeed } from 'k6';
import exec from 'k6/execution';
import { StreamableHTTPClient } from 'k6/x/mcp';
import { asText } from '../contract/as-text.js';
import { oneLine } from '../contract/one-line.js';
import { credentialsOf } from './credentials.js';
import { additionalRequests, exceptions, items as itemsMetric, sequenceDuration } from './metrics.js';

/**
 * @typedef {import('k6/x/mcp').Answer} Answer
 * @typedef {import('k6/x/mcp').PreparedCall} PreparedCall
 * @typedef {import('./test.js').UserOperation} UserOperation
 * @typedef {import('./phases.js').PlannedPhase} PlannedPhase
 * @typedef {(iteration: number, phase: PlannedPhase) => Answer} Sender
 */

/** Characters of an exception's message that are logged. */
const MAX_MESSAGE = 200;
/** Characters in which secrets are looked for: one that begins before the cut is still whole. */
const MAX_UNREDACTED = 5000;

/** What a function of the workload threw. */
class Thrown {
  /** @param {string} by @param {unknown} error */
  constructor(by, error) {
    this.by = by;
    this.error = error;
  }
}

/** @template T @param {string} name of a function of the workload @param {() => T} call @returns {T} @throws {Thrown} */
function run(name, call) {
  try {
    return call();
  } catch (error) {
    throw new Thrown(name, error);
  }
}

export class User {
  /** Prepared calls, with the operation that each is counted as. @type {{call: PreparedCall, operation: string}[]} */
  #calls = [];
  /** Operations of which an exception was logged; undefined: of the user's start. @type {Set<string | undefined>} */
  #logged = new Set();
  #texts;
  #workload;

  /**
   * @param {Pick<import('./test.js').SetupData, 'client' | 'seed' | 'operations'>} data
   * @param {Record<string, string | undefined>} env with what the secret source has
   * @param {import('./workload.js').Workload} workload that has the functions of its operations
   * @param {{text: string}[]} texts the shared arguments
   */
  constructor({ client, seed, operations }, env, workload, texts) {
    const { withSecrets, redact } = credentialsOf(env);
    this.redact = redact;
    this.client = new StreamableHTTPClient(withSecrets(client));
    this.#workload = workload;
    this.#texts = texts;
    // The same seed makes the same sequences of arguments; every user has one of its own.
    randomSeed(seed * 100_003 + exec.vu.idInTest);
    this.names = operations.map(({ operation }) => operation);
    this.weights = operations.map(({ weight }) => weight);
    this.senders = operations.map((operation) => this.#senderOf(operation, operation.operation));
  }

  /** @param {boolean} measured @param {Record<string, number[]>} [limits] milliseconds, by operation (see latency-limits.js) */
  enter(measured, limits = {}) {
    this.client.measured = measured;
    for (const { call, operation } of this.#calls) call.limits = limits[operation] ?? [];
  }

  /**
   * Calls one of the operations, and notes what a script throws: k6 would log each exception, and count such an iteration like any other.
   *
   * @param {number} index of the operation
   * @param {number} iteration
   * @param {PlannedPhase} phase
   */
  call(index, iteration, phase) {
    try {
      this.senders[index]?.(iteration, phase);
    } catch (error) {
      this.#note(error, this.names[index]);
    }
  }

  /** @param {unknown} error @param {string} [operation] */
  #note(error, operation) {
    noteException(error, this.redact, this.#logged, operation);
  }

  /** @param {UserOperation} operation @param {string} tag the operation that its calls are counted as @returns {Sender} */
  #senderOf(operation, tag) {
    if (operation.calls) return this.#inTurn(operation, tag);
    const { args, expect, received, items } =
      (operation.scripted && this.#workload.operations[operation.operation]) || NO_SCRIPT;
    const tags = { operation: tag, class: operation.class };
    const call = this.client.prepare(operation.method, JSON.parse(operation.params), {
      tags,
      ...(operation.member && { member: operation.member }),
      ...(operation.headers && { paramHeaders: operation.headers }),
      ...(operation.request_headers && { headers: operation.request_headers }),
      ...(operation.expect_status && { expectStatus: operation.expect_status }),
      ...(expect && { expect }),
    });
    this.#calls.push({ call, operation: tag });
    const argumentOf = this.#argumentsOf(operation, args);
    if (!received && !items) return (iteration, phase) => call.send(argumentOf(iteration, phase));
    return (iteration, phase) => {
      const given = argumentOf(iteration, phase);
      const answer = call.send(given);
      if (!answer.ok) return answer;
      // The call has succeeded, whatever becomes of its answer here.
      try {
        if (received) run('received', () => received(answer, given));
        if (items && phase.measured)
          itemsMetric.add(
            run('items', () => items(phase.labels ?? {})),
            tags,
          );
      } catch (error) {
        this.#note(error, tag);
      }
      return answer;
    };
  }

  /**
   * @param {UserOperation} operation
   * @param {import('./workload.js').OperationSpec['args'] | undefined} args
   * @returns {(iteration: number, phase: PlannedPhase) => any} what varies of a call: nothing, JSON, or an object
   */
  #argumentsOf({ arguments: given }, args) {
    if (given && 'first' in given)
      return (iteration) => this.#texts[given.first + (iteration % given.length)]?.text;
    if (given) return (iteration) => given[iteration % given.length];
    if (args) return (_, { labels = {} }) => run('args', () => args(labels));
    return () => undefined;
  }

  /**
   * Calls one after the other; the first that fails is the last.
   *
   * @param {UserOperation} operation
   * @param {string} tag
   * @returns {Sender}
   */
  #inTurn({ method, class: kind, calls = [] }, tag) {
    const [first = noCalls, ...others] = calls.map((part) => this.#senderOf(part, tag));
    const tags = { operation: tag, method, class: kind };
    return (iteration, phase) => {
      // In milliseconds and their parts, where Date.now() has none.
      const began = exec.instance.currentTestRunDuration;
      let answer = first(iteration, phase);
      for (const next of others) {
        if (!answer.ok) return answer;
        answer = next(iteration, phase);
        if (phase.measured) additionalRequests.add(1, tags);
      }
      if (answer.ok && phase.measured)
        sequenceDuration.add(exec.instance.currentTestRunDuration - began, tags);
      return answer;
    };
  }
}

/**
 * Counts an exception, and logs the first of each operation.
 *
 * @param {unknown} thrown
 * @param {(text: string) => string} redact
 * @param {Set<string | undefined>} logged
 * @param {string} [operation] without: no call had begun
 */
export function noteException(thrown, redact, logged, operation) {
  exceptions.add(1, operation === undefined ? {} : { operation });
  if (logged.has(operation)) return;
  logged.add(operation);
  const { by, error } = thrown instanceof Thrown ? thrown : new Thrown('', thrown);
  const message = oneLine(redact(messageOf(error).slice(0, MAX_UNREDACTED)), MAX_MESSAGE);
  console.error(`exception in ${by && `${by}() of `}${operation ?? 'the start of a VU'}: ${message}`);
}

/** @param {any} error whatever was thrown @returns {string} */
function messageOf(error) {
  const { name = 'Error', message } = Object(error);
  return message === undefined ? asText(error) : `${asText(name)}: ${asText(message)}`;
}

/** @type {Sender} */
const noCalls = () => {
  throw new Error('an operation of several calls has none');
};

/** @type {Partial<import('./workload.js').OperationSpec>} */
const NO_SCRIPT = {};
