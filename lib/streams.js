/** Streams on which a server says what no call asked for. A VU holds many: they cost no CPU while they are silent. */
import exec from 'k6/execution';
import { setTimeout } from 'k6/timers';
import { makeClient } from './credentials.js';

/** A VU whose last so many streams were refused or lost opens no more. */
const MAX_LOST = 10;
const MIN_TIMEOUT_MS = 1000;

/**
 * @typedef {object} StreamsData
 * @property {boolean} areCalls the server is asked for a stream by a call, subscriptions/listen; it keeps no sessions
 * @property {Record<string, unknown>} notifications that it is asked for
 */

/**
 * @param {ReturnType<typeof import('./connect.js').connect>} server
 * @returns {StreamsData} with all notifications that the server says it has; of changed resources those of the first one
 */
export function streamsOf({ client, connection: { era, capabilities } }) {
  const changes = ['tools', 'resources', 'prompts'].filter(
    (kind) => capabilities[kind]?.listChanged === true,
  );
  const listed =
    capabilities.resources?.subscribe === true ? client.listResources().result?.resources : undefined;
  const uri = Array.isArray(listed) ? listed[0]?.uri : undefined;
  return {
    areCalls: era === 'modern',
    notifications: {
      ...Object.fromEntries(changes.map((kind) => [`${kind}ListChanged`, true])),
      ...(typeof uri === 'string' && { resourceSubscriptions: [uri] }),
    },
  };
}

/** @param {number} ms @returns {Promise<void>} */
const pause = (ms) => new Promise((resolve) => setTimeout(() => resolve(undefined), Math.max(0, ms)));

/**
 * Opens this VU's part of the streams of a phase, evenly over the pause before it, and holds them to their end. What becomes of each is in the record
 * of the output lab (`streams`). Servers of the older versions have a session for each.
 *
 * @param {import('./test.js').SetupData} data
 * @param {Record<string, string | undefined>} env with what the secret source has
 */
export async function holdStreams({ client: options, phases, startedMs, streams: offered }, env) {
  const phase = /** @type {import('./phases.js').PlannedPhase} */ (phases[__ENV.STREAMS_OF ?? '']);
  const { streams, vus, from_s, until_s } = /** @type {NonNullable<typeof phase.opens>} */ (phase.opens);
  const { areCalls, notifications } = /** @type {StreamsData} */ (offered);
  const first = exec.scenario.iterationInTest;
  const endMs = startedMs + until_s * 1000;
  const everyMs = ((phase.start_s - from_s) * 1000) / streams;
  const user = () => Object.assign(makeClient({ ...options, sessions: 'per-vu' }, env), { measured: false });
  /** @type {import('k6/x/mcp').Client[]} */
  const clients = [];
  /** @type {Promise<unknown>[]} */
  const held = [];
  let lost = 0;
  for (let number = first; number < streams && lost < MAX_LOST; number += vus) {
    await pause(startedMs + from_s * 1000 + number * everyMs - Date.now());
    const shared = clients[0];
    const client = shared && areCalls ? shared : user();
    if (client !== shared) clients.push(client);
    const leftMs = Math.max(MIN_TIMEOUT_MS, endMs - Date.now());
    const stream = client.listen({ notifications }, { abandonAfter: leftMs, timeout: leftMs });
    held.push(
      stream.then(({ ok }) => {
        lost = ok ? 0 : lost + 1;
      }),
    );
  }
  await Promise.all(held);
  for (const client of clients) client.close();
}
