/** All that a fault can lay hands on: the ways to the server, and where it is the stack's own, what it is made of. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeAtomic } from '../../analysis/write-atomic.ts';
import { ConfigError } from '../../contract/config-error.js';
import { freePort } from '../../contract/free-port.js';
import { startRedisRelay } from '../redis-relay.js';
import { toolPath } from '../tool-path.js';
import { makeLossyLink, whyNoLink } from './lossy-link.js';
import { startTarget } from './target.js';
import { startToxiproxy } from './toxiproxy.js';

/**
 * @typedef {object} Site
 * @property {import('./toxiproxy.js').Toxiproxy} toxiproxy with the proxies `target`, `database` and `redis`
 * @property {import('../redis-relay.js').RedisRelay | null} redis behind the proxy `redis`; null: the server is someone else's
 * @property {import('./lossy-link.js').LossyLink | null} link
 * @property {string | null} noLink why there is none
 * @property {Pick<import('./target.js').Instance, 'pid' | 'heapFile'> | null} target null: the server is someone else's
 * @property {string} url the server's own
 * @property {Record<string, string>} headers of a client that may come in
 * @property {Record<'direct' | 'proxy' | 'lossy', string | null>} ways the server's URL by each of them; null: there is none
 * @property {(action: 'start' | 'stop' | 'restart', component: string) => Promise<void>} ctl of the stack's components
 * @property {() => Promise<void>} heal waits until the target is well, and starts it anew where it does not get so
 */

/** How long a target may take to be well by itself between two faults, ms. */
const PATIENCE_MS = 15_000;
/** Well is one that answers so often in a row, each time within so many ms. */
const ANSWERS = 5;
const AT_ONCE_MS = 500;

/**
 * @param {import('../lab.js').Lab} lab
 * @param {{lossy: boolean}} wanted whether a link that loses packets is
 * @returns {Promise<Site>}
 * @throws {ConfigError}
 */
export async function openSite(lab, { lossy }) {
  const { TARGET_PORT, STACK } = process.env;
  if (STACK === 'docker') {
    throw new ConfigError('STACK is "docker", whose processes are out of reach; valid for chaos: native');
  }
  await lab.sh(['scripts/setup', 'toxiproxy']);
  const binary = toolPath('toxiproxy');
  const toxiproxy = await startToxiproxy(binary);
  lab.onEnd(() => toxiproxy.stop());

  const own = lab.config.TARGET_URL === `http://127.0.0.1:${TARGET_PORT}/mcp`;
  const target = own ? await openTarget(lab, toxiproxy) : null;
  const url = new URL(target?.url ?? lab.config.TARGET_URL);
  const server = `${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`;
  const { link, noLink } = lossy ? await openLink(lab, { binary, toxiproxy, server }) : NO_LINK;
  const token = process.env.TARGET_TOKEN;
  return {
    toxiproxy,
    link,
    noLink,
    redis: target?.redis ?? null,
    target: target?.instance ?? null,
    url: url.href,
    headers: token ? { Authorization: `Bearer ${token}` } : {},
    ways: {
      direct: url.href,
      proxy: byPort(url, await toxiproxy.proxy('target', server)),
      lossy: link && byPort(url, link.port),
    },
    ctl: async (action, component) => {
      // Also while everything is being undone.
      await lab.sh(['scripts/ctl', action, component], {}, true);
    },
    heal: async () => target?.heal(),
  };
}

/**
 * @param {import('../lab.js').Lab} lab
 * @param {import('./toxiproxy.js').Toxiproxy} toxiproxy
 */
async function openTarget(lab, toxiproxy) {
  const { POSTGRES_PORT, RUN_DIR = '' } = process.env;
  const redis = await startRedisRelay(RUN_DIR);
  lab.onEnd(redis.stop);
  const where = {
    port: await freePort(),
    adminPort: await freePort(),
    postgresPort: await toxiproxy.proxy('database', `127.0.0.1:${POSTGRES_PORT}`),
    redisPort: await toxiproxy.proxy('redis', `127.0.0.1:${redis.port}`),
  };
  let instance = await startTarget(where);
  let running = true;
  const stop = async () => {
    // A new one may not have come up.
    if (!running) return;
    running = false;
    // What it says of the faults is worth a look, and gone with it.
    appendFileSync(join(lab.folder, 'target.log'), instance.log());
    await instance.stop();
  };
  lab.onEnd(stop);
  watchInstead(lab, where.adminPort);
  const heal = async () => {
    const deadline = Date.now() + PATIENCE_MS;
    for (let answers = 0; Date.now() < deadline; await sleep(50)) {
      const signal = AbortSignal.timeout(AT_ONCE_MS);
      const answer = await fetch(new URL('/health', instance.url), { signal }).catch(() => null);
      await answer?.body?.cancel();
      answers = answer?.ok ? answers + 1 : 0;
      if (answers === ANSWERS) return;
    }
    lab.say('the target does not get well by itself: it is started anew');
    await stop();
    instance = await startTarget(where);
    running = true;
  };
  return {
    url: instance.url,
    redis,
    // A new one after a restart.
    instance: {
      get pid() {
        return instance.pid;
      },
      get heapFile() {
        return instance.heapFile;
      },
    },
    heal,
  };
}

/**
 * Prometheus is to look at this instance, not at the stack's own, which has nothing to do. Where this is not undone, the
 * next `scripts/up` does it.
 *
 * @param {import('../lab.js').Lab} lab
 * @param {number} port
 */
function watchInstead(lab, port) {
  const file = join(process.env.PROMETHEUS_TARGETS_DIR ?? '', 'target.json');
  if (!existsSync(file)) return;
  const before = readFileSync(file, 'utf8');
  writeAtomic(file, `[{ "targets": ["127.0.0.1:${port}"] }]\n`);
  lab.onEnd(() => writeAtomic(file, before));
}

const NO_LINK = { link: null, noLink: null };

/**
 * @param {import('../lab.js').Lab} lab
 * @param {Parameters<typeof makeLossyLink>[0]} parts
 * @returns {Promise<Pick<Site, 'link' | 'noLink'>>}
 */
async function openLink(lab, parts) {
  try {
    if (process.getuid?.() === 0) await lab.sh(['scripts/setup', 'packet-loss']);
    const noLink = await whyNoLink();
    if (noLink) return { link: null, noLink };
    const link = await makeLossyLink(parts);
    lab.onEnd(() => link.stop());
    return { link, noLink: null };
  } catch (error) {
    lab.check();
    return { link: null, noLink: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * The same server by another port of this machine. A certificate is for a name, so that of a server elsewhere would not
 * fit.
 *
 * @param {URL} url
 * @param {number} port
 * @returns {string | null}
 */
function byPort(url, port) {
  const local = ['127.0.0.1', 'localhost'].includes(url.hostname);
  if (url.protocol === 'https:' && !local) return null;
  const way = new URL(url);
  if (!local) way.hostname = '127.0.0.1';
  way.port = String(port);
  return way.href;
}
