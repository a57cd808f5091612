/** What a server lists, page by page, within limits: all of it is in memory at once. */
import { TargetError } from './target-error.js';

const MAX_PAGES = 1000;
const MAX_ITEMS = 200_000;
/** Characters of all pages. */
const MAX_TEXT = 96 * 1024 * 1024;
/** For all pages: one of slow pages must not take a thousand times as long as one. */
const LIST_S = 8;

/**
 * @param {{client: import('k6/x/mcp').StreamableHTTPClient, url: string}} server
 * @param {string} method
 * @param {string} member of each page
 * @param {(found: any[]) => boolean} [enough] after a page: need there be no more?
 * @returns {{found: any[], unread: string | null}} all pages, or as many as can be had; unread: why no more
 * @throws {TargetError} where a page fails, or the pages do not end and have nothing
 */
export function listAll({ client, url }, method, member, enough = () => false) {
  /** @type {any[]} */
  const found = [];
  const deadline = Date.now() + LIST_S * 1000;
  let cursor;
  let length = 0;
  let page = 0;
  while (page < MAX_PAGES && found.length < MAX_ITEMS && length < MAX_TEXT && Date.now() < deadline) {
    const { failure, result, text } = client.request(method, cursor === undefined ? {} : { cursor });
    if (failure) throw new TargetError(`${url} fails at ${method} (${failure.detail})`);
    page += 1;
    length += text.length;
    // One by one: a page may have more items than a call may have arguments.
    if (Array.isArray(result[member])) for (const item of result[member]) found.push(item);
    cursor = result.nextCursor;
    if (enough(found) || typeof cursor !== 'string') return { found, unread: null };
  }
  const reason = `it goes on after ${page} pages with ${found.length} items (${Math.round(length / 1024)} KB)`;
  if (found.length === 0) throw new TargetError(`${url}: ${method}: ${reason}`);
  return { found, unread: reason };
}
