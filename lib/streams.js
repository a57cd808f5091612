/**
 * Streams for messages that the server initiates. A VU holds many streams, because idle streams cost no CPU.
 */
import exec from 'k6/execution';
import { makeClient } from './credentials.js';
import { sessionsKept, streamOpening } from './metrics.js';
import { makeNotifyCalls, notificationRecorder, notifyCallsOf, notifyTool } from './notifications.js';
import { until } from './until.js';

/** After this many refused or lost streams in a row, a VU stops opening streams. */
const MAX_LOST = 10;
const MIN_TIMEOUT_MS = 1000;
/** Reconnection delay of the official SDKs. */
const RETURN_MS = 1000;

/**
 * @typedef {object} StreamsData
 * @property {boolean} areCalls streams are opened by a call, subscriptions/listen, and there are no sessions
 * @property {Record<string, unknown>} notifications the notifications to subscribe to
 * @property {import('./notifications.js').NotifyTool | null} tool notifies the clients that hold streams
 */

/**
 * @param {ReturnType<typeof import('./connect.js').connect>} server
 * @returns {StreamsData} all notifications that the server declares; for resource updates, those of the first
 *   resource
 */
export function streamsOf({ client, connection: { era, capabilities } }) {
  const changes = ['tools', 'resources', 'prompts'].filter(
    (kind) => capabilities[kind]?.listChanged === true,
  );
  const listed =
    capabilities.resources?.subscribe === true ? client.listResources().result?.resources : undefined;
  const uri = Array.isArray(listed) ? listed[0]?.uri : undefined;
  return {
    tool: notifyTool(client),
    areCalls: era === 'modern',
    notifications: {
      ...Object.fromEntries(changes.map((kind) => [`${kind}ListChanged`, true])),
      ...(typeof uri === 'string' && { resourceSubscriptions: [uri] }),
    },
  };
}

/**
 * Opens this VU's share of a phase's streams, evenly over time, and holds them until the clients leave. The
 * record of the output lab (`streams`) has the outcome of each. Servers of the legacy versions keep a session
 * for each stream.
 *
 * @param {import('./test.js').SetupData} data
 * @param {Record<string, string | undefined>} env with the secrets of the secret source
 */
export async function holdStreams({ client: options, phases, startedMs, streams: offered }, env) {
  const { name, opens } = /** @type {import('./phases.js').PlannedPhase} */ (phases[__ENV.STREAMS_OF ?? '']);
  const { streams, vus, from_s, over_s, until_s, leaving, returning, ask_s } =
    /** @type {import('./phases.js').Opening} */ (opens);
  const { areCalls, notifications, tool } = /** @type {StreamsData} */ (offered);
  const how = leaving === 'reset' ? { resetConnections: true } : {};
  const endMs = startedMs + until_s * 1000;
  // k6 does not preserve the order of an object's members.
  const all = Object.values(phases).sort((a, b) => a.start_s - b.start_s);
  const notifyCalls = tool ? notifyCallsOf(all) : [];
  /** @type {Stream} */
  const stream = {
    ...{ notifications, endMs },
    ...(tool && { onNotification: notificationRecorder(notifyCalls, startedMs) }),
  };
  const user = () =>
    Object.assign(makeClient({ ...options, sessions: 'per-vu', ...how }, env), { measured: false });
  /** @type {import('k6/x/mcp').Client[]} */
  const clients = [];
  /** @type {Promise<unknown>[]} */
  const held = [];
  if (tool && exec.scenario.iterationInTest === 0 && name === all.find(({ opens }) => opens)?.name) {
    const client = user();
    clients.push(client);
    held.push(makeNotifyCalls(client, tool, notifyCalls, startedMs));
  }
  let lost = 0;
  // A client that leaves without ending its session needs a session, but not a stream.
  const mayGoOn = () => Date.now() < endMs && (leaving !== undefined || returning || lost < MAX_LOST);
  for (let number = exec.scenario.iterationInTest; number < streams && mayGoOn(); number += vus) {
    await until(startedMs + (from_s + (number * over_s) / streams) * 1000);
    const shared = clients[0];
    const client = shared && areCalls ? shared : user();
    if (client !== shared) clients.push(client);
    const askedMs = exec.instance.currentTestRunDuration;
    const opening = listen(client, stream);
    const connectedMs = exec.instance.currentTestRunDuration - askedMs;
    held.push(
      opening.then(({ ok, status, timings }) => {
        lost = ok ? 0 : lost + 1;
        if (status > 0) streamOpening.add(connectedMs + timings.firstByte, { phase: name });
        return returning ? comeBack(client, stream) : undefined;
      }),
    );
  }
  await Promise.all([...held, until(endMs)]);
  if (leaving === 'close' || leaving === 'reset') await leave(clients, startedMs + ask_s * 1000, name);
  else for (const client of clients) client.close();
}

/**
 * @typedef {object} Stream
 * @property {Record<string, unknown>} notifications the notifications to subscribe to
 * @property {number} endMs Unix time at which the clients leave
 * @property {(method: string) => void} [onNotification]
 */

/** @param {import('k6/x/mcp').Client} client @param {Stream} stream */
function listen(client, { notifications, endMs, onNotification }) {
  const leftMs = Math.max(MIN_TIMEOUT_MS, endMs - Date.now());
  return client.listen(
    { notifications },
    { abandonAfter: leftMs, timeout: leftMs, ...(onNotification && { onNotification }) },
  );
}

/**
 * Replaces each stream that closes by a new one, until the clients leave.
 *
 * @param {import('k6/x/mcp').Client} client
 * @param {Stream} stream
 */
async function comeBack(client, stream) {
  while (Date.now() + RETURN_MS + MIN_TIMEOUT_MS < stream.endMs) {
    await until(Date.now() + RETURN_MS);
    // A 404 to the GET may mean that the server offers no stream. A call opens a new session if the old one
    // has ended.
    if (client.sessionId) client.ping({ timeout: MIN_TIMEOUT_MS });
    await listen(client, stream);
  }
}

/**
 * Closes the clients' connections without ending the sessions, and later checks whether a session is still
 * known.
 *
 * @param {import('k6/x/mcp').Client[]} clients the clients of one VU
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
  // If the session is gone, the client repeats the call in a new session.
  if (status > 0) sessionsKept.add(client.sessionId === session, { phase });
}
