/**
 * Runs one, two, four ... instances of the reference target behind HAProxy, in rounds of random order. The
 * instances share the stack's PostgreSQL, Redis and weather service, as in production. They also share this
 * machine, unlike in production, so the table shows the CPU usage by part.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeAtomic } from '../../analysis/write-atomic.ts';
import { toolPath } from '../../cli/tool-path.ts';
import type { Config } from '../../cli/trials/config.ts';
import { watchCpu } from '../../cli/trials/cpu-watch.ts';
import { startInstance } from '../../cli/trials/instance.ts';
import type { Lab } from '../../cli/trials/lab.ts';
import { DEFAULT_RUNS, rounds } from '../../cli/trials/rounds.ts';
import type { TrialsModule } from '../../cli/trials/trials.ts';
import { watchInstead } from '../../cli/trials/watch-instead.ts';
import { ConfigError } from '../../contract/config-error.js';
import { freePort } from '../../contract/free-port.js';
import type { ProfileName } from '../../contract/profiles.js';
import { seededRandom } from '../../contract/seeded-random.js';
import { startBalancer } from './haproxy.ts';
import type { variables } from './variables.ts';

type ScalingConfig = Config<typeof variables>;
type ScalingLab = Lab<ScalingConfig, ScalingResult>;

export interface ScalingResult {
  /** VUs per instance. */
  users: number;
  repeats: number;
  /** Settings of each instance. */
  settings: Record<string, string>;
  /** Price of an instance, USD per hour. */
  price: number | null;
  /** By phase: CPUs in use by each part of the stack, and the busiest instance's share of the calls. */
  phases: Record<string, { cores: Record<string, number>; busiest: number | null }>;
}

const TRIAL_S: Record<ProfileName, number> = { smoke: 3, quick: 15, full: 60 };
const VUS_PER_INSTANCE = 20;
/**
 * PostgreSQL's limit (provisioning/postgres/postgresql.conf) without its reserve, exporters and manual
 * inspection.
 */
const CONNECTIONS = 90;
/** The target's default. */
const POOL_SIZE = 25;

export function check() {
  if (process.env.STACK === 'docker') {
    throw new ConfigError('STACK is "docker"; valid for scaling: native');
  }
  const { SESSIONS, TARGET_SETTINGS = '' } = process.env;
  if (SESSIONS === '1' || TARGET_SETTINGS.split(' ').includes('SESSIONS=1')) {
    throw new ConfigError('SESSIONS is "1", but a session belongs to a single instance; valid: SESSIONS=0');
  }
}

export const nativeOnly = true;

export const lasts: TrialsModule<ScalingConfig>['lasts'] = (config, trialS) =>
  countsOf(config).length *
  repeatsOf(config) *
  trialS({ DURATION: `${config.DURATION ?? TRIAL_S[config.PROFILE]}s` });

const countsOf = ({ INSTANCES }: ScalingConfig) => INSTANCES ?? [];
const repeatsOf = ({ RUNS, PROFILE }: ScalingConfig) => RUNS ?? (PROFILE === 'smoke' ? 1 : DEFAULT_RUNS);

export default async function scaling(lab: ScalingLab) {
  const counts = countsOf(lab.config);
  const { CONCURRENCY, PROFILE, DURATION, SEED, PRICE_PER_INSTANCE_HOUR } = lab.config;
  const users = CONCURRENCY ?? VUS_PER_INSTANCE;
  const repeats = repeatsOf(lab.config);
  const trialS = DURATION ?? TRIAL_S[PROFILE];
  await lab.sh(['scripts/setup', 'haproxy']);
  const most = Math.max(...counts);
  const settings = settingsFor(most, process.env.TARGET_SETTINGS ?? '');
  // The stack's own target would hold connections that the instances need.
  lab.onEnd(() => lab.sh(['scripts/ctl', 'start', 'target'], {}, true));
  await lab.sh(['scripts/ctl', 'stop', 'target']);
  lab.logProgress(
    `starting ${most} instances, each with ${settings.WORKERS} worker and ${settings.POOL_SIZE} connections ...`,
  );
  const instances: { port: number; adminPort: number; pid: number }[] = [];
  // Start the instances one after the other, because the first one may have to prepare the database.
  for (let number = 1; number <= most; number += 1) {
    const [port, adminPort] = [await freePort(), await freePort()];
    const instance = await startInstance(`instance ${number}`, port, { ...settings, ADMIN_PORT: adminPort });
    lab.onEnd(instance.stop);
    instances.push({ port, adminPort, pid: instance.pid });
  }
  const watch = watchInstead(lab);
  const balancers = join(process.env.PROMETHEUS_TARGETS_DIR ?? '', 'custom-haproxy.json');
  lab.onEnd(() => rmSync(balancers, { force: true }));

  const byPhase: ScalingResult['phases'] = {};
  lab.result = { users, repeats, settings, price: PRICE_PER_INSTANCE_HOUR, phases: byPhase };
  for (const [index, order] of rounds(counts, repeats, seededRandom(SEED)).entries()) {
    lab.logProgress(`round ${index + 1} of ${repeats}: ${order.join(', ')} instances`);
    for (const count of order) {
      const used = instances.slice(0, count);
      const balancer = await startBalancer(
        toolPath('haproxy'),
        used.map(({ port }) => port),
      );
      lab.onEnd(balancer.stop);
      watch(...used.map(({ adminPort }) => adminPort));
      writeAtomic(balancers, JSON.stringify([{ targets: [balancer.metrics] }]));
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
      const busiest = largestShare(Object.values(await balancer.requests()));
      for (const phase of phases) byPhase[phase.name] = { cores: cpu.cores(phase), busiest };
      await balancer.stop();
    }
  }
}

/**
 * @param most maximum number of instances
 * @param given the settings of the stack's own target
 * @returns settings that are the same for every number of instances, to make the results comparable
 */
export function settingsFor(most: number, given: string): { WORKERS: string; POOL_SIZE: string } {
  const settings = Object.fromEntries(given.split(' ').map((setting) => setting.split('=')));
  // An instance is one process, unless WORKERS is set.
  const workers = Number(settings.WORKERS ?? 1);
  const fitting = Math.floor(CONNECTIONS / (most * workers));
  if (fitting < 1) {
    throw new ConfigError(
      `INSTANCES has ${most}, with ${workers} workers each, but PostgreSQL has only ${CONNECTIONS} connections for all of them; valid: fewer`,
    );
  }
  return {
    WORKERS: String(workers),
    POOL_SIZE: String(Math.min(Number(settings.POOL_SIZE ?? POOL_SIZE), fitting)),
  };
}

/** Reads the process id of a component of the stack. */
function pidOf(component: string): number[] {
  const { RUN_DIR = '' } = process.env;
  return [Number.parseInt(readFileSync(join(RUN_DIR, 'pids', component), 'utf8'), 10)];
}

function largestShare(counts: number[]): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  return total > 0 ? Math.max(...counts) / total : null;
}
