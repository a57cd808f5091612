/**
 * Idle sessions, more and more of them, while a few users call; then as many users that all call; sessions that are
 * opened and ended around each call; and sessions that are left behind: does the server give them back?
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Prometheus } from '../analysis/collect/prometheus.ts';
import { percentile } from '../analysis/statistics/percentile.ts';
import { ConfigError } from '../contract/config-error.js';
import { readProtocol } from '../contract/protocols.js';
import { IdleSessions } from './connections/idle-sessions.js';
import { memoryLeft } from './connections/memory-left.js';

/**
 * By PROFILE: sessions to hold, seconds of each trial, of rest before memory is read (three scrapes), and for how long the
 * reference target keeps a session that nobody uses. It looks for those twice as often.
 */
const HOW =
  /** @type {Record<string, {sizes: number[], trialS: number, restS: number, timeoutS: number}>} */ ({
    smoke: { sizes: [50, 100], trialS: 2, restS: 2, timeoutS: 2 },
    quick: { sizes: [100, 500, 1000, 2000], trialS: 8, restS: 6, timeoutS: 10 },
    full: { sizes: [100, 500, 1000, 2000, 5000, 10_000], trialS: 30, restS: 6, timeoutS: 10 },
  });

/** Users that call while others are idle, and that come and go. */
const FEW = '5';
const COMING_AND_GOING = '10';

/** Of the machine's memory, what is to stay free. */
const LEAST_LEFT = 0.15;

/** Sessions to ask for after a time, when nobody has used them. */
const PROBES = 20;

/** @typedef {import('../analysis/tables/trial-results.ts').IdleStep} IdleStep */
/** @typedef {import('../analysis/tables/trial-results.ts').ConnectionsResult} ConnectionsResult */

/** @param {any} config @throws {ConfigError} */
export function check({ TARGET_PROTOCOL, OAUTH_CLIENT_ID, SECRET_SOURCE, TARGET_CERT }) {
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

/** @type {import('./lasts.ts').Lasts} */
export const lasts = (config, trialS) => {
  const plan = planOf(config);
  const rests = (plan.sizes.length + 1) * plan.restS + 2 * plan.timeoutS;
  return rests + plan.trials * trialS({ DURATION: `${Math.round(plan.trialS * 1000)}ms`, REQUESTS: '' });
};

/** @param {any} config */
function planOf(config) {
  const how = /** @type {(typeof HOW)[string]} */ (HOW[config.PROFILE]);
  const sizes = /** @type {number[]} */ (config.CONNECTIONS ?? how.sizes);
  const active = sizes.filter((size) => size <= config.MAX_VUS);
  const trials = sizes.length + 1 + active.length + 2;
  return {
    ...how,
    sizes,
    active,
    trials,
    trialS: Math.max(1, config.DURATION === null ? how.trialS : config.DURATION / trials),
  };
}

/** @param {import('./lab.js').Lab} lab */
export default async function connections(lab) {
  const { config } = lab;
  const { sizes, active, trialS, restS, timeoutS } = planOf(config);
  const reference = process.env.WATCHED_SERVER === 'reference';
  if (reference) await lab.target({ SESSIONS: '1', SESSION_TIMEOUT: String(timeoutS) });

  /** @type {ConnectionsResult} */
  const result = { idle: [], stopped: null, active: [], abandoned: null };
  lab.result = result;
  /** @param {string} name @param {Record<string, string | number>} labels @param {Record<string, string>} env */
  const trial = (name, labels, env) =>
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
      memoryLeft() < LEAST_LEFT ? `less than ${LEAST_LEFT * 100} % of the machine's memory was left` : null;
    if (result.stopped) break;
    const opened = await idle.open(size, { check: () => lab.check() });
    if (size > 0 && opened.count === 0) {
      result.stopped = opened.problem;
      break;
    }
    const step = {
      trial: `idle-${size}`,
      ...idleStep(idle, opened),
      memory_bytes: /** @type {number | null} */ (null),
    };
    lab.say(
      `${idle.size} sessions are open (${Math.round(step.handshakes_per_s ?? 0)} a second), ${idle.streams} of them with a stream`,
    );
    await pause(lab, restS);
    step.memory_bytes = reference ? await memoryAtRest() : null;
    result.idle.push(step);
    await trial(step.trial, { kind: 'idle', sessions: idle.size }, { CONCURRENCY: FEW });
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
  await trial('churn', { kind: 'churn' }, { CONCURRENCY: COMING_AND_GOING, SESSIONS_MODE: 'per-call' });

  // Those of the users so far are left behind, too.
  const before = await sessionsNow(reference);
  const probes = new IdleSessions(config.TARGET_URL, own);
  lab.onEnd(() => probes.close());
  await probes.open(PROBES, { listen: false });
  await trial(
    'abandoned',
    { kind: 'abandoned' },
    { CONCURRENCY: COMING_AND_GOING, SESSIONS_MODE: 'abandon' },
  );
  const most = await sessionsNow(reference);
  const waitS = reference ? 2 * timeoutS : config.SESSION_EXPIRY_S;
  lab.say(`are they given back? waiting ${waitS} s ...`);
  await pause(lab, waitS);
  const left = await sessionsNow(reference);
  result.abandoned = { probes: probes.size, known: await probes.known(), after_s: waitS, before, most, left };
}

/**
 * @param {IdleSessions} idle
 * @param {import('./connections/idle-sessions.js').Opened} opened
 * @returns {Omit<IdleStep, 'trial' | 'memory_bytes'>}
 */
function idleStep(idle, { count, seconds, handshakes }) {
  const sorted = handshakes.toSorted((a, b) => a - b);
  /** @param {number} share @param {number} least how many it takes for that to be more than the slowest */
  const quantile = (share, least) => (sorted.length < least ? null : percentile(sorted, share));
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

/** @param {import('./lab.js').Lab} lab @param {number} seconds */
async function pause(lab, seconds) {
  for (let rest = seconds; rest > 0; rest -= 1) {
    lab.check();
    await sleep(Math.min(1, rest) * 1000);
  }
}

/** @returns {Promise<number | null>} null where Prometheus is away */
async function memoryAtRest() {
  const { PROMETHEUS_URL = '' } = process.env;
  try {
    const now = Date.now() / 1000;
    const [sample] = await new Prometheus(PROMETHEUS_URL).query(
      'avg_over_time(signal:memory:bytes{server="reference"}[5s])',
      now,
    );
    return sample?.value ?? null;
  } catch {
    return null;
  }
}

/** @param {boolean} reference @returns {Promise<number | null>} as the server itself counts them */
async function sessionsNow(reference) {
  const { TARGET_METRICS_URL } = process.env;
  if (!reference || !TARGET_METRICS_URL) return null;
  const text = await fetch(TARGET_METRICS_URL).then(
    (response) => response.text(),
    () => '',
  );
  const [, count] = /^sessions_active (\d+)$/m.exec(text) ?? [];
  return count === undefined ? null : Number(count);
}
