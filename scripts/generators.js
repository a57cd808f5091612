#!/usr/bin/env node
/**
 * Runs one test in several k6 processes, each with its share of the load: k6's execution segments. They get ready, wait for
 * one another, begin together, and end together where one of them does not come to its end.
 *
 *   node scripts/generators.js FOLDER HOST:PORT,HOST:PORT K6 run ARGUMENT...     as many as there are addresses, of k6's API
 *
 * scripts/leg becomes this. A TERM is for all of them; the exit code is that of the first that failed, k6's otherwise.
 */
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** Until all of them have their users: 10,000 of them take some 10 s. A test waits for less. */
const READY_S = Number(process.env.K6_READY_S || 120);
const LOOK_MS = 100;
/** As often as a run on a terminal that is none says how far it is. */
const TELL_MS = 5000;
/** Not one of k6's codes: what it needs here was not to be had. */
const BROKEN = 1;

const [folder = '', addresses = '', k6 = '', ...given] = process.argv.slice(2);

/**
 * @param {string} log the file
 * @returns {{pipe: string, ended: () => Promise<void>}} what k6 writes to instead; `ended` is to be called when it has ended
 */
function boundedLog(log) {
  const place = mkdtempSync(join(tmpdir(), 'k6-log-'));
  const pipe = join(place, 'pipe');
  execFileSync('mkfifo', [pipe]);
  // For writing, too: it stays open until k6 has ended, whether k6 opens it or not.
  const held = openSync(pipe, 'r+');
  const input = openSync(pipe, 'r');
  const keeper = spawn(fileURLToPath(new URL('bounded-log', import.meta.url)), [log], {
    stdio: [input, 'ignore', 'inherit'],
  });
  closeSync(input);
  const closed = new Promise((resolve) => {
    keeper.once('error', resolve);
    keeper.once('close', resolve);
  });
  return {
    pipe,
    async ended() {
      closeSync(held);
      await closed;
      rmSync(place, { recursive: true });
    },
  };
}

class Generator {
  /** @type {number | null} */
  code = null;
  /** @type {{iterations: number, vus: number, mostVus: number}} as it last said */
  seen = { iterations: 0, vus: 0, mostVus: 0 };
  #users = 0;

  /** @param {string} address @param {number} index @param {number} count */
  constructor(address, index, count) {
    this.name = String(index + 1);
    this.address = address;
    this.log = join(folder, `k6-${this.name}.log`);
    const edges = Array.from({ length: count + 1 }, (_, edge) => (edge === count ? '1' : `${edge}/${count}`));
    const { pipe, ended: logEnded } = boundedLog(this.log);
    const args = given.map((argument) => argument.replace('{address}', address).replace('{log}', pipe));
    this.child = spawn(
      k6,
      [
        ...args.slice(0, 1),
        ...['--paused', '--quiet', '--execution-segment', `${edges[index]}:${edges[index + 1]}`],
        ...['--execution-segment-sequence', edges.join(',')],
        ...args.slice(1),
      ],
      // What k6 says at its end is nothing: the summary is made of all of them.
      { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, GENERATOR: this.name } },
    );
    this.over = new Promise((resolve) => {
      const ended = async (/** @type {number | null} */ code) => {
        this.code = code ?? BROKEN;
        await logEnded();
        resolve(this.code);
      };
      this.child.once('error', () => this.child.pid === undefined && ended(BROKEN));
      this.child.once('close', (code) => this.code === null && ended(code));
    });
  }

  end() {
    if (this.code === null) this.child.kill('SIGTERM');
  }

  /** @param {RequestInit} [init] @returns {Promise<any>} what its API says of it; null: it does not answer yet */
  async status(init) {
    try {
      const signal = AbortSignal.timeout(TELL_MS);
      const response = await fetch(`http://${this.address}/v1/status`, { ...init, signal });
      return response.ok ? /** @type {any} */ (await response.json()).data.attributes : null;
    } catch {
      return null;
    }
  }

  /** Its API answers while it still makes its users: it is ready when there are no more of them than a look before. */
  async isReady() {
    const users = (await this.status())?.['vus-max'] ?? 0;
    const ready = users > 0 && users === this.#users;
    this.#users = users;
    return ready;
  }

  async begin() {
    const body = JSON.stringify({ data: { type: 'status', id: 'default', attributes: { paused: false } } });
    return (await this.status({ method: 'PATCH', body })) !== null;
  }

  async look() {
    const status = await this.status();
    if (!status) return;
    this.seen = { iterations: await this.#iterations(), vus: status.vus, mostVus: status['vus-max'] };
  }

  async #iterations() {
    try {
      const response = await fetch(`http://${this.address}/v1/metrics/iterations`);
      return /** @type {any} */ (await response.json()).data.attributes.sample.count;
    } catch {
      return this.seen.iterations;
    }
  }
}

const all = addresses.split(',').map((address, index, { length }) => new Generator(address, index, length));
const running = () => all.filter(({ code }) => code === null);
const sumOf = (/** @type {'iterations' | 'vus' | 'mostVus'} */ figure) =>
  all.reduce((sum, { seen }) => sum + seen[figure], 0);

/** Why they did not begin, where that is not a failure of one of them. */
let late = '';

/** @returns {Promise<boolean>} did they begin? */
async function beginTogether() {
  const until = Date.now() + READY_S * 1000;
  for (const one of all) {
    while (!(await one.isReady())) {
      if (running().length < all.length) return false;
      if (Date.now() > until) {
        late = `generator ${one.name} is not ready after ${READY_S} s`;
        process.stderr.write(`error: ${late}\n`);
        return false;
      }
      await sleep(LOOK_MS);
    }
  }
  return (await Promise.all(all.map((one) => one.begin()))).every(Boolean);
}

async function tell() {
  const startedMs = Date.now();
  while (running().length > 0) {
    await Promise.all(running().map((one) => one.look()));
    const seconds = ((Date.now() - startedMs) / 1000).toFixed(1).padStart(4, '0');
    process.stdout.write(
      `running (${seconds}s), ${sumOf('vus')}/${sumOf('mostVus')} VUs, ${sumOf('iterations')} complete iterations, ${running().length} generators\n`,
    );
    await Promise.race([sleep(TELL_MS), Promise.all(all.map(({ over }) => over))]);
  }
}

/** Their logs become the one that the analysis reads. */
function joinLogs() {
  for (const { log } of all) {
    if (!existsSync(log)) continue;
    appendFileSync(join(folder, 'k6.log'), readFileSync(log));
    rmSync(log);
  }
}

const end = () => {
  for (const one of all) one.end();
};
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, end);
// One alone would be less load than was meant.
for (const one of all) one.over.then((code) => code !== 0 && end());

if (await beginTogether()) await tell();
else end();
await Promise.all(all.map(({ over }) => over));
joinLogs();
// Last, where the report looks for the reason: that they were ended then is none.
if (late) appendFileSync(join(folder, 'k6.log'), `${late}\n`);
process.exitCode = late ? BROKEN : (all.find(({ code }) => code !== 0)?.code ?? 0);
