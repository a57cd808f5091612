/** One virtual user: its client, and the operations of the test, each ready to be called. */
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

/** Characters of an exception's message that are logged. */
const MAX_MESSAGE = 200;

/** Operations of which this VU has logged an exception; undefined: of its start. @type {Set<string | undefined>} */
const logged = new Set();

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
  /** Prepared calls, with their tags. @type {{call: PreparedCall, tags: Record<string, string>}[]} */
  #calls = [];
  #limits;
  #texts;
  #workload;

  /**
   * @param {Pick<import('./test.js').SetupData, 'client' | 'seed' | 'operations' | 'limits'>} data
   * @param {Record<string, string | undefined>} env with what the secret source has
   * @param {import('./workload.js').Workload} workload that has the functions of its operations
   * @param {{text: string}[]} texts the shared arguments
   */
  constructor({ client, seed, operations, limits }, env, workload, texts) {
    this.client = makeClient(client, env);
    this.#limits = limits;
    this.#workload = workload;
    this.#texts = texts;
    // The same seed makes the same sequences of arguments; every user has one of its own.
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

  /** @param {Record<string, string>} tags of a call @returns {number[]} milliseconds, of the objectives that it is in the scope of */
  #limitsOf(tags) {
    const fitting = this.#limits.filter(({ scope }) =>
      Object.entries(scope).every(([tag, value]) => tags[tag] === value),
    );
    return [...new Set(fitting.map(({ limit }) => limit))];
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
      const send = this.senders[index];
      if (!send) throw new Error(`no operation for the phase ${phase.name}`);
      send(iteration, phase);
    } catch (error) {
      noteException(error, this.client, this.names[index]);
    }
  }

  /** @param {UserOperation} operation @param {string} tag the operation that its calls are counted as @returns {Sender} */
  #senderOf(operation, tag) {
    if (operation.calls) return this.#inTurn(operation, tag);
    const { args, expect, received, items } =
      (operation.scripted && this.#workload.operations[operation.operation]) || NO_SCRIPT;
    const tags = { operation: tag, class: operation.class };
    const { arguments: given, member = 'arguments' } = operation;
    const params = JSON.parse(operation.params);
    // What never varies is prepared.
    if (given?.length === 1) params[member] = JSON.parse(this.#textAt(given, 0));
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
      const given = argumentOf(iteration, phase);
      const answer = call.send(given);
      if (!answer.ok) return answer;
      // The call has succeeded, whatever becomes of its answer here.
      try {
        if (received) run('received', () => received(answer, given));
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

  /** @param {NonNullable<UserOperation['arguments']>} given @param {number} index @returns {string} JSON */
  #textAt(given, index) {
    return ('first' in given ? this.#texts[given.first + index]?.text : given[index]) ?? '';
  }

  /**
   * @param {UserOperation} operation
   * @param {import('./workload.js').OperationSpec['args'] | undefined} args
   * @returns {(iteration: number, phase: PlannedPhase) => any} what varies of a call: nothing, JSON, or an object
   */
  #argumentsOf({ arguments: given }, args) {
    if (given && given.length > 1) return (iteration) => this.#textAt(given, iteration % given.length);
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
 * Counts an exception, and logs the first of each operation.
 *
 * @param {unknown} thrown
 * @param {import('k6/x/mcp').StreamableHTTPClient | undefined} client that knows the secrets
 * @param {string} [operation] without: no call had begun
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
  throw new Error('an operation of several calls has none');
};

/** @type {Partial<import('./workload.js').OperationSpec>} */
const NO_SCRIPT = {};
