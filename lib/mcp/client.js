/**
 * An MCP client for one virtual user. Headers and the fixed parts of a body are made once per operation (`prepare`);
 * a call then costs one string, one request, three metrics and a proof that the answer is a success. What each of
 * these measures is worth is in docs/benchmarks.md.
 */
import encoding from 'k6/encoding';
import exec from 'k6/execution';
import http from 'k6/http';
import { asText } from '../../contract/as-text.js';
import { oneLine } from '../../contract/one-line.js';
import { LEGACY_VERSIONS } from '../../contract/protocols.js';
import {
  failureSeconds,
  failures,
  furtherRequests,
  refused,
  requestDuration,
  requestDurationFine,
  requestFailed,
  requests,
  sessionDuration,
  slowRequests,
  warmupRequests,
} from '../metrics.js';
import { failed, meets, Reply, readAnswer, unexpected, wasRefused } from './answer.js';
import { paramHeaderValues } from './param-header-values.js';
import { makeProver } from './plain-success.js';
import { CLIENT_INFO, MODERN_META, requestHeaders } from './protocol.js';
import { recover } from './recover.js';

/**
 * How to speak to a target; found once in set-up (see connect.js) and handed to every virtual user.
 *
 * @typedef {object} Connection
 * @property {string} url
 * @property {'jsonrpc' | 'rest'} [dialect] without: MCP
 * @property {'modern' | 'legacy' | null} era null: not MCP
 * @property {string} version the protocol version; in the legacy era what initialize settled on
 * @property {{name: string, version: string} | null} server
 * @property {Record<string, any>} capabilities of the server
 *
 * @typedef {Record<string, unknown> | string} Arguments the `arguments` member, or its JSON
 *
 * @typedef {(iteration: number, phase: import('../phases.js').PlannedPhase) => Arguments} NextArguments
 *
 * @typedef {(iteration: number, phase: import('../phases.js').PlannedPhase) => import('./answer.js').Answer} Sender
 *
 * @typedef {object} Call a request made ready
 * @property {string} method
 * @property {Record<string, unknown>} params those that never change
 * @property {string} head the body up to what varies
 * @property {string} tail the body from there up to the id
 * @property {string} operation
 * @property {string} class
 * @property {any} http k6's request parameters
 * @property {boolean} ofSession
 * @property {number[]} limits milliseconds, ascending: answers that take one or longer are counted
 * @property {(measured: boolean, slowMs: number) => void} enterPhase slowMs: an answer that took as long or longer needs
 *   more than its duration recorded
 * @property {boolean} proven in this session an answer has been read in full, its content type too
 * @property {import('./answer.js').Expectation | undefined} expect
 * @property {((args: any) => Record<string, string>) | null} paramHeaders
 * @property {import('./client-cache.js').Kept | null} kept
 * @property {CallOptions} options it was made with
 *
 * @typedef {object} CallOptions
 * @property {string} [operation] the tag; by default the method
 * @property {string} [class] read, write, complex or protocol
 * @property {boolean} [withArguments] `send` gives the `arguments` member anew each time
 * @property {string} [member] that `send` gives instead; not one that a header repeats
 * @property {import('./answer.js').Expectation} [expect]
 * @property {Record<string, string>} [headers] modern era: what follows `Mcp-Param-` -> JSON pointer of the argument
 * @property {boolean} [ofSession] opens or ends a session: counted, but its time is the session's and no call's
 */

// Most runs need no such code, and every user would hold it.
/** @type {typeof import('./client-cache.js') | null} */
const cache = __ENV.CLIENT_CACHE === '1' ? require('./client-cache.js') : null;

// k6 asks for no compression by itself.
/** @type {Record<string, string>} */
const ACCEPTED = __ENV.ACCEPT_ENCODING ? { 'Accept-Encoding': __ENV.ACCEPT_ENCODING } : {};

/** Of a server's name for itself, and of its version. */
const MAX_NAME = 100;
/** A session's id goes into each request. */
const MAX_SESSION_ID = 4096;

