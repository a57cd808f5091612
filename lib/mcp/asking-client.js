import { McpClient } from './client.js';
import { TargetError } from './target-error.js';

const MAX_PAGES = 1000;
/** For all pages of a list: one of slow pages must not take a thousand times as long as one. */
const LIST_S = 8;

/** A client that asks what a server offers and reads the answers: for set-up and discovery, users do without. */
export class AskingClient extends McpClient {
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
   * @returns {any[]}
   * @throws {TargetError} where a page fails, or the pages do not end soon
   */
  list(method, member) {
    /** @type {any[]} */
    const found = [];
    const deadline = Date.now() + LIST_S * 1000;
    let cursor;
    let page = 0;
    for (; page < MAX_PAGES && Date.now() < deadline; page += 1) {
      const { failure, result } = this.once(method, cursor === undefined ? {} : { cursor });
      if (failure) throw new TargetError(`${this.connection.url} fails at ${method} (${failure.detail})`);
      found.push(...(Array.isArray(result[member]) ? result[member] : []));
      cursor = result.nextCursor;
      if (cursor === undefined || cursor === null) return found;
    }
    throw new TargetError(`${this.connection.url}: ${method} goes on after ${page} pages`);
  }
}
