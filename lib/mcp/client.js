/**
 * An MCP client for one virtual user. Headers, tags and the fixed parts of a body are made once per
 * operation (`prepare`); a call then costs one string, one request and the metrics.
 */
import encoding from 'k6/encoding';
import http from 'k6/http';
import * as metrics from '../metrics.js';
import { readAnswer } from './answer.js';
import { CLIENT_INFO, LEGACY_VERSIONS, MODERN_META, requestHeaders } from './protocol.js';
import { TargetError } from './target-error.js';

/**
 * How to speak to a target; found once in set-up (see connect.js) and handed to every virtual user.
 *
 * @typedef {object} Connection
 * @property {string} url
 * @property {'modern' | 'legacy'} era
 * @property {string} version the protocol version; in the legacy era what initialize settled on
 * @property {{name: string, version: string} | null} server
 *
 * @typedef {object} Call a request made ready
 * @property {string} method
 * @property {Record<string, unknown>} params those that never change
 * @property {string} head the body up to what varies
 * @property {string} tail the body from there up to the id
 * @property {{operation: string, method: string, class: string}} tags
 * @property {any} http k6's request parameters
 * @property {Record<string, {operation: string, method: string, class: string, kind: string}>} failureTags by kind
 * @property {boolean} ofSession
 * @property {import('./answer.js').Expectation} [expect]
 *
 * @typedef {object} CallOptions
 * @property {string} [operation] the tag; by default the method
 * @property {string} [class] read, write, complex or protocol
 * @property {boolean} [withArguments] `send` gives the `arguments` member anew each time
 * @property {import('./answer.js').Expectation} [expect]
 * @property {boolean} [ofSession] opens or ends a session: counted, but its time is the session's and no call's
 */

const OF_SESSION = { ofSession: true };

/** @param {string} text */
const base64 = (text) => encoding.b64encode(text);

