/** A VU: its client, and the operations of the test, each prepared for calling. */
import { randomSeed } from 'k6';
import exec from 'k6/execution';
import { asText } from '../contract/as-text.js';
import { oneLine } from '../contract/one-line.js';
import { makeClient } from './credentials.js';
import { additionalRequests, exceptions, items as itemsMetric, sequenceDuration } from './metrics.js';

/**
 * @typedef {import('k6/x/mcp').Answer} Answer
 * @typedef {import('k6/x/mcp').PreparedCall} PreparedCall
 * @typedef {import('./test.js').UserOperation} UserOperation
 * @typedef {import('./phases.js').PlannedPhase} PlannedPhase
 * @typedef {(iteration: number, phase: PlannedPhase) => Answer} Sender
 */

/** Maximum length of a logged exception message, in characters. */
const MAX_MESSAGE = 200;

/**
 * Operations for which this VU has logged an exception; undefined stands for its start.
 *
 * @type {Set<string | undefined>}
 */
const logged = new Set();

/** An exception that a function of the workload threw. */
class Thrown {
  /** @param {string} by @param {unknown} error */
  constructor(by, error) {
    this.by = by;
    this.error = error;
  }
}

/**
 * @template T
 * @param {string} name the name of the workload's function
 * @param {() => T} call
 * @returns {T}
 * @throws {Thrown}
 */
function run(name, call) {
  try {
    return call();
  } catch (error) {
    throw new Thrown(name, error);
  }
}

export class User {
  /** Prepared calls, with their tags. @type {{call: PreparedCall, tags: Record<string, string>}[]} */
  #calls = [];
  #limits;
  #texts;
  #workload;

  /**
   * @param {Pick<import('./test.js').SetupData, 'client' | 'seed' | 'operations' | 'limits'>} data
   * @param {Record<string, string | undefined>} env with the secrets of the secret source
   * @param {import('./workload.js').Workload} workload the workload with the functions of its operations
   * @param {{text: string}[]} texts the shared arguments
   */
  constructor({ client, seed, operations, limits }, env, workload, texts) {
    this.client = makeClient(client, env);
    this.#limits = limits;
    this.#workload = workload;
    this.#texts = texts;
    // The same SEED makes the same sequences of arguments; each VU has its own.
    randomSeed(seed * 100_003 + exec.vu.idInTest);
    this.names = operations.map(({ operation }) => operation);
    this.weights = operations.map(({ weight }) => weight);
    this.senders = operations.map((operation) => this.#senderOf(operation, operation.operation));
  }

  /** @param {string} phase @param {boolean} measured */
  enter(phase, measured) {
    this.client.measured = measured;
    for (const { call, tags } of this.#calls)
      call.limits = measured ? this.#limitsOf({ phase, ...tags }) : [];
  }

  /**
   * @param {Record<string, string>} tags a call's tags
   * @returns {number[]} limits of the objectives whose scope includes the call, milliseconds
   */
  #limitsOf(tags) {
    const fitting = this.#limits.filter(({ scope }) =>
      Object.entries(scope).every(([tag, value]) => tags[tag] === value),
    );
    return [...new Set(fitting.map(({ limit }) => limit))];
  }

  /**
   * Calls an operation. Exceptions in the script are caught and counted; otherwise k6 would log each one and
   * count the iteration as complete.
   *
   * @param {number} index the operation's index
   * @param {number} iteration
   * @param {PlannedPhase} phase
   */
  call(index, iteration, phase) {
    try {
      const send = this.senders[index];
      if (!send) throw new Error(`no operation for the phase ${phase.name}`);
      send(iteration, phase);
    } catch (error) {
      noteException(error, this.client, this.names[index]);
    }
  }

