/**
 * Clients for servers that do not speak MCP, by the dialect's name. They differ from the MCP client in how a request is
 * built and its answer is read; counting, tags and failures are the same.
 */
import http from 'k6/http';
import { asText } from '../../contract/as-text.js';
import { jsonOf, McpClient } from '../mcp/client.js';
import { readJsonRpc, readRest } from './answer.js';

/**
 * @typedef {import('../mcp/client.js').Call & PlainCall} DialectCall
 *
 * @typedef {object} PlainCall
 * @property {any} target k6's parsed URL
 * @property {Record<string, string>} requestHeaders of this operation, for example its user
 * @property {number[]} [expectStatus]
 *
 * @typedef {import('../mcp/client.js').CallOptions & {request_headers?: Record<string, string>,
 *   expect_status?: number[]}} DialectCallOptions
 */

/** No handshake, no session, one POST a call. */
class PlainClient extends McpClient {
  /**
   * @param {import('../mcp/client.js').Connection} connection
   * @param {ConstructorParameters<typeof McpClient>[1]} settings
   */
  constructor(connection, settings) {
    super(connection, settings);
    this.opened = true;
  }

  /**
   * @override
   * @param {string} method
   * @param {Record<string, unknown>} params
   * @param {DialectCallOptions} [options]
   * @returns {DialectCall}
   */
  makeCall(method, params, options = {}) {
    const { request_headers: requestHeaders = {}, expect_status: expectStatus } = options;
    const call = Object.assign(super.makeCall(method, params, options), {
      target: this.targetOf(params),
      requestHeaders,
      ...(expectStatus && { expectStatus }),
    });
    this.setHeaders(call);
    return call;
  }

  /**
   * @override
   * @param {import('../mcp/client.js').Call & Partial<PlainCall>} call
   */
  setHeaders(call) {
    super.setHeaders(call);
    Object.assign(call.http.headers, { Accept: 'application/json' }, call.requestHeaders);
  }

  /** @param {Record<string, unknown>} _params @returns {any} */
  targetOf(_params) {
    return this.url;
  }

  /**
   * @override
   * @param {any} call
   * @param {import('../mcp/client.js').Arguments} [args]
   */
  ask(call, args) {
    this.lastId += 1;
    this.tag(call);
    const text = args && jsonOf(args);
    const response = http.post(call.target, this.bodyOf(call, text), call.http);
    const answer = this.read(call, response);
    this.record(call, response, answer.failure);
    return answer;
  }

  /** @param {DialectCall} call @param {string | undefined} text of the arguments */
  bodyOf(call, text) {
    return `${call.head}${text ?? ''}${call.tail}${this.lastId}}`;
  }

  /** @param {DialectCall} _call @param {any} response @returns {import('../mcp/answer.js').Answer} */
  read(_call, response) {
    return readJsonRpc(response, this.lastId);
  }
}

/** `POST {base}/tools/{tool}/call`, the arguments alone in the body. */
class RestClient extends PlainClient {
  /** @override @param {{name?: unknown}} params */
  targetOf({ name }) {
    const [, base = '', query = ''] = /^([^?#]*)([^#]*)/.exec(this.connection.url) ?? [];
    const url = `${base.replace(/\/+$/, '')}/tools/${encodeURIComponent(asText(name))}/call${query}`;
    return http.url`${url}`;
  }

  /** @override @param {DialectCall} call @param {string | undefined} text */
  bodyOf({ params }, text) {
    return `{"arguments":${text ?? JSON.stringify(params.arguments ?? {})}}`;
  }

  /** @override @param {DialectCall} call @param {any} response */
  read({ expectStatus }, response) {
    return readRest(response, expectStatus);
  }
}

export const dialectClients = { jsonrpc: PlainClient, rest: RestClient };
