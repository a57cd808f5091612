/**
 * The subjects of faults: the network paths to the server and, for the reference target, its processes and
 * stores.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { toolPath } from '../../cli/tool-path.ts';
import type { Lab } from '../../cli/trials/lab.ts';
import { type RedisRelay, startRedisRelay } from '../../cli/trials/redis-relay.ts';
import { watchInstead } from '../../cli/trials/watch-instead.ts';
import { ConfigError } from '../../contract/config-error.js';
import { freePort } from '../../contract/free-port.js';
import { type LossyLink, type LossyLinkOptions, makeLossyLink, whyNoLink } from './lossy-link.ts';
import { type Instance, startTarget } from './target.ts';
import { startToxiproxy, type Toxiproxy } from './toxiproxy.ts';

/** A network path to the server. */
export type Way = 'direct' | 'proxy' | 'lossy';

export interface Site {
  /** With the proxies `target`, `database` and `redis`. */
  toxiproxy: Toxiproxy;
  link: LossyLink | null;
  /** Why there is no link, if one was requested. */
  noLink: string | null;
  /** null: the server is not the reference target. */
  target: Target | null;
  /** Without a proxy. */
  url: string;
  /** Credentials for the server. */
  headers: Record<string, string>;
  /** The server's URL on each path; null: the path is not available. */
  ways: Record<Way, string | null>;
  /** Controls a component of the stack. */
  ctl: (action: 'start' | 'stop' | 'restart', component: string) => Promise<void>;
}

interface Target {
  /** Replaced when it is restarted. */
  instance: Instance;
  /** Upstream of the proxy `redis`. */
  redis: RedisRelay;
  /** Waits until it is healthy. Restarts it if it does not recover. */
  heal: () => Promise<void>;
}

/** How long a target may take to recover between two faults, ms. */
const PATIENCE_MS = 15_000;
/** A target is healthy after this many successful answers in a row, each within AT_ONCE_MS. */
const ANSWERS = 5;
const AT_ONCE_MS = 500;

/**
 * @param options lossy: also make a link that loses packets
 * @throws {ConfigError}
 */
export async function openSite(lab: Lab, { lossy }: { lossy: boolean }): Promise<Site> {
  const { TARGET_PORT, STACK } = process.env;
  if (STACK === 'docker') {
    throw new ConfigError('STACK is "docker"; valid for chaos: native');
  }
  await lab.sh(['scripts/setup', 'toxiproxy']);
  const binary = toolPath('toxiproxy');
  const toxiproxy = await startToxiproxy(binary);
  lab.onEnd(() => toxiproxy.stop());

  const own = lab.config.TARGET_URL === `http://127.0.0.1:${TARGET_PORT}/mcp`;
  const target = own ? await openTarget(lab, toxiproxy) : null;
  const url = new URL(target?.instance.url ?? lab.config.TARGET_URL);
  const server = `${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`;
  const { link, noLink } = lossy
    ? await openLink(lab, { binary, toxiproxy, server })
    : { link: null, noLink: null };
  const token = process.env.TARGET_TOKEN;
  return {
    toxiproxy,
    link,
    noLink,
    target,
    url: url.href,
    headers: token ? { Authorization: `Bearer ${token}` } : {},
    ways: {
      direct: url.href,
      proxy: byPort(url, await toxiproxy.proxy('target', server)),
      lossy: link && byPort(url, link.port),
    },
    ctl: async (action, component) => {
      // Also during clean-up.
      await lab.sh(['scripts/ctl', action, component], {}, true);
    },
  };
}

async function openTarget(lab: Lab, toxiproxy: Toxiproxy): Promise<Target> {
  const { POSTGRES_PORT, RUN_DIR = '' } = process.env;
  const redis = await startRedisRelay(RUN_DIR);
  lab.onEnd(redis.stop);
  const [port, adminPort] = [await freePort(), await freePort()];
  const ports = {
    ADMIN_PORT: adminPort,
    POSTGRES_PORT: await toxiproxy.proxy('database', `127.0.0.1:${POSTGRES_PORT}`),
    REDIS_PORT: await toxiproxy.proxy('redis', `127.0.0.1:${redis.port}`),
  };
  const target = { instance: await startTarget(port, ports), redis, heal };
  let running = true;
  const stop = async () => {
    // The restart in heal() may have failed.
    if (!running) return;
    running = false;
    // Its log shows how it handled the faults, and is deleted when it stops.
    appendFileSync(join(lab.folder, 'target.log'), target.instance.log());
    await target.instance.stop();
  };
  lab.onEnd(stop);
  watchInstead(lab)(adminPort);
  async function heal() {
    const deadline = Date.now() + PATIENCE_MS;
    for (let answers = 0; Date.now() < deadline; await sleep(50)) {
      const signal = AbortSignal.timeout(AT_ONCE_MS);
      const answer = await fetch(new URL('/health', target.instance.url), { signal }).catch(() => null);
      await answer?.body?.cancel();
      answers = answer?.ok ? answers + 1 : 0;
      if (answers === ANSWERS) return;
    }
    lab.logProgress('the target does not get well by itself: it is restarted');
    await stop();
    target.instance = await startTarget(port, ports);
    running = true;
  }
  return target;
}

async function openLink(lab: Lab, options: LossyLinkOptions): Promise<Pick<Site, 'link' | 'noLink'>> {
  try {
    if (process.getuid?.() === 0) await lab.sh(['scripts/setup', 'packet-loss']);
    const noLink = await whyNoLink();
    if (noLink) return { link: null, noLink };
    const link = await makeLossyLink(options);
    lab.onEnd(() => link.stop());
    return { link, noLink: null };
  } catch (error) {
    lab.check();
    return { link: null, noLink: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * The URL of the same server through another port of this machine.
 *
 * @returns null: a remote server's certificate is not valid for a local address
 */
function byPort(url: URL, port: number): string | null {
  const local = ['127.0.0.1', 'localhost'].includes(url.hostname);
  if (url.protocol === 'https:' && !local) return null;
  const way = new URL(url);
  if (!local) way.hostname = '127.0.0.1';
  way.port = String(port);
  return way.href;
}
