/** Reads all pages of a server's list, within limits, because the list is kept in memory. */
import { TargetError } from './target-error.js';

const MAX_PAGES = 1000;
const MAX_ITEMS = 200_000;
/** Maximum size of all pages together. */
const MAX_BYTES = 96 * 1024 * 1024;
/** For all pages, seconds: a list of many slow pages must not block set-up. */
const LIST_S = 8;

/**
 * @typedef {object} Listed
 * @property {any[]} found
 * @property {string | null} unread why the list is incomplete; null = it is complete
 * @property {number} calls
 * @property {number} bytes size of all messages
 * @property {number} ttlMs how long all pages may be cached; 0 = not at all
 */

/**
 * @param {{client: import('k6/x/mcp').StreamableHTTPClient, url: string}} server
 * @param {string} method
 * @param {string} member the member of each page that has the items
 * @param {(found: any[]) => boolean} [enough] called after each page; true = stop reading
 * @returns {Listed} the items of all pages that could be read
 * @throws {TargetError} if a page fails, or if the pages do not end and have no items
 */
export function listAll({ client, url }, method, member, enough = () => false) {
  /** @type {any[]} */
  const found = [];
  const deadline = Date.now() + LIST_S * 1000;
  let cursor;
  let bytes = 0;
  let calls = 0;
  let ttlMs = Number.POSITIVE_INFINITY;
  while (calls < MAX_PAGES && found.length < MAX_ITEMS && bytes < MAX_BYTES && Date.now() < deadline) {
    const { failure, result, bytes: size } = client.request(method, cursor === undefined ? {} : { cursor });
    if (failure) throw new TargetError(`${url} fails at ${method} (${failure.detail})`);
    calls += 1;
    bytes += size;
    ttlMs = Math.min(ttlMs, typeof result.ttlMs === 'number' ? Math.max(0, result.ttlMs) : 0);
    // Not push(...items): a page may have more items than a call may have arguments.
    if (Array.isArray(result[member])) for (const item of result[member]) found.push(item);
    cursor = result.nextCursor;
    if (enough(found) || typeof cursor !== 'string') return { found, unread: null, calls, bytes, ttlMs };
  }
  const reason = `the list continues after ${calls} pages with ${found.length} items (${Math.round(bytes / 1024)} KB)`;
  if (found.length === 0) throw new TargetError(`${url}: ${method}: ${reason}`);
  return { found, unread: reason, calls, bytes, ttlMs };
}
