/** Queries a server: reads its lists, completes arguments and chooses the operations to call. */
import { harmlessJson } from '../contract/one-line.js';
import { chooseOperations } from './choose.js';
import { listAll } from './list-all.js';

const MAX_COMPLETIONS = 20;
/** Time for all completion requests together, seconds; no more are sent after it. */
const COMPLETIONS_S = 30;

/**
 * @typedef {object} Offered the document that k6 writes and Node reads
 * @property {NonNullable<import('./workload.js').WorkloadDocument['connection']>} connection
 * @property {number} seed SEED
 * @property {import('./choose.js').Choice} choice
 */

/**
 * @param {ReturnType<typeof import('./connect.js').connect>} connected
 * @param {import('./config.js').Config} config
 * @param {string[] | null} named the only tools to call; null = all
 * @param {(text: string) => void} say progress
 * @returns {string} `Offered`, as JSON
 */
export function askOffer({ client, url, connection }, config, named, say) {
  const { capabilities, version, server } = connection;
  const era = connection.era ?? 'legacy';
  const has = (/** @type {string} */ name) => Boolean(capabilities[name]);
  const listing = { calls: 0, bytes: 0, tools_bytes: 0, ttl_ms: Number.POSITIVE_INFINITY };
  /** @type {import('./workload.js').LeftOut[]} */
  const unreadLists = [];
  /** @param {string} capability @param {string} method @param {string} member */
  const all = (capability, method, member) => {
    if (!has(capability)) return [];
    const { found, unread, calls, bytes, ttlMs } = listAll({ client, url }, method, member);
    if (unread) {
      const reason = `${unread}; only these items are used`;
      unreadLists.unshift({ operation: `the rest of ${method}`, reason });
    }
    listing.calls += calls;
    listing.bytes += bytes;
    if (member === 'tools') listing.tools_bytes = bytes;
    listing.ttl_ms = Math.min(listing.ttl_ms, ttlMs);
    return found;
  };
  const offer = {
    era,
    capabilities,
    tools: all('tools', 'tools/list', 'tools'),
    resources: all('resources', 'resources/list', 'resources'),
    templates: all('resources', 'resources/templates/list', 'resourceTemplates'),
    prompts: all('prompts', 'prompts/list', 'prompts'),
  };
  say(`${offer.tools.length} tools, ${offer.resources.length} resources, ${offer.prompts.length} prompts`);
  const holdsSecret = (/** @type {string} */ text) => client.redact(text) !== text;
  const complete = has('completions') ? completeBy(client, holdsSecret) : () => [];
  const choice = chooseOperations(offer, { ...config, TOOLS: named }, complete, holdsSecret);
  choice.leftOut.unshift(...unreadLists);
  const subscribe = /** @type {any} */ (capabilities.resources)?.subscribe === true;
  return harmlessJson({
    connection: {
      era,
      version,
      server,
      ...(subscribe && { subscribe }),
      ...(listing.calls > 0 && { listing }),
    },
    seed: config.SEED,
    choice,
  });
}

/**
 * @param {import('k6/x/mcp').StreamableHTTPClient} client
 * @param {import('./without-secrets.js').HoldsSecret} holdsSecret
 * @returns {import('./choose.js').Complete}
 */
function completeBy(client, holdsSecret) {
  /** @type {Map<string, string[]>} */
  const asked = new Map();
  let spentMs = 0;
  return (ref, argument, known) => {
    const params = { ref, argument, ...(Object.keys(known).length > 0 && { context: { arguments: known } }) };
    const key = JSON.stringify(params);
    let values = asked.get(key);
    if (!values) {
      if (spentMs > COMPLETIONS_S * 1000) return [];
      const started = Date.now();
      const found = client.complete(params).result?.completion?.values;
      values = (Array.isArray(found) ? found : [])
        .filter((value) => typeof value === 'string' && value !== '' && value.length <= 200)
        .slice(0, MAX_COMPLETIONS)
        .filter((value) => !holdsSecret(value));
      asked.set(key, values);
      spentMs += Date.now() - started;
    }
    return values;
  };
}
