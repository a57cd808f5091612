/**
 * Replaces the server under a steady load: RESTART_COMMAND does it, or a second server takes over behind HAProxy
 * and the first one is stopped.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { namesPort, type OwnServer } from '../../cli/run/own-server.ts';
import { toolPath } from '../../cli/tool-path.ts';
import type { Config } from '../../cli/trials/config.ts';
import { startInstance } from '../../cli/trials/instance.ts';
import type { Clock, Lab } from '../../cli/trials/lab.ts';
import { needConnection } from '../../cli/trials/need-connection.ts';
import { plannedFault } from '../../cli/trials/planned-fault.ts';
import { isReference } from '../../cli/trials/reference-only.ts';
import type { TrialsModule } from '../../cli/trials/trials.ts';
import { watchInstead } from '../../cli/trials/watch-instead.ts';
import { ConfigError } from '../../contract/config-error.js';
import { freePort } from '../../contract/free-port.js';
import { duration } from '../../contract/units.js';
import { runRestartCommand } from './restart-command.ts';
import { startSwitch } from './switch.ts';
import type { variables } from './variables.ts';

type RollingConfig = Config<typeof variables>;
type RollingLab = Lab<RollingConfig, RollingResult>;

/** Unix times in milliseconds, 0 = not reached. */
export interface RollingResult {
  /** When calls were switched to the new server, or RESTART_COMMAND was started. */
  beganMs: number;
  /** When the old server or RESTART_COMMAND exited. */
  endedMs: number;
  /** null: RESTART_COMMAND replaced the server. */
  takeover: {
    /** Start time of the new server until it was ready, milliseconds. */
    readyMs: number;
    /** When the old server got SIGTERM. */
    stoppingMs: number;
  } | null;
}

/** Time between the switch and the end of the old server, so that it can finish its calls. */
const DRAIN_MS = 2000;
/** Short, so that unanswered calls fail while the load is still running. */
const TIMEOUT = '5s';
/** PostgreSQL has enough connections for the stack's own target and two more instances. */
const POOL_SIZE = 10;

export const nativeOnly = true;

export function check(config: RollingConfig) {
  needConnection(config, 'rolling-restart replaces the server behind its address');
  const { TARGET_URL: url, SERVER_COMMAND: command, RESTART_COMMAND: restart, READY_URL: ready } = config;
  if (restart !== '') {
    if (command !== '') throw new ConfigError('set only one of RESTART_COMMAND and SERVER_COMMAND');
    return;
  }
  if (isReference(config)) return;
  if (command === '')
    throw new ConfigError(
      'rolling-restart needs RESTART_COMMAND, which replaces the server at TARGET_URL, or SERVER_COMMAND, which starts it',
    );
  if (!url.startsWith('http:'))
    throw new ConfigError(
      `TARGET_URL is "${url.slice(0, 80)}"; valid for rolling-restart with SERVER_COMMAND: http://, without TLS`,
    );
  const { port } = new URL(url);
  if (!namesPort(command, port))
    throw new ConfigError(
      `SERVER_COMMAND does not contain the port of TARGET_URL (${port || 'none'}), so a second server can't get another port`,
    );
  if (ready !== '' && !namesPort(ready, port))
    throw new ConfigError(
      `READY_URL does not contain the port of TARGET_URL (${port}), so both servers would have the same READY_URL`,
    );
}

export const lasts: TrialsModule<RollingConfig>['lasts'] = (_, trialS) => trialS();

export default async function rollingRestart(lab: RollingLab) {
  const result: RollingResult = { beganMs: 0, endedMs: 0, takeover: null };
  lab.result = result;
  const timeout = { TARGET_TIMEOUT: process.env.TARGET_TIMEOUT || TIMEOUT };
  const { env, replace } =
    lab.config.RESTART_COMMAND === ''
      ? await byTakeover(lab, timeout, result)
      : byCommand(lab, timeout, result);
  const { startS, loadEndS } = await plannedFault(lab.test, env);
  await lab.trial({
    name: 'rolling',
    env,
    during: async (clock) => {
      await clock.at(startS);
      clock.note({ kind: 'inject' });
      await replace(clock, loadEndS);
      result.endedMs = Date.now();
      clock.note({ kind: 'removed' });
    },
  });
}

interface Replacement {
  /** Variables of the k6 run. */
  env: Record<string, string>;
  replace: (clock: Clock, loadEndS: number) => Promise<void>;
}

function byCommand(
  { config, folder, logProgress }: RollingLab,
  env: Replacement['env'],
  result: RollingResult,
): Replacement {
  return {
    env,
    replace: async ({ at }, loadEndS) => {
      logProgress('rolling-restart: RESTART_COMMAND is running ...');
      result.beganMs = Date.now();
      await runRestartCommand({
        command: config.RESTART_COMMAND,
        variables: config.SERVER_ENV ?? [],
        folder,
        loadEnd: at(loadEndS),
      });
      logProgress(`rolling-restart: RESTART_COMMAND took ${duration((Date.now() - result.beganMs) / 1000)}`);
    },
  };
}

async function byTakeover(
  lab: RollingLab,
  timeout: Replacement['env'],
  result: RollingResult,
): Promise<Replacement> {
  await lab.sh(['scripts/setup', 'haproxy']);
  const { first, second, path } = lab.server ? await ownServers(lab, lab.server) : await instances(lab);
  const balancer = await startSwitch(toolPath('haproxy'), [first.address, second.address]);
  lab.onEnd(balancer.stop);
  return {
    env: { ...timeout, TARGET_URL: balancer.url + path },
    replace: async () => {
      lab.logProgress('rolling-restart: starting the new server ...');
      const readyMs = await second.start();
      await balancer.toSecond();
      result.beganMs = Date.now();
      lab.logProgress(
        `rolling-restart: the new server was ready after ${duration(readyMs / 1000)} and gets all new calls`,
      );
      await sleep(DRAIN_MS);
      lab.check();
      result.takeover = { readyMs, stoppingMs: Date.now() };
      await first.stop();
      lab.logProgress('rolling-restart: the old server has stopped');
    },
  };
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
