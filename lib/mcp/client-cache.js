/** What a modern server lets a client keep (`ttlMs`), kept by one user for one call: CLIENT_CACHE=1. */
import { cacheHits } from '../metrics.js';

const CACHEABLE = [
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
];

/** @typedef {Map<string, {result: any, freshUntilMs: number}>} Kept by the JSON of the arguments */

/** @param {string} method @returns {Kept | null} a place for the results of a call, where they may be kept at all */
export const placeFor = (method) => (CACHEABLE.includes(method) ? new Map() : null);

/**
 * @param {import('./client.js').McpClient} client
 * @param {import('./client.js').Call} call
 * @param {Kept} kept
 * @param {import('./client.js').Arguments} [args]
 * @returns {import('./answer.js').Answer}
 */
export function fromCache(client, call, kept, args) {
  const key = typeof args === 'string' ? args : JSON.stringify(args ?? null);
  const found = kept.get(key);
  if (found && Date.now() < found.freshUntilMs) {
    if (client.measured) {
      client.tag(call);
      cacheHits.add(1);
    }
    return { failure: null, result: found.result };
  }
  const { lastId } = client;
  const answer = client.ask(call, args);
  const ttlMs = answer.failure ? 0 : answer.result.ttlMs;
  // A result that took input, and so more than one request, belongs to that input.
  if (ttlMs > 0 && client.lastId === lastId + 1) {
    kept.set(key, { result: answer.result, freshUntilMs: Date.now() + ttlMs });
  }
  return answer;
}