const OF_SESSION = { ofSession: true };
/** @type {number[]} */
const NO_LIMITS = [];
/** @type {import('./answer.js').Answer} */
const PLAIN_SUCCESS = { failure: null, result: null };

// Failures are this library's to judge: k6 would only know the status.
http.setResponseCallback(/** @type {any} */ (null));

// As variables of their own these are cheaper to call.
const { post } = http;
const addRequest = requests.add;
const addFailed = requestFailed.add;
const addDuration = requestDuration.add;

const ignore = () => {};

/** @param {Arguments} args @returns {string} */
export const jsonOf = (args) => (typeof args === 'string' ? args : JSON.stringify(args));

/** @param {{headers: Record<string, string>}} params @param {Record<string, string>} headers */
const withHeaders = (params, headers) => ({ ...params, headers: { ...params.headers, ...headers } });

/** @param {string} text */
const base64 = (text) => encoding.b64encode(text);

export class McpClient {
  /**
   * @param {Connection} connection
   * @param {object} settings
   * @param {import('../auth/auth.js').Auth} settings.auth
   * @param {number} settings.timeoutS longest wait for one answer
   * @param {number} [settings.startedMs] the run's zero, for the time of a failure
   * @param {string} [settings.sessions] legacy era: per-vu, per-call or abandon
   */
  constructor(connection, { auth, timeoutS, startedMs = Date.now(), sessions = 'per-vu' }) {
    this.connection = connection;
    // Parsed once, where a text would be with every request.
    this.url = http.url`${connection.url}`;
    /** false: requests are counted as warm-up and enter no figure */
    this.measured = false;
    this.streamed = false;
    this.auth = auth;
    this.timeoutMs = Math.round(timeoutS * 1000);
    this.startedMs = startedMs;
    this.session = '';
    this.sessions = sessions;
    this.opened = connection.era === 'modern';
    this.lastId = 0;
    /** @type {Call[]} */
    this.calls = [];
    /** kinds of failure that this user has logged already (a text, for a first Set would cost 19 KB) */
    this.logged = '';
    /** k6 puts these on every sample of this user, which costs half of giving them with each */
    this.tags = exec.vu.tags;
    /** @type {Call | null} the one that the tags are of, and that may be sent without further ado */
    this.tagged = null;
  }

  /**
   * To be called when a phase begins: k6 forgets a user's tags between two scenarios.
   *
   * @param {boolean} measured
   * @param {boolean} [streamed] k6 keeps no samples
   * @param {Record<string, number[]>} [limits] by operation, see latency-limits.js
   */
  enterPhase(measured, streamed = false, limits = {}) {
    this.measured = measured;
    this.streamed = streamed;
    // Not for...of: a first iterator costs each virtual user 9 KB.
    this.calls.forEach((call) => {
      call.limits = limits[call.operation] ?? NO_LIMITS;
      call.enterPhase(measured, streamed ? 0 : (call.limits[0] ?? Number.POSITIVE_INFINITY));
    });
    this.tagged = null;
  }

  /**
   * Makes a request ready to be sent many times.
   *
   * @param {string} method
   * @param {Record<string, unknown>} params
   * @param {CallOptions} [options]
   * @returns {Call}
   */
  prepare(method, params, options) {
    const call = this.makeCall(method, params, options);
    this.calls.push(call);
    return call;
  }

  /**
   * @param {string} method
   * @param {Record<string, unknown>} params
   * @param {CallOptions} [options]
   * @returns {Call}
   */
  makeCall(method, params, options = {}) {
    const {
      operation = method,
      class: kind = 'protocol',
      withArguments,
      member = 'arguments',
      expect,
      headers,
      ofSession = false,
    } = options;
    const modern = this.connection.era === 'modern';
    const fixed = JSON.stringify({ ...params, ...(modern && { _meta: MODERN_META }) });
    // The arguments come first: `params` may be empty.
    const start = `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":`;
    /** @type {Call} */
    const call = {
      method,
      params,
      head: withArguments
        ? `${start}${fixed.slice(0, -1)}${fixed === '{}' ? '' : ','}"${member}":`
        : `${start}${fixed}`,
      tail: withArguments ? '},"id":' : ',"id":',
      operation,
      class: kind,
      ofSession,
      limits: NO_LIMITS,
      enterPhase: ignore,
      proven: false,
      expect,
      paramHeaders: modern && headers ? paramHeaderValues(headers, base64) : null,
      kept: modern && cache ? cache.placeFor(method) : null,
      options,
      http: { timeout: this.timeoutMs, redirects: 0 },
    };
    this.setHeaders(call);
    return call;
  }