export class McpClient {
  /**
   * @param {Connection} connection
   * @param {object} settings
   * @param {string} settings.token bearer token, '' = none
   * @param {number} settings.timeoutS longest wait for one answer
   * @param {number} [settings.startedMs] the run's zero, for the time of a failure
   */
  constructor(connection, { token, timeoutS, startedMs = Date.now() }) {
    this.connection = connection;
    /** false: requests are counted as warm-up and enter no figure */
    this.measured = false;
    this.token = token;
    this.timeout = `${Math.round(timeoutS * 1000)}ms`;
    this.startedMs = startedMs;
    this.session = '';
    this.opened = connection.era === 'modern';
    this.lastId = 0;
    /** @type {Call[]} */
    this.calls = [];
    /** @type {Set<string>} kinds of failure that this user has logged already */
    this.logged = new Set();
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
      expect,
      ofSession = false,
    } = options;
    const modern = this.connection.era === 'modern';
    const fixed = JSON.stringify({ ...params, ...(modern && { _meta: MODERN_META }) });
    const start = `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":`;
    const tags = { operation, method, class: kind };
    /** @type {Call} */
    const call = {
      method,
      params,
      head: withArguments ? `${start}${fixed.slice(0, -1)},"arguments":` : `${start}${fixed}`,
      tail: withArguments ? '},"id":' : ',"id":',
      tags,
      failureTags: {},
      ofSession,
      ...(expect && { expect }),
      http: {
        tags: { ...tags, name: method },
        timeout: this.timeout,
        redirects: 0,
        responseType: 'text',
        // Failures are this library's to judge: k6 would only know the status.
        responseCallback: null,
      },
    };
    this.setHeaders(call);
    return call;
  }

  /** @param {Call} call */
  setHeaders(call) {
    const { era, version } = this.connection;
    const { method, params } = call;
    call.http.headers = requestHeaders(
      { era, version, token: this.token, session: this.session, method, params },
      base64,
    );
  }

  /**
   * Sends a prepared request, in a session where the target keeps any, and counts what came of it.
   *
   * @param {Call} call
   * @param {Record<string, unknown>} [args] the `arguments` member, for a call prepared with `withArguments`
   * @returns {import('./answer.js').Answer}
   */
  send(call, args) {
    if (!this.opened) {
      const failure = this.open();
      if (failure) return { failure, result: null };
    }
    const { answer, response } = this.post(call, args);
    if (this.session && sessionIsGone(response.status, answer)) this.forget();
    return answer;
  }

  /**
   * @param {Call} call
   * @param {Record<string, unknown>} [args]
   */
  post(call, args) {
    this.lastId += 1;
    const body = `${call.head}${args ? JSON.stringify(args) : ''}${call.tail}${this.lastId}}`;
    const response = http.post(this.connection.url, body, call.http);
    const answer = readAnswer(response, this.lastId, call.expect, args);
    this.record(call, response, body.length, answer.failure);
    return { answer, response };
  }

  /**
   * @param {Call} call
   * @param {import('k6/http').RefinedResponse<any>} response
   * @param {number} sentBytes
   * @param {import('./answer.js').Failure | null} failure
   */
  record(call, response, sentBytes, failure) {
    const { tags } = call;
    if (failure) this.logOnce(call, failure);
    if (!this.measured) {
      metrics.warmupRequests.add(1, tags);
      return;
    }
    metrics.requests.add(1, tags);
    metrics.requestFailed.add(failure !== null, tags);
    metrics.requestBytes.add(sentBytes, tags);
    if (response.status > 0) {
      // A dial that failed has a duration of 0: it would pull every percentile down.
      if (!call.ofSession) metrics.requestDuration.add(response.timings.duration, tags);
      metrics.responseBytes.add(/** @type {string | null} */ (response.body)?.length ?? 0, tags);
    }
    if (failure) {
      call.failureTags[failure.kind] ??= { ...tags, kind: failure.kind };
      metrics.failures.add(1, call.failureTags[failure.kind]);
      metrics.failureSeconds.add((Date.now() - this.startedMs) / 1000, { kind: failure.kind });
    }
  }

  /**
   * One line per kind of failure and user: enough to see what happened, never a flood.
   *
   * @param {Call} call
   * @param {import('./answer.js').Failure} failure
   */
  logOnce(call, { kind, detail }) {
    if (this.logged.has(kind)) return;
    this.logged.add(kind);
    const safe = this.token ? detail.split(this.token).join('[token]') : detail;
    // As an error: k6 warns of every single failed dial, so warnings are kept out of the log.
    console.error(`failure ${kind} of ${call.tags.operation}: ${safe}`);
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
    const { answer, response } = this.post(initialize);
    if (answer.failure) return answer.failure;
    this.connection = {
      ...this.connection,
      version: answer.result.protocolVersion,
      server: serverInfo(answer.result.serverInfo),
    };
    this.session = response.headers['Mcp-Session-Id'] ?? '';
    for (const call of this.calls) this.setHeaders(call);
    this.notify('notifications/initialized');
    this.opened = true;
    if (this.measured) metrics.sessionDuration.add(Date.now() - started);
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
    const response = http.post(this.connection.url, body, call.http);
    this.record(call, response, body.length, rejected(response));
  }

  /** Ends the session on the server, where there is one. */
  close() {
    if (!this.session) return;
    const call = this.makeCall('DELETE', {}, OF_SESSION);
    const response = http.del(this.connection.url, null, call.http);
    // A server may refuse to have its sessions ended by clients (405): not a failure.
    this.record(call, response, 0, response.status === 405 ? null : rejected(response));
    this.forget();
  }

  forget() {
    if (this.connection.era === 'modern') return;
    this.session = '';
    this.opened = false;
    for (const call of this.calls) this.setHeaders(call);
  }

  /**
   * @param {string} name
   * @param {Record<string, unknown>} args
   */
  callTool(name, args) {
    return this.once('tools/call', { name, arguments: args });
  }

  /** @returns {any[]} all pages */
  listTools() {
    return this.list('tools/list', 'tools');
  }

  /** @returns {any[]} all pages */
  listResources() {
    return this.list('resources/list', 'resources');
  }

  /** @returns {any[]} all pages */
  listPrompts() {
    return this.list('prompts/list', 'prompts');
  }

  /** @param {string} uri */
  readResource(uri) {
    return this.once('resources/read', { uri });
  }

  /**
   * @param {string} name
   * @param {Record<string, string>} args
   */
  getPrompt(name, args = {}) {
    return this.once('prompts/get', { name, arguments: args });
  }

  /** Legacy era only: the modern one has no ping. */
  ping() {
    return this.once('ping', {});
  }

  /**
   * @param {string} method
   * @param {Record<string, unknown>} params
   * @returns {import('./answer.js').Answer}
   */
  once(method, params) {
    const call = this.makeCall(method, params);
    if (!this.opened) {
      const failure = this.open();
      if (failure) return { failure, result: null };
      this.setHeaders(call);
    }
    return this.send(call);
  }

  /**
   * @param {string} method
   * @param {string} member
   * @returns {any[]}
   * @throws {TargetError} where a page fails, or the pages do not end
   */
  list(method, member) {
    /** @type {any[]} */
    const found = [];
    let cursor;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const { failure, result } = this.once(method, cursor === undefined ? {} : { cursor });
      if (failure) throw new TargetError(`${this.connection.url} fails at ${method} (${failure.detail})`);
      found.push(...(Array.isArray(result[member]) ? result[member] : []));
      cursor = result.nextCursor;
      if (cursor === undefined || cursor === null) return found;
    }
    throw new TargetError(`${this.connection.url}: ${method} goes on after ${MAX_PAGES} pages`);
  }
}

const MAX_PAGES = 1000;

/**
 * @param {import('k6/http').RefinedResponse<any>} response to a message without a reply
 * @returns {import('./answer.js').Failure | null}
 */
function rejected(response) {
  return response.status >= 200 && response.status < 300 ? null : readAnswer(response, -1).failure;
}

/**
 * The specification's answer is 404; the TypeScript SDK's example servers say 400 and name the session.
 *
 * @param {number} status
 * @param {import('./answer.js').Answer} answer
 */
function sessionIsGone(status, { failure }) {
  return status === 404 || (status === 400 && /session/i.test(failure?.detail ?? ''));
}

/**
 * @param {any} info
 * @returns {{name: string, version: string} | null}
 */
export function serverInfo(info) {
  return info && typeof info.name === 'string'
    ? { name: info.name, version: String(info.version ?? '') }
    : null;
}
