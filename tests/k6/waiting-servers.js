/** MCP servers with one tool, each of which makes a client wait in one way. */
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startOffering } from './offering-server.js';

/** @typedef {import('./offering-server.js').Recorder} Server */

const tools = [{ name: 'look', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }];
const RESULT = { content: [] };
const never = () => new Promise(() => {});

/** Answers this many calls, and none after them. @param {number} calls */
export function startHanging(calls) {
  let made = 0;
  return startOffering({ tools }, () => {
    made += 1;
    return made <= calls ? RESULT : never();
  });
}

/** Never answers one call in so many. @param {number} every */
export function startHolding(every) {
  let made = 0;
  return startOffering({ tools }, () => {
    made += 1;
    return made % every === 0 ? never() : RESULT;
  });
}

/** Refuses every second call at once, with 429 and 503 in turn; the others take this long. @param {number} ms */
export function startRefusing(ms) {
  let made = 0;
  return startOffering({ tools }, () => {
    made += 1;
    if (made % 2 === 1) return sleep(ms, RESULT);
    throw Object.assign(new Error('busy'), { status: made % 4 === 0 ? 429 : 503 });
  });
}

/** Takes 100 ms, and answers nothing any more once so many calls were open at a time. @param {number} most */
export function startDying(most) {
  let open = 0;
  let isDead = false;
  return startOffering({ tools }, async () => {
    open += 1;
    isDead ||= open > most;
    if (isDead) return never();
    await sleep(100);
    open -= 1;
    return RESULT;
  });
}

/** Takes 10 ms, and stands still for so long, again and again. @param {number} everyMs @param {number} forMs */
export function startPausing(everyMs, forMs) {
  return startOffering({ tools }, async () => {
    const goneMs = Date.now() % everyMs;
    if (goneMs < forMs) await sleep(forMs - goneMs);
    return sleep(10, RESULT);
  });
}

/** Works on one call at a time, for so long each. @param {number} ms */
export function startOneAtATime(ms) {
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  return startOffering({ tools }, () => {
    last = last.then(() => sleep(ms));
    return last.then(() => RESULT);
  });
}

/**
 * A TLS handshake takes this long: what a new connection sends first is held back.
 *
 * @param {number} ms
 * @param {import('node:https').ServerOptions} tls
 * @param {boolean} closes the connection after each answer
 * @returns {Promise<{url: string, close: () => Promise<void>}>}
 */
export async function startSlowHandshake(ms, tls, closes) {
  const server = await startOffering({ tools, tls, closes });
  const url = new URL(server.url);
  const port = Number(url.port);
  const delay = createServer(async (client) => {
    client.on('error', () => {});
    await sleep(ms);
    const upstream = connect(port, url.hostname);
    upstream.on('error', () => client.destroy());
    client.on('close', () => upstream.destroy());
    client.pipe(upstream).pipe(client);
  });
  await new Promise((resolve) => delay.listen(0, url.hostname, () => resolve(undefined)));
  url.port = String(/** @type {import('node:net').AddressInfo} */ (delay.address()).port);
  return {
    url: url.href,
    close: async () => {
      delay.close();
      await server.close();
    },
  };
}