  /**
   * @param {UserOperation} operation
   * @param {string} tag the operation that its calls count as
   * @returns {Sender}
   */
  #senderOf(operation, tag) {
    if (operation.calls) return this.#inTurn(operation, tag);
    const { args, expect, received, items } =
      (operation.scripted && this.#workload.operations[operation.operation]) || NO_SCRIPT;
    const tags = { operation: tag, class: operation.class };
    const { arguments: variants, member = 'arguments' } = operation;
    const params = JSON.parse(operation.params);
    // Constant arguments are encoded once.
    if (variants?.length === 1) params[member] = JSON.parse(this.#textAt(variants, 0));
    const call = this.client.prepare(operation.method, params, {
      tags,
      member,
      ...(operation.headers && { paramHeaders: operation.headers }),
      ...(operation.request_headers && { headers: operation.request_headers }),
      ...(operation.progress && { progress: true }),
      ...(operation.abandon_after && { abandonAfter: operation.abandon_after }),
      ...(operation.expect_status && { expectStatus: operation.expect_status }),
      ...(expect && { expect }),
    });
    this.#calls.push({ call, tags });
    const argumentOf = this.#argumentsOf(operation, args);
    if (!received && !items) return (iteration, phase) => call.send(argumentOf(iteration, phase));
    return (iteration, phase) => {
      const callArguments = argumentOf(iteration, phase);
      const answer = call.send(callArguments);
      if (!answer.ok) return answer;
      // The call has succeeded, even if the script fails to process the answer.
      try {
        if (received) run('received', () => received(answer, callArguments));
        if (items && this.client.measured)
          itemsMetric.add(
            run('items', () => items(phase.labels ?? {})),
            tags,
          );
      } catch (error) {
        noteException(error, this.client, tag);
      }
      return answer;
    };
  }

  /**
   * @param {NonNullable<UserOperation['arguments']>} variants
   * @param {number} index
   * @returns {string} JSON
   */
  #textAt(variants, index) {
    return ('first' in variants ? this.#texts[variants.first + index]?.text : variants[index]) ?? '';
  }

  /**
   * @param {UserOperation} operation
   * @param {import('./workload.js').OperationSpec['args'] | undefined} args
   * @returns {(iteration: number, phase: PlannedPhase) => any} the variable part of a call: undefined, JSON
   *   text or an object
   */
  #argumentsOf({ arguments: variants }, args) {
    if (variants && variants.length > 1)
      return (iteration) => this.#textAt(variants, iteration % variants.length);
    if (args) return (_, { labels = {} }) => run('args', () => args(labels));
    return () => undefined;
  }

  /**
   * Makes the calls one after the other, until one fails.
   *
   * @param {UserOperation} operation
   * @param {string} tag
   * @returns {Sender}
   */
  #inTurn({ method, class: kind, calls = [] }, tag) {
    const [first = noCalls, ...others] = calls.map((part) => this.#senderOf(part, tag));
    const tags = { operation: tag, method, class: kind };
    return (iteration, phase) => {
      // Has fractions of a millisecond, unlike Date.now().
      const began = exec.instance.currentTestRunDuration;
      let answer = first(iteration, phase);
      for (const next of others) {
        if (!answer.ok) break;
        answer = next(iteration, phase);
        if (this.client.measured) additionalRequests.add(1, tags);
      }
      if (this.client.measured) sequenceDuration.add(exec.instance.currentTestRunDuration - began, tags);
      return answer;
    };
  }
}

/**
 * Counts an exception, and logs the first one of each operation.
 *
 * @param {unknown} thrown
 * @param {import('k6/x/mcp').StreamableHTTPClient | undefined} client redacts secrets from the message
 * @param {string} [operation] absent: no call had begun
 */
export function noteException(thrown, client, operation) {
  exceptions.add(1, operation === undefined ? {} : { operation });
  if (logged.has(operation)) return;
  logged.add(operation);
  const { by, error } = thrown instanceof Thrown ? thrown : new Thrown('', thrown);
  const text = messageOf(error);
  const message = oneLine(client?.redact(text) ?? text, MAX_MESSAGE);
  console.error(`exception in ${by && `${by}() of `}${operation ?? 'the start of a VU'}: ${message}`);
}

/** @param {any} error whatever was thrown @returns {string} */
function messageOf(error) {
  const { name = 'Error', message } = Object(error);
  return message === undefined ? asText(error) : `${asText(name)}: ${asText(message)}`;
}

/** @type {Sender} */
const noCalls = () => {
  throw new Error('an operation with several calls has no arguments');
};

/** @type {Partial<import('./workload.js').OperationSpec>} */
const NO_SCRIPT = {};
