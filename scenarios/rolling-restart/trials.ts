/**
 * Replaces the server under a steady load: starts a second one, sends calls to it, and stops the first one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { namesPort, type OwnServer } from '../../cli/run/own-server.ts';
import { toolPath } from '../../cli/tool-path.ts';
import type { Config } from '../../cli/trials/config.ts';
import { startInstance } from '../../cli/trials/instance.ts';
import type { Lab } from '../../cli/trials/lab.ts';
import { needConnection } from '../../cli/trials/need-connection.ts';
import { plannedFault } from '../../cli/trials/planned-fault.ts';
import { isReference } from '../../cli/trials/reference-only.ts';
import type { TrialsModule } from '../../cli/trials/trials.ts';
import { watchInstead } from '../../cli/trials/watch-instead.ts';
import { ConfigError } from '../../contract/config-error.js';
import { freePort } from '../../contract/free-port.js';
import { startSwitch } from './switch.ts';

type RollingLab = Lab<Config, RollingResult>;

export interface RollingResult {
  /** When calls were switched to the new server. Unix time in milliseconds, 0 = not reached; so are the next two. */
  switchedMs: number;
  /** When the old server got SIGTERM. */
  endingMs: number;
  /** When the old server exited. */
  endedMs: number;
  /** Start time of the new server until it was ready, milliseconds. */
  readyMs: number;
}

/** Time between the switch and the end of the old server, so that it can finish its calls. */
const DRAIN_MS = 2000;
/** Short, so that unanswered calls fail while the load is still running. */
const TIMEOUT = '5s';
/** PostgreSQL has enough connections for the stack's own target and two more instances. */
const POOL_SIZE = 10;

export const nativeOnly = true;

export function check(config: Config) {
  needConnection(config, 'rolling-restart puts HAProxy in front of it');
  const { TARGET_URL: url, SERVER_COMMAND: command, READY_URL: ready } = config;
  if (isReference(config)) return;
  if (command === '')
    throw new ConfigError(
      'SERVER_COMMAND is empty; rolling-restart needs the command that starts the server at TARGET_URL',
    );
  if (!url.startsWith('http:'))
    throw new ConfigError(
      `TARGET_URL is "${url.slice(0, 80)}"; valid for rolling-restart: http://, without TLS`,
    );
  const { port } = new URL(url);
  if (!namesPort(command, port))
    throw new ConfigError(
      `SERVER_COMMAND does not contain the port of TARGET_URL (${port || 'none'}); a second server could not have another port`,
    );
  if (ready !== '' && !namesPort(ready, port))
    throw new ConfigError(
      `READY_URL does not contain the port of TARGET_URL (${port}); both servers would have the same`,
    );
}

export const lasts: TrialsModule<Config>['lasts'] = (_, trialS) => trialS();

export default async function rollingRestart(lab: RollingLab) {
  await lab.sh(['scripts/setup', 'haproxy']);
  const result: RollingResult = { switchedMs: 0, endingMs: 0, endedMs: 0, readyMs: 0 };
  lab.result = result;
  const { first, second, path } = lab.server ? await ownServers(lab, lab.server) : await instances(lab);
  const balancer = await startSwitch(toolPath('haproxy'), [first.address, second.address]);
  lab.onEnd(balancer.stop);
  const env = {
    TARGET_URL: balancer.url + path,
    TARGET_TIMEOUT: process.env.TARGET_TIMEOUT || TIMEOUT,
  };
  const replaced = await plannedFault(lab.test, env);
  await lab.trial({
    name: 'rolling',
    env,
    during: async ({ at, note }) => {
      await at(replaced.start_s);
      lab.logProgress('rolling-restart: starting the new server ...');
      note({ kind: 'inject' });
      result.readyMs = await second.start();
      await balancer.toSecond();
      result.switchedMs = Date.now();
      lab.logProgress(
        `rolling-restart: it was ready after ${Math.round(result.readyMs)} ms, and has the calls now`,
      );
      await sleep(DRAIN_MS);
      lab.check();
      result.endingMs = Date.now();
      await first.stop();
      result.endedMs = Date.now();
      note({ kind: 'removed' });
      lab.logProgress('rolling-restart: the old server has stopped');
    },
  });
}

/** One of the two servers. */
interface Replica {
  /** host:port */
  address: string;
  /** @returns milliseconds until it was ready */
  start: () => Promise<number>;
  stop: () => Promise<void>;
}

interface Replicas {
  /** Already running. */
  first: Replica;
  second: Replica;
  /** Path of the MCP endpoint. */
  path: string;
}

async function ownServers(lab: RollingLab, server: OwnServer): Promise<Replicas> {
  const { hostname, port, pathname, search } = new URL(lab.config.TARGET_URL);
  const other = await freePort();
  const next = server.withPort(port, other);
  lab.onEnd(() => next.stop());
  return {
    first: { address: `${hostname}:${port}`, start: () => server.start(), stop: () => server.stop() },
    second: { address: `${hostname}:${other}`, start: () => next.start(), stop: () => next.stop() },
    path: pathname + search,
  };
}

/** Two more instances of the reference target, which use the stack's stores. */
async function instances(lab: RollingLab): Promise<Replicas> {
  const { SESSIONS, TARGET_SETTINGS = '' } = process.env;
  const own = Object.fromEntries(TARGET_SETTINGS.split(' ').map((setting) => setting.split('=')));
  const adminPorts = [await freePort(), await freePort()];
  const replica = async (name: string, adminPort: number | undefined): Promise<Replica> => {
    const port = await freePort();
    const settings = { POOL_SIZE, SESSIONS: SESSIONS || own.SESSIONS || '0', ADMIN_PORT: adminPort ?? 0 };
    let stop = async () => {};
    lab.onEnd(() => stop());
    return {
      address: `127.0.0.1:${port}`,
      start: async () => {
        const beganMs = performance.now();
        stop = (await startInstance(name, port, settings)).stop;
        return performance.now() - beganMs;
      },
      stop: () => stop(),
    };
  };
  const first = await replica('the first server', adminPorts[0]);
  const second = await replica('the second server', adminPorts[1]);
  await first.start();
  watchInstead(lab)(...adminPorts);
  return { first, second, path: '/mcp' };
}