  /** @param {Call} call */
  setHeaders(call) {
    const { era, version } = this.connection;
    const { method, params } = call;
    const headers = { ...ACCEPTED, ...this.auth.headers };
    call.http.headers = requestHeaders(
      { era, version, headers, session: this.session, method, params },
      base64,
    );
  }

  /** Gets a new token, and has every prepared request carry it. */
  async renew() {
    await this.auth.renew();
    for (const call of this.calls) this.setHeaders(call);
  }

  /**
   * Sends one prepared call again and again, for the hot path: what it needs is in variables, for k6 takes longer to
   * read a property than to do anything else that a script does.
   *
   * @param {Call} call
   * @param {object} [given] a call prepared with `withArguments` takes one of them
   * @param {string} [given.text] the JSON of the arguments, where they are always the same
   * @param {NextArguments} [given.next] where they are not
   * @returns {Sender}
   */
  sender(call, { text, next } = {}) {
    const { era } = this.connection;
    if (era === null || this.sessions !== 'per-vu' || call.kept !== null || call.paramHeaders !== null) {
      return (iteration, phase) => this.send(call, next ? next(iteration, phase) : text);
    }
    const { head, tail, expect, http: params } = call;
    const { url } = this;
    const whole = `${head}${text ?? ''}${tail}`;
    const proves = makeProver();
    let { measured } = this;
    let slowMs = 0;
    call.enterPhase = (phaseIsMeasured, ms) => {
      measured = phaseIsMeasured;
      slowMs = ms;
    };
    return (iteration, phase) => {
      /** @type {Arguments | undefined} */
      let args = text;
      let start = whole;
      if (next !== undefined) {
        args = next(iteration, phase);
        start = `${head}${jsonOf(args)}${tail}`;
      }
      if (this.tagged !== call) {
        if (!call.proven) return this.send(call, args);
        this.tag(call);
      }
      const id = this.lastId + 1;
      this.lastId = id;
      const digits = `${id}`;
      const response = post(url, `${start}${digits}}`, params);
      const message = proves(response, digits);
      if (message === null) {
        return this.settle(call, args, { response, answer: readReply(call, response, id, args) });
      }
      if (expect !== undefined && !meets(expect, new Reply(message), args)) {
        return this.settle(call, args, { response, answer: unexpected() });
      }
      if (measured) {
        addRequest(1);
        addFailed(false);
        const ms = response.timings.duration;
        if (ms < slowMs) addDuration(ms);
        else this.recordDuration(call, ms);
      } else {
        warmupRequests.add(1);
      }
      return PLAIN_SUCCESS;
    };
  }

  /**
   * Sends a prepared request, in a session where the target keeps any, and counts what came of it.
   *
   * @param {Call} call
   * @param {Arguments} [args] for a call prepared with `withArguments`
   * @returns {import('./answer.js').Answer}
   */
  send(call, args) {
    if (!this.opened) {
      const failure = this.open();
      if (failure) return { failure, result: null };
    }
    const answer =
      call.kept === null
        ? this.ask(call, args)
        : /** @type {NonNullable<typeof cache>} */ (cache).fromCache(this, call, call.kept, args);
    if (this.sessions !== 'per-vu') this.leave();
    return answer;
  }

  /**
   * @param {Call} call
   * @param {Arguments} [args]
   * @returns {import('./answer.js').Answer}
   */
  ask(call, args) {
    return this.settle(call, args, this.exchange(call, args));
  }

