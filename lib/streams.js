/** Streams on which a server says what no call asked for. A VU holds many: they cost no CPU while they are silent. */
import exec from 'k6/execution';
import { setTimeout } from 'k6/timers';
import { makeClient } from './credentials.js';
import { sessionsKept, streamOpening } from './metrics.js';

/** A VU whose last so many streams were refused or lost opens no more. */
const MAX_LOST = 10;
const MIN_TIMEOUT_MS = 1000;
/** As the official SDKs wait before they come back. */
const RETURN_MS = 1000;

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

/** @param {number} ms Unix time @returns {Promise<void>} */
const until = (ms) =>
  new Promise((resolve) => setTimeout(() => resolve(undefined), Math.max(0, ms - Date.now())));

/**
 * Opens this VU's part of the streams of a phase, evenly over a time, and holds them until their clients leave. What becomes of each is in the
 * record of the output lab (`streams`). Servers of the older versions have a session for each.
 *
 * @param {import('./test.js').SetupData} data
 * @param {Record<string, string | undefined>} env with what the secret source has
 */
export async function holdStreams({ client: options, phases, startedMs, streams: offered }, env) {
  const { name, opens } = /** @type {import('./phases.js').PlannedPhase} */ (phases[__ENV.STREAMS_OF ?? '']);
  const { streams, vus, from_s, over_s, until_s, leaving, returning, ask_s } =
    /** @type {import('./phases.js').Opening} */ (opens);
  const { areCalls, notifications } = /** @type {StreamsData} */ (offered);
  const how = leaving === 'reset' ? { resetConnections: true } : {};
  const endMs = startedMs + until_s * 1000;
  const user = () =>
    Object.assign(makeClient({ ...options, sessions: 'per-vu', ...how }, env), { measured: false });
  /** @type {import('k6/x/mcp').Client[]} */
  const clients = [];
  /** @type {Promise<unknown>[]} */
  const held = [];
  let lost = 0;
  // A client that only leaves has a session to lose, with a stream and without.
  const mayGoOn = () => Date.now() < endMs && (leaving !== undefined || returning || lost < MAX_LOST);
  for (let number = exec.scenario.iterationInTest; number < streams && mayGoOn(); number += vus) {
    await until(startedMs + (from_s + (number * over_s) / streams) * 1000);
    const shared = clients[0];
    const client = shared && areCalls ? shared : user();
    if (client !== shared) clients.push(client);
    const askedMs = exec.instance.currentTestRunDuration;
    const stream = listen(client, notifications, endMs);
    const connectedMs = exec.instance.currentTestRunDuration - askedMs;
    held.push(
      stream.then(({ ok, status, timings }) => {
        lost = ok ? 0 : lost + 1;
        if (status > 0) streamOpening.add(connectedMs + timings.firstByte, { phase: name });
        return returning ? comeBack(client, notifications, endMs) : undefined;
      }),
    );
  }
  await Promise.all([...held, until(endMs)]);
  if (leaving === 'close' || leaving === 'reset') await leave(clients, startedMs + ask_s * 1000, name);
  else for (const client of clients) client.close();
}

/**
 * @param {import('k6/x/mcp').Client} client
 * @param {Record<string, unknown>} notifications
 * @param {number} endMs Unix time
 */
function listen(client, notifications, endMs) {
  const leftMs = Math.max(MIN_TIMEOUT_MS, endMs - Date.now());
  return client.listen({ notifications }, { abandonAfter: leftMs, timeout: leftMs });
}

/**
 * Opens a stream in place of one that ended, until the clients leave.
 *
 * @param {import('k6/x/mcp').Client} client
 * @param {Record<string, unknown>} notifications
 * @param {number} endMs Unix time
 */
async function comeBack(client, notifications, endMs) {
  while (Date.now() + RETURN_MS + MIN_TIMEOUT_MS < endMs) {
    await until(Date.now() + RETURN_MS);
    // 404 to a GET may mean that the server offers no stream. A call opens a new session if the old one has ended.
    if (client.sessionId) client.ping({ timeout: MIN_TIMEOUT_MS });
    await listen(client, notifications, endMs);
  }
}

/**
 * Closes the clients' connections without a word, and asks later whether a session is still known.
 *
 * @param {import('k6/x/mcp').Client[]} clients of one VU
 * @param {number} askMs Unix time
 * @param {string} phase
 */
async function leave(clients, askMs, phase) {
  const [client] = clients;
  for (const one of clients) one.disconnect();
  const session = client?.sessionId;
  if (!client || !session) return;
  await until(askMs);
  const { status } = client.ping();
  // In a session that is gone the call is made again in a new one.
  if (status > 0) sessionsKept.add(client.sessionId === session, { phase });
}
