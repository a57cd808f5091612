/**
 * Idle sessions, more and more of them, while a few VUs call; then as many VUs that all call; sessions that are opened and ended around
 * each call; and sessions that are left behind: does the server free them?
 */

import { freemem, totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Prometheus } from '../../analysis/collect/prometheus.ts';
import { percentile } from '../../analysis/statistics/percentile.ts';
import type { Config } from '../../cli/trials/config.ts';
import type { Lab } from '../../cli/trials/lab.ts';
import { needConnection } from '../../cli/trials/need-connection.ts';
import type { TrialsModule } from '../../cli/trials/trials.ts';
import { ConfigError } from '../../contract/config-error.js';
import type { ProfileName } from '../../contract/profiles.js';
import { readProtocol } from '../../contract/protocols.js';
import { IdleSessions, type Opened } from './idle-sessions.ts';
import type { variables } from './variables.ts';

type ConnectionsConfig = Config<typeof variables>;
type ConnectionsLab = Lab<ConnectionsConfig, ConnectionsResult>;

/** Sessions that are held, and do nothing. */
export interface IdleStep {
  trial: string;
  /** Sessions that were held. */
  size: number;
  streams: number;
  /** Streams that the server or the network ended. */
  lost: number;
  /** Sessions opened in this step, 20 at a time. */
  opened: number;
  handshakes_per_s: number | null;
  handshake_p50_ms: number | null;
  handshake_p95_ms: number | null;
  handshake_p99_ms: number | null;
  /** Of the server, at rest. */
  memory_bytes: number | null;
  /** Of the process that holds the sessions. */
  holder_bytes: number;
}

export interface ConnectionsResult {
  idle: IdleStep[];
  /** Why there were not more. */
  stopped: string | null;
  active: { trial: string; size: number }[];
  /** before, most, left: sessions that the server counts. */
  abandoned: {
    probes: number;
    known: number;
    after_s: number;
    before: number | null;
    most: number | null;
    left: number | null;
  } | null;
}

/**
 * sizes: sessions to hold; trialS: seconds of each trial; restS: seconds of rest (three scrapes) before memory is read; timeoutS: after
 * how many the reference target ends a session that nobody uses. It looks for those twice as often.
 */
const PLANS: Record<ProfileName, { sizes: number[]; trialS: number; restS: number; timeoutS: number }> = {
  smoke: { sizes: [50, 100], trialS: 2, restS: 2, timeoutS: 2 },
  quick: { sizes: [100, 500, 1000, 2000], trialS: 8, restS: 6, timeoutS: 10 },
  full: { sizes: [100, 500, 1000, 2000, 5000, 10_000], trialS: 30, restS: 6, timeoutS: 10 },
};

/** VUs that call while sessions are idle, and VUs with a session for each call. */
const IDLE_VUS = '5';
const CHURN_VUS = '10';

/** The share of the machine's memory that stays free. */
const MIN_MEMORY_LEFT = 0.15;

/** Sessions to ask for after a time, when nobody has used them. */
const PROBES = 20;

export function check(config: ConnectionsConfig) {
  needConnection(config, 'connections holds connections');
  const { TARGET_PROTOCOL, OAUTH_CLIENT_ID, SECRET_SOURCE, TARGET_CERT } = config;
  const { dialect, era } = readProtocol(TARGET_PROTOCOL);
  if ((dialect && dialect !== 'mcp') || era === 'modern') {
    throw new ConfigError(
      `TARGET_PROTOCOL is "${TARGET_PROTOCOL}", which has no sessions; valid: legacy, or a version with initialize`,
    );
  }
  if (OAUTH_CLIENT_ID || SECRET_SOURCE || TARGET_CERT) {
    throw new ConfigError(
      'the test connections holds idle sessions without k6, and gets in with TARGET_TOKEN or TARGET_HEADERS; valid: without OAUTH_CLIENT_ID, SECRET_SOURCE and TARGET_CERT',
    );
  }
}

export const nativeOnly = true;

export const lasts: TrialsModule<ConnectionsConfig>['lasts'] = (config, trialS) => {
  const plan = planOf(config);
  const rests = (plan.sizes.length + 1) * plan.restS + 2 * plan.timeoutS;
  return rests + plan.trials * trialS({ DURATION: `${Math.round(plan.trialS * 1000)}ms`, REQUESTS: '' });
};

function planOf(config: ConnectionsConfig) {
  const plan = PLANS[config.PROFILE];
  const sizes = config.CONNECTIONS ?? plan.sizes;
  const active = sizes.filter((size) => size <= config.MAX_VUS);
  const trials = sizes.length + 1 + active.length + 2;
  return {
    ...plan,
    sizes,
    active,
    trials,
    trialS: Math.max(1, config.DURATION === null ? plan.trialS : config.DURATION / trials),
  };
}

