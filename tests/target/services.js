import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../contract/free-port.js';
import { setUp } from '../tool.js';

/** Bearer token of the targets that tests start. */
export const TOKEN = 'test-token';

const START_TIMEOUT = 15_000;

/** Debian keeps PostgreSQL's server programs off the PATH. */
const PROGRAM_FOLDERS = [
  ...(process.env.PATH ?? '').split(delimiter),
  ...['18', '17', '16', '15', '14'].map((version) => `/usr/lib/postgresql/${version}/bin`),
];

/** @typedef {{url: string, pid: number, output: () => string, stop: (signal?: NodeJS.Signals) => Promise<number | null>}} Service */

/** A PostgreSQL cluster, a Redis and a weather service of a test's own, on free ports, in a temporary folder. */
export class Services {
  /** @type {(() => Promise<unknown>)[]} */
  #cleanups = [];
  #folder = '';
  #ports = { postgres: 0, redis: 0, upstream: 0 };

  /**
   * @param {Record<string, string>} [upstream] environment of the weather service
   */
  async start(upstream = {}) {
    setUp('postgres', 'redis');
    this.#folder = await mkdtemp(join(tmpdir(), 'target-test-'));
    this.#cleanups.push(() => rm(this.#folder, { recursive: true, force: true }));
    for (const name of /** @type {const} */ (['postgres', 'redis', 'upstream']))
      this.#ports[name] = await freePort();
    await this.#initPostgres();
    /** @type {Service} */
    this.postgres = await this.startPostgres();
    /** @type {Service} */
    this.redis = await this.startRedis();
    /** @type {Service} */
    this.upstream = await this.startUpstream({ LATENCY_MEAN_MS: '20', TIMEOUTS_PER_1000: '0', ...upstream });
    return this;
  }

  async stop() {
    for (const cleanup of this.#cleanups.reverse()) await cleanup();
  }

  /** Environment of a target that uses these services. */
  get environment() {
    return {
      PORT: '0',
      WORKERS: '1',
      TARGET_TOKEN: TOKEN,
      DATABASE_URL: this.databaseUrl,
      REDIS_URL: this.redisUrl,
      UPSTREAM_URL: this.upstreamUrl,
    };
  }

  get databaseUrl() {
    return `postgres://tester@127.0.0.1:${this.#ports.postgres}/postgres`;
  }

  get upstreamUrl() {
    return `http://127.0.0.1:${this.#ports.upstream}`;
  }

  get redisUrl() {
    return `redis://127.0.0.1:${this.#ports.redis}`;
  }

  /**
   * Starts a target and waits until it listens.
   * @param {Record<string, string>} [environment]
   */
  async startTarget(environment = {}) {
    const target = this.#spawn(process.execPath, [program('server.js')], {
      ...this.environment,
      ...environment,
    });
    const [, url, admin] = await until(
      () => /"target listening","pid":\d+,"url":"([^"]+)","admin":"([^"]+)"/.exec(target.output()),
      target,
    );
    return { ...target, url: String(url), origin: new URL(String(url)).origin, admin: String(admin) };
  }

  /**
   * Runs a target that is expected to end by itself.
   * @param {Record<string, string>} environment
   * @returns {Promise<{code: number | null, output: string}>}
   */
  async runTarget(environment) {
    const target = this.#spawn(process.execPath, [program('server.js')], {
      ...this.environment,
      ...environment,
    });
    return { code: await target.ended, output: target.output() };
  }

  async startPostgres() {
    const postgres = this.#spawn(
      findProgram('postgres', 'postgresql'),
      [
        '-D',
        join(this.#folder, 'data'),
        '-p',
        String(this.#ports.postgres),
        '-h',
        '127.0.0.1',
        '-k',
        this.#folder,
        '-F',
      ],
      {},
      postgresUser(),
    );
    await until(() => /ready to accept connections/.exec(postgres.output()), postgres);
    return postgres;
  }

  async startRedis() {
    const options = [
      '--port',
      String(this.#ports.redis),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--dir',
      this.#folder,
    ];
    const redis = this.#spawn(findProgram('redis-server', 'redis-server'), options, {});
    await until(() => /Ready to accept connections/.exec(redis.output()), redis);
    return redis;
  }

  /** @param {Record<string, string>} [environment] */
  async startUpstream(environment = {}) {
    const PORT = String(this.#ports.upstream);
    const upstream = this.#spawn(process.execPath, [program('upstream.js')], { PORT, ...environment });
    await until(() => /upstream listening/.exec(upstream.output()), upstream);
    return upstream;
  }

  async #initPostgres() {
    const user = postgresUser();
    if (user.uid !== undefined) await chown(this.#folder, user.uid, user.gid ?? user.uid);
    const options = [
      '-D',
      join(this.#folder, 'data'),
      '-U',
      'tester',
      '-A',
      'trust',
      '-N',
      '--no-instructions',
    ];
    execFileSync(findProgram('initdb', 'postgresql'), options, {
      ...user,
      stdio: 'ignore',
      cwd: this.#folder,
    });
  }

  /**
   * @param {string} command
   * @param {string[]} args
   * @param {Record<string, string>} environment
   * @param {{uid?: number, gid?: number}} [user]
   */
  #spawn(command, args, environment, user = {}) {
    const env = { PATH: process.env.PATH, LC_ALL: 'C', ...environment };
    const child = spawn(command, args, {
      env,
      ...user,
      cwd: this.#folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    /** @type {Promise<number | null>} */
    const ended = new Promise((resolve) => child.on('close', resolve));
    const stop = (/** @type {NodeJS.Signals} */ signal = 'SIGTERM') => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      return ended;
    };
    this.#cleanups.push(() => stop(command.endsWith('postgres') ? 'SIGQUIT' : 'SIGTERM'));
    return { url: '', pid: Number(child.pid), output: () => output, ended, stop };
  }
}

/**
 * Waits for a condition.
 * @template T
 * @param {() => T | Promise<T>} condition
 * @param {{output: () => string, ended?: Promise<unknown>}} [service] shown when the condition does not come true
 * @returns {Promise<NonNullable<Awaited<T>>>} the first value that is not falsy
 */
export async function until(condition, service) {
  const deadline = Date.now() + START_TIMEOUT;
  let ended = false;
  service?.ended?.then(() => {
    ended = true;
  });
  for (;;) {
    const value = await condition();
    if (value) return value;
    assert.ok(Date.now() < deadline && !ended, `waited in vain for ${condition}\n${service?.output() ?? ''}`);
    await sleep(20);
  }
}

/**
 * @param {number} pid of a primary
 * @returns {Promise<number[]>} its workers
 */
export async function workersOf(pid) {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return children.trim().split(' ').filter(Boolean).map(Number);
}

/** @param {string} file */
function program(file) {
  return fileURLToPath(new URL(`../../target/${file}`, import.meta.url));
}

/**
 * @param {string} name
 * @param {string} debianPackage
 */
function findProgram(name, debianPackage) {
  const found = PROGRAM_FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path));
  assert.ok(found, `these tests need the program ${name}: apt-get install ${debianPackage}`);
  return found;
}

/**
 * PostgreSQL refuses to run as root.
 * @returns {{uid?: number, gid?: number}}
 */
function postgresUser() {
  if (process.getuid?.() !== 0) return {};
  const id = (/** @type {string} */ option) =>
    Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
