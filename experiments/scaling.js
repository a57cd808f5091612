/**
 * The reference target in one instance, two, four ..., behind HAProxy, in rounds whose order is random. They share the
 * stack's PostgreSQL, Redis and weather service, as instances do; and this machine, as they should not: the table says
 * where its processors went.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeAtomic } from '../analysis/write-atomic.ts';
import { ConfigError } from '../contract/config-error.js';
import { seededRandom } from '../contract/seeded-random.js';
import { watchCpu } from './cpu-watch.js';
import { rounds, USUAL_RUNS } from './rounds.js';
import { startBalancer } from './scaling/haproxy.js';
import { startInstances } from './scaling/instances.js';
import { toolPath } from './tool-path.js';

const TRIAL_S = /** @type {Record<string, number>} */ ({ smoke: 3, quick: 15, full: 60 });
const USERS_PER_INSTANCE = 20;
/** What PostgreSQL takes (provisioning/postgres/postgresql.conf), but for its own reserve, exporters and a look inside. */
const CONNECTIONS = 90;
/** The target's own default. */
const POOL_SIZE = 25;

/** @throws {ConfigError} */
export function check() {
  if (process.env.STACK === 'docker') {
    throw new ConfigError('STACK is "docker", where no instances are started; valid: STACK=native');
  }
  const { SESSIONS, TARGET_KNOBS = '' } = process.env;
  if (SESSIONS === '1' || TARGET_KNOBS.split(' ').includes('SESSIONS=1')) {
    throw new ConfigError('SESSIONS is "1", and a session is at home in one instance; valid: SESSIONS=0');
  }
}

/** @type {import('./lasts.ts').Lasts} */
export const lasts = (config, trialS) =>
  config.INSTANCES.length *
  repeatsOf(config) *
  trialS({ DURATION: `${config.DURATION ?? TRIAL_S[config.PROFILE]}s` });

/** @param {any} config @returns {number} */
const repeatsOf = ({ RUNS, PROFILE }) => RUNS ?? (PROFILE === 'smoke' ? 1 : USUAL_RUNS);

/** @param {import('./lab.js').Lab} lab */
export default async function scaling(lab) {
  const { INSTANCES: counts, CONCURRENCY, PROFILE, DURATION, SEED, PRICE_PER_INSTANCE_HOUR } = lab.config;
  const users = CONCURRENCY ?? USERS_PER_INSTANCE;
  const repeats = repeatsOf(lab.config);
  const trialS = DURATION ?? TRIAL_S[PROFILE];
  await lab.sh(['scripts/setup', 'haproxy']);
  const most = Math.max(...counts);
  const knobs = knobsFor(most, process.env.TARGET_KNOBS ?? '');
  // The stack's own would hold connections that the instances need.
  lab.onEnd(() => lab.sh(['scripts/ctl', 'start', 'target'], {}, true));
  await lab.sh(['scripts/ctl', 'stop', 'target']);
  lab.say(
    `starting ${most} instances, each with ${knobs.WORKERS} worker and ${knobs.POOL_SIZE} connections ...`,
  );
  const instances = await startInstances(most, knobs, lab.onEnd.bind(lab));

  /** @type {Record<string, {cores: Record<string, number>, busiest: number | null}>} by phase */
  const byPhase = {};
  lab.result = { users, repeats, knobs, price: PRICE_PER_INSTANCE_HOUR, phases: byPhase };
  for (const [index, order] of rounds(counts, repeats, seededRandom(SEED)).entries()) {
    lab.say(`round ${index + 1} of ${repeats}: ${order.join(', ')} instances`);
    for (const count of order) {
      const used = instances.slice(0, count);
      const balancer = await startBalancer(
        toolPath('haproxy'),
        used.map(({ port }) => port),
      );
      lab.onEnd(balancer.stop);
      const watched = watch(
        lab,
        used.map(({ adminPort }) => adminPort),
        balancer.metrics,
      );
      const cpu = watchCpu({
        instances: used.map(({ pid }) => pid),
        HAProxy: [balancer.pid],
        PostgreSQL: pidOf('postgres'),
        Redis: pidOf('redis'),
      });
      const { phases } = await lab.trial({
        name: `i${count}-r${index + 1}`,
        labels: { instances: count, round: index + 1 },
        env: {
          TARGET_URL: `${balancer.url}/mcp`,
          CONCURRENCY: String(users * count),
          DURATION: `${trialS}s`,
          RATE_SCALE: '1',
        },
      });
      cpu.stop();
      const shares = Object.values(await balancer.servers()).map(({ requests }) => requests);
      for (const phase of phases) {
        byPhase[phase.name] = { cores: cpu.cores(phase), busiest: largestShare(shares) };
      }
      await balancer.stop();
      watched.stop();
    }
  }
}

/**
 * @param {number} most instances
 * @param {string} given the knobs of the stack's own target
 * @returns {{WORKERS: string, POOL_SIZE: string}} the same for every number of instances, or they would not be compared
 */
export function knobsFor(most, given) {
  const knobs = Object.fromEntries(given.split(' ').map((knob) => knob.split('=')));
  // An instance is one process, unless it is said to be more.
  const workers = Number(knobs.WORKERS ?? 1);
  const fitting = Math.floor(CONNECTIONS / (most * workers));
  if (fitting < 1) {
    throw new ConfigError(
      `INSTANCES has ${most}, with ${workers} workers each: PostgreSQL has ${CONNECTIONS} connections for all of them; valid: fewer`,
    );
  }
  return {
    WORKERS: String(workers),
    POOL_SIZE: String(Math.min(Number(knobs.POOL_SIZE ?? POOL_SIZE), fitting)),
  };
}

/**
 * Has Prometheus watch these instances instead of the stack's own target, and the balancer.
 *
 * @param {import('./lab.js').Lab} lab
 * @param {number[]} ports
 * @param {string} balancer host and port of its metrics
 * @returns {{stop: () => void}}
 */
function watch(lab, ports, balancer) {
  const { PROMETHEUS_TARGETS_DIR: folder = '' } = process.env;
  const [ofTarget, ofBalancer] = [join(folder, 'target.json'), join(folder, 'custom-haproxy.json')];
  const before = readFileSync(ofTarget, 'utf8');
  const targets = ports.map((port) => `127.0.0.1:${port}`);
  writeAtomic(ofTarget, JSON.stringify([{ targets }]));
  writeAtomic(ofBalancer, JSON.stringify([{ targets: [balancer] }]));
  let stopped = false;
  const stop = () => {
    if (stopped) return;
    stopped = true;
    writeAtomic(ofTarget, before);
    rmSync(ofBalancer, { force: true });
  };
  lab.onEnd(stop);
  return { stop };
}

/** @param {string} component of the stack @returns {number[]} its process id, as it left it */
function pidOf(component) {
  const { RUN_DIR = '' } = process.env;
  return [Number.parseInt(readFileSync(join(RUN_DIR, 'pids', component), 'utf8'), 10)];
}

/** @param {number[]} counts @returns {number | null} */
function largestShare(counts) {
  const total = counts.reduce((sum, count) => sum + count, 0);
  return total > 0 ? Math.max(...counts) / total : null;
}