export default async function connections(lab: ConnectionsLab) {
  const { config } = lab;
  const { sizes, active, trialS, restS, timeoutS } = planOf(config);
  const reference = process.env.WATCHED_SERVER === 'reference';
  if (reference) await lab.target({ SESSIONS: '1', SESSION_TIMEOUT: String(timeoutS) });

  const result: ConnectionsResult = { idle: [], stopped: null, active: [], abandoned: null };
  lab.result = result;
  const trial = (name: string, labels: Record<string, string | number>, env: Record<string, string>) =>
    lab.trial({
      name,
      labels,
      env: { TARGET_PROTOCOL: 'legacy', DURATION: `${Math.round(trialS * 1000)}ms`, REQUESTS: '', ...env },
    });

  const own = {
    ...(config.TARGET_TOKEN && { Authorization: `Bearer ${config.TARGET_TOKEN}` }),
    ...config.TARGET_HEADERS,
  };
  const idle = new IdleSessions(config.TARGET_URL, own);
  lab.onEnd(() => idle.close());
  for (const size of [0, ...sizes]) {
    result.stopped =
      freemem() / totalmem() < MIN_MEMORY_LEFT
        ? `less than ${MIN_MEMORY_LEFT * 100} % of the machine's memory was left`
        : null;
    if (result.stopped) break;
    const opened = await idle.open(size, { check: () => lab.check() });
    if (size > 0 && opened.count === 0) {
      result.stopped = opened.problem;
      break;
    }
    const step: IdleStep = { trial: `idle-${size}`, ...idleStep(idle, opened), memory_bytes: null };
    lab.say(
      `${idle.size} sessions are open (${Math.round(step.handshakes_per_s ?? 0)} a second), ${idle.streams} of them with a stream`,
    );
    await pause(lab, restS);
    step.memory_bytes = reference ? await memoryAtRest() : null;
    result.idle.push(step);
    await trial(step.trial, { kind: 'idle', sessions: idle.size }, { CONCURRENCY: IDLE_VUS });
    step.lost = idle.lost;
    result.stopped = opened.problem;
    if (result.stopped) break;
  }
  await idle.close();
  if (result.stopped) lab.say(`no more idle sessions: ${result.stopped}`);

  for (const size of active) {
    const name = `active-${size}`;
    result.active.push({ trial: name, size });
    await trial(name, { kind: 'active', sessions: size }, { CONCURRENCY: String(size) });
  }
  await trial('churn', { kind: 'churn' }, { CONCURRENCY: CHURN_VUS, SESSIONS_MODE: 'per-call' });

  // The sessions of the VUs so far are left behind, too.
  const before = await sessionsNow(reference);
  const probes = new IdleSessions(config.TARGET_URL, own);
  lab.onEnd(() => probes.close());
  await probes.open(PROBES, { listen: false });
  await trial('abandoned', { kind: 'abandoned' }, { CONCURRENCY: CHURN_VUS, SESSIONS_MODE: 'abandon' });
  const most = await sessionsNow(reference);
  const waitS = reference ? 2 * timeoutS : config.SESSION_EXPIRY_S;
  lab.say(`does the server free them? waiting ${waitS} s ...`);
  await pause(lab, waitS);
  const left = await sessionsNow(reference);
  result.abandoned = { probes: probes.size, known: await probes.known(), after_s: waitS, before, most, left };
}

function idleStep(
  idle: IdleSessions,
  { count, seconds, handshakes }: Opened,
): Omit<IdleStep, 'trial' | 'memory_bytes'> {
  const sorted = handshakes.toSorted((a, b) => a - b);
  // With fewer handshakes than `min` it would be the slowest.
  const quantile = (share: number, min: number) => (sorted.length < min ? null : percentile(sorted, share));
  return {
    size: idle.size,
    streams: idle.streams,
    lost: idle.lost,
    opened: count,
    handshakes_per_s: count > 0 ? count / seconds : null,
    handshake_p50_ms: quantile(0.5, 1),
    handshake_p95_ms: quantile(0.95, 20),
    handshake_p99_ms: quantile(0.99, 100),
    holder_bytes: process.memoryUsage().rss,
  };
}

async function pause(lab: ConnectionsLab, seconds: number) {
  for (let rest = seconds; rest > 0; rest -= 1) {
    lab.check();
    await sleep(Math.min(1, rest) * 1000);
  }
}

/** Bytes; null: Prometheus does not answer. */
async function memoryAtRest(): Promise<number | null> {
  const { PROMETHEUS_URL = '' } = process.env;
  const query = 'avg_over_time(signal:memory:bytes{server="reference"}[5s])';
  const [sample] = await new Prometheus(PROMETHEUS_URL).query(query, Date.now() / 1000).catch(() => []);
  return sample?.value ?? null;
}

/** Sessions by the server's own count. */
async function sessionsNow(reference: boolean): Promise<number | null> {
  const { TARGET_METRICS_URL } = process.env;
  if (!reference || !TARGET_METRICS_URL) return null;
  const text = await fetch(TARGET_METRICS_URL).then(
    (response) => response.text(),
    () => '',
  );
  const [, count] = /^sessions_active (\d+)$/m.exec(text) ?? [];
  return count === undefined ? null : Number(count);
}