  /**
   * @param {Call} call
   * @param {Arguments | undefined} args
   * @param {import('./recover.js').Exchange} exchange not recorded yet
   * @returns {import('./answer.js').Answer} what became of it in the end
   */
  settle(call, args, exchange) {
    if (exchange.answer.failure !== null) return recover(this, call, args, exchange).answer;
    this.record(call, exchange.response, null);
    return exchange.answer;
  }

  /**
   * @param {Call} call
   * @param {Arguments} [args]
   * @returns {import('./recover.js').Exchange} to be recorded
   */
  exchange(call, args) {
    const response = this.post(call, args);
    return { response, answer: readReply(call, response, this.lastId, args) };
  }

  /**
   * @param {Call} call
   * @param {Arguments} [args]
   */
  post(call, args) {
    this.lastId += 1;
    if (this.tagged !== call) this.tag(call);
    const text = args === undefined ? '' : jsonOf(args);
    const params = call.paramHeaders === null ? call.http : withHeaders(call.http, call.paramHeaders(args));
    return http.post(this.url, `${call.head}${text}${call.tail}${this.lastId}}`, params);
  }

  /**
   * Puts the call's tags on what k6 measures from now on. Nothing of a warm-up gets them.
   *
   * @param {Call} call
   */
  tag(call) {
    if (!this.measured) return;
    // Before its first answer a call is not to take the short way.
    this.tagged = call.proven ? call : null;
    this.tags.operation = call.operation;
    this.tags.method = call.method;
    this.tags.class = call.class;
  }

  /**
   * @param {Call} call
   * @param {import('k6/http').RefinedResponse<any>} response
   * @param {import('./answer.js').Failure | null} failure
   */
  record(call, response, failure) {
    if (failure) {
      if (response.status === 401) this.auth.refused();
      this.logOnce(call, failure);
    }
    if (!this.measured) {
      warmupRequests.add(1);
      return;
    }
    requests.add(1);
    requestFailed.add(failure !== null);
    // A dial that failed has a duration of 0: it would pull every percentile down.
    if (!call.ofSession && response.status > 0) this.recordDuration(call, response.timings.duration);
    if (failure) {
      const { kind } = failure;
      failures.add(1, { kind });
      if (wasRefused(response)) refused.add(1);
      failureSeconds.add((Date.now() - this.startedMs) / 1000, { kind });
    }
  }

  /**
   * A request in which no call ends: of a handshake, a session's end, a round of input.
   *
   * @param {Call} call
   * @param {import('k6/http').RefinedResponse<any>} response
   * @param {import('./answer.js').Failure | null} failure
   */
  recordFurther(call, response, failure) {
    this.record(call, response, failure);
    if (this.measured) furtherRequests.add(1);
  }

  /**
   * @param {Call} call
   * @param {number} ms
   */
  recordDuration({ limits }, ms) {
    requestDuration.add(ms);
    if (this.streamed) requestDurationFine.add((ms / 1000) ** 8);
    // They ascend, and most calls stay below the first.
    for (let index = 0; index < limits.length; index += 1) {
      const limit = /** @type {number} */ (limits[index]);
      if (ms < limit) break;
      slowRequests.add(1, { limit: String(limit) });
    }
  }

  /**
   * One line per kind of failure and user: enough to see what happened, never a flood.
   *
   * @param {Call} call
   * @param {import('./answer.js').Failure} failure
   */
  logOnce(call, { kind, detail }) {
    if (this.logged.includes(`${kind} `)) return;
    this.logged += `${kind} `;
    // As an error: k6 warns of every single failed dial, so warnings are kept out of the log.
    console.error(`failure ${kind} of ${call.operation}: ${this.auth.redact(detail)}`);
  }

