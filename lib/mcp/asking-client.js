import { McpClient } from './client.js';
import { TargetError } from './target-error.js';

/** Of a list; what comes after them is not looked at. */
const MAX_PAGES = 1000;
const MAX_ITEMS = 200_000;
/** Characters of all pages of a list: all of them are in memory at once, several times as large. */
const MAX_TEXT = 96 * 1024 * 1024;
/** For all pages of a list: one of slow pages must not take a thousand times as long as one. */
const LIST_S = 8;

/** A client that asks what a server offers and reads the answers: for set-up and discovery, users do without. */
export class AskingClient extends McpClient {
  /** The lists that were not read to their end, and why. @type {Record<string, string>} by method */
  unread = {};
  /** Characters of all answers. */
  received = 0;

  /**
   * @param {string} name
   * @param {Record<string, unknown>} args
   */
  callTool(name, args) {
    return this.once('tools/call', { name, arguments: args });
  }

  /**
   * @param {(found: any[]) => boolean} [enough] after a page: need there be no more?
   * @returns {any[]} all pages
   */
  listTools(enough) {
    return this.list('tools/list', 'tools', enough);
  }

  /** @returns {any[]} all pages */
  listResources() {
    return this.list('resources/list', 'resources');
  }

  /** @returns {any[]} all pages */
  listResourceTemplates() {
    return this.list('resources/templates/list', 'resourceTemplates');
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
   * @param {(found: any[]) => boolean} [enough]
   * @returns {any[]} all pages, or as many as can be had; why no more is then in `unread`
   * @throws {TargetError} where a page fails, or the pages do not end and have nothing
   */
  list(method, member, enough = () => false) {
    /** @type {any[]} */
    const found = [];
    const deadline = Date.now() + LIST_S * 1000;
    let cursor;
    const before = this.received;
    const length = () => this.received - before;
    let page = 0;
    while (page < MAX_PAGES && found.length < MAX_ITEMS && length() < MAX_TEXT && Date.now() < deadline) {
      const { failure, result } = this.once(method, cursor === undefined ? {} : { cursor });
      if (failure) throw new TargetError(`${this.connection.url} fails at ${method} (${failure.detail})`);
      page += 1;
      // One by one: a page may have more items than a call may have arguments.
      if (Array.isArray(result[member])) for (const item of result[member]) found.push(item);
      cursor = result.nextCursor;
      if (cursor === undefined || cursor === null || enough(found)) return found;
    }
    const reason = `it goes on after ${page} pages with ${found.length} items (${Math.round(length() / 1024)} KB)`;
    if (found.length === 0) throw new TargetError(`${this.connection.url}: ${method}: ${reason}`);
    this.unread[method] = reason;
    return found;
  }

  /**
   * @param {import('./client.js').Call} call
   * @param {import('./client.js').Arguments} [args]
   */
  exchange(call, args) {
    const exchange = super.exchange(call, args);
    this.received += exchange.response.body?.length ?? 0;
    return exchange;
  }
}