  /**
   * Legacy era: initialize and initialized. Every request of it is counted; its time is a session's, not a call's.
   *
   * @returns {import('./answer.js').Failure | null}
   */
  open() {
    const started = Date.now();
    this.forget();
    const initialize = this.makeCall(
      'initialize',
      {
        protocolVersion: this.connection.version || LEGACY_VERSIONS[0],
        capabilities: {},
        clientInfo: CLIENT_INFO,
      },
      OF_SESSION,
    );
    const { response, answer } = this.exchange(initialize);
    const failure = answer.failure ?? tooLong(sessionOf(response));
    if (failure) {
      // The call for which the session was to be opened ends with it.
      this.record(initialize, response, failure);
      return failure;
    }
    this.recordFurther(initialize, response, null);
    this.connection = {
      ...this.connection,
      version: asText(answer.result.protocolVersion),
      server: serverInfo(answer.result.serverInfo),
      capabilities: answer.result.capabilities ?? {},
    };
    this.session = sessionOf(response);
    for (const call of this.calls) this.setHeaders(call);
    this.notify('notifications/initialized');
    this.opened = true;
    if (this.measured) sessionDuration.add(Date.now() - started);
    return null;
  }

  /**
   * Legacy era: a message that is not answered.
   *
   * @param {string} method
   */
  notify(method) {
    const call = this.makeCall(method, {}, OF_SESSION);
    const body = JSON.stringify({ jsonrpc: '2.0', method });
    this.tag(call);
    const response = http.post(this.url, body, call.http);
    this.recordFurther(call, response, rejected(response));
  }

  /** Ends the session on the server, where there is one. */
  close() {
    if (!this.session) return;
    const call = this.makeCall('DELETE', {}, OF_SESSION);
    this.tag(call);
    const response = http.del(this.url, null, call.http);
    // A server may refuse to have its sessions ended by clients (405): not a failure.
    this.recordFurther(call, response, response.status === 405 ? null : rejected(response));
    this.forget();
  }

  /** After a call, where each has a session of its own. */
  leave() {
    if (this.sessions === 'per-call') this.close();
    this.forget();
  }

  forget() {
    if (this.connection.era === 'modern') return;
    this.session = '';
    this.opened = false;
    this.tagged = null;
    for (const call of this.calls) {
      call.proven = false;
      this.setHeaders(call);
    }
  }
}

/** @param {any} response @returns {string} '' = none */
const sessionOf = ({ headers }) => headers['Mcp-Session-Id'] ?? '';

/** @param {string} session @returns {import('./answer.js').Failure | null} */
const tooLong = (session) =>
  session.length > MAX_SESSION_ID
    ? failed(
        'protocol',
        `a session id of ${session.length} characters; more than ${MAX_SESSION_ID} are not sent`,
      ).failure
    : null;

/**
 * @param {Call} call
 * @param {any} response
 * @param {number} id
 * @param {Arguments} [args]
 * @returns {import('./answer.js').Answer}
 */
const readReply = (call, response, id, args) => {
  const answer = readAnswer(response, id, call.expect, args);
  if (answer.failure) return answer;
  if (!isUtf8(response.body)) return failed('protocol', 'the answer has bytes that are not UTF-8');
  call.proven = true;
  return answer;
};

/**
 * k6 shows bytes that are not UTF-8 as U+FFFD, but keeps them underneath; a copy of the text has lost them.
 *
 * @param {string} body
 */
const isUtf8 = (body) => {
  return body.indexOf('\ufffd') < 0 || base64(body) === base64(body.slice(0, 1) + body.slice(1));
};

/**
 * @param {import('k6/http').RefinedResponse<any>} response to a message without a reply
 * @returns {import('./answer.js').Failure | null}
 */
const rejected = (response) => {
  return response.status >= 200 && response.status < 300 ? null : readAnswer(response, -1).failure;
};

/**
 * @param {any} info may say anything, and becomes a label and a line of each report
 * @returns {{name: string, version: string} | null}
 */
export const serverInfo = (info) => {
  return info && typeof info.name === 'string'
    ? { name: oneLine(info.name, MAX_NAME), version: oneLine(info.version ?? '', MAX_NAME) }
    : null;
};
