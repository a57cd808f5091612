/**
 * Direct, through the gateway as MCP, through its plain JSON-RPC: in turn, in rounds whose order is random, then the
 * same from behind. How much the gateway does is probed first: all get the same load, one that it holds.
 */

import { ConfigError } from '../contract/config-error.js';
import { readProtocol } from '../contract/protocols.js';
import { seededRandom } from '../contract/seeded-random.js';
import { tooMuch } from '../lib/load-limits.js';
import { needConfirmed } from '../lib/target-host.js';
import { watchCpu } from './cpu-watch.js';
import { givenGateway, ownGateway } from './gateway/subject.js';
import { toolsOnly } from './gateway/tools.js';
import { needReference } from './reference-only.js';
import { rounds } from './rounds.js';

/** Of what the gateway was found to do: enough below it that no queue forms. */
const SHARE = 0.4;
/** Calls a second, of a gateway that hardly does anything. */
const LEAST_RATE = 0.5;
/** Seconds of one trial that asks how much a way does. */
const PROBE_S = { smoke: 4.5, quick: 9, full: 9 };
/** Of all trials together. */
const MEASURED_S = { smoke: 30, quick: 180, full: 1800 };
const LEAST_TRIAL_S = 3;
/** A p99 wants a hundred answers each way, and some are lost to the beginnings of phases. */
const P99_ANSWERS = 110;
const OPENING_S = 2;
/** Of a trial (scenarios/gateway.js). */
const STEADY_SHARE = 2 / 3;
/** Where RUNS does not say. An even number: each random order also runs from behind. */
const ROUNDS = { smoke: 2, quick: 4, full: 8 };
/** One has no interval. */
const LEAST_ROUNDS = 2;

/** Ways in that are the direct target's alone. */
const NO_OTHER_WAY_IN = { TARGET_HEADERS: '', OAUTH_CLIENT_ID: '', TARGET_CERT: '', TARGET_KEY: '' };

/** @param {any} config @throws {ConfigError} */
export function check(config) {
  const { GATEWAY_URL, GATEWAY_RPC_URL, GATEWAY_STORE, TARGET_CONFIRM, RATE, MAX_RATE } = config;
  if (GATEWAY_RPC_URL && !GATEWAY_URL) {
    throw new ConfigError('GATEWAY_RPC_URL is set without GATEWAY_URL; valid: both, or GATEWAY_URL alone');
  }
  // They are loaded as the target is.
  if (GATEWAY_URL) needConfirmed('GATEWAY_URL', GATEWAY_URL, TARGET_CONFIRM);
  if (GATEWAY_RPC_URL) needConfirmed('GATEWAY_RPC_URL', GATEWAY_RPC_URL, TARGET_CONFIRM);
  if (RATE > MAX_RATE) tooMuch(`RATE is ${RATE}, more than MAX_RATE=${MAX_RATE}`, 'MAX_RATE', RATE);
  const other = ['TARGET_HEADERS', 'OAUTH_CLIENT_ID', 'TARGET_CERT'].find((name) => process.env[name]);
  if (other && !GATEWAY_URL) {
    throw new ConfigError(
      `${other} is set without GATEWAY_URL, and the gateway that is started gets to the target by TARGET_TOKEN; valid: one of those two`,
    );
  }
  if (GATEWAY_STORE === 'stack') {
    if (GATEWAY_URL) {
      throw new ConfigError('GATEWAY_STORE is "stack" beside GATEWAY_URL; valid: one of the two');
    }
    needReference(config, "gateway with GATEWAY_STORE=stack uses the stores of the stack's own target");
  }
  planOf(config, GATEWAY_URL && !GATEWAY_RPC_URL ? 2 : 3);
}

/**
 * @param {any} config
 * @param {number} ways
 * @throws {ConfigError}
 */
function planOf({ PROFILE, RUNS, DURATION }, ways) {
  const profile = /** @type {keyof typeof ROUNDS} */ (PROFILE);
  const count = RUNS ? Math.max(LEAST_ROUNDS, RUNS) : ROUNDS[profile];
  const measuredS = DURATION ?? MEASURED_S[profile];
  const trialS = measuredS / (count * ways);
  if (trialS >= LEAST_TRIAL_S) return { count, trialS };
  throw new ConfigError(
    `DURATION is ${measuredS} s, for ${count} rounds of ${ways} trials; valid: ${LEAST_TRIAL_S * count * ways}s or longer, or fewer RUNS`,
  );
}

/**
 * Of a slow gateway a trial is longer, up to twice as long, for its p99 to have the answers that it needs.
 *
 * @param {number} plannedS
 * @param {number} rate calls a second
 * @param {number} count of rounds
 */
export function enoughS(plannedS, rate, count) {
  const steadyS = P99_ANSWERS / (rate * count) + OPENING_S;
  return Math.max(plannedS, Math.min(plannedS * 2, steadyS / STEADY_SHARE));
}

/** @type {import('./lasts.ts').Lasts} */
export const lasts = (config, trialS) => {
  const ways = config.GATEWAY_URL && !config.GATEWAY_RPC_URL ? 2 : 3;
  const { count, trialS: length } = planOf(config, ways);
  const seconds = (/** @type {number} */ s) => trialS({ DURATION: `${s}s`, RATE_SCALE: '1', REQUESTS: '' });
  const probe =
    config.RATE === null ? seconds(PROBE_S[/** @type {keyof typeof PROBE_S} */ (config.PROFILE)]) : 0;
  return ways * (probe + count * seconds(length));
};

/** @param {import('./lab.js').Lab} lab */
export default async function (lab) {
  const { config } = lab;
  const gateway = config.GATEWAY_URL ? await givenGateway(config) : await ownGateway(lab);
  const ways = waysOf(gateway, toolsOnly(config.WORKLOAD, lab.folder));
  const { count, trialS: planned } = planOf(config, Object.keys(ways).length);
  const rate = config.RATE ?? (await probe(lab, ways));
  const trialS = config.DURATION === null ? enoughS(planned, rate, count) : planned;
  /** @type {Record<string, number | null>} processors that the gateway kept busy, by phase */
  const cores = {};
  lab.result = { gateway: gateway.name, rate, cores };
  const load = { RATE_SCALE: String(rate), DURATION: `${Math.round(trialS * 1000)}ms` };
  for (const [index, order] of rounds(Object.keys(ways), count, seededRandom(config.SEED)).entries()) {
    lab.say(`round ${index + 1} of ${count}: ${order.join(', ')}`);
    for (const way of order) {
      const name = `round-${index + 1}-${way}`;
      const cpu = watchCpu({ gateway: gateway.pid === null ? [] : [gateway.pid] });
      const trial = await lab.trial({
        name,
        labels: { way, round: index + 1 },
        env: { ...ways[way], ...load },
      });
      cpu.stop();
      for (const phase of trial.phases) cores[phase.name] = cpu.cores(phase).gateway ?? null;
    }
  }
}

/**
 * @param {import('./gateway/subject.js').Subject} gateway
 * @param {Record<string, string>} workload
 * @returns {Record<string, Record<string, string>>} the variables of each way to the target
 */
function waysOf({ mcp, rpc, token, headers, names }, workload) {
  const { dialect } = readProtocol(process.env.TARGET_PROTOCOL ?? '');
  const protocol = (dialect === 'mcp' && process.env.TARGET_PROTOCOL) || 'auto';
  const through = {
    ...workload,
    ...NO_OTHER_WAY_IN,
    TARGET_TOKEN: token,
    TARGET_HEADERS: headers,
    TOOL_NAMES: JSON.stringify(names),
  };
  return {
    direct: { ...workload, TOOL_NAMES: '', TARGET_PROTOCOL: protocol },
    mcp: { ...through, TARGET_URL: mcp, TARGET_PROTOCOL: protocol },
    ...(rpc && { rpc: { ...through, TARGET_URL: rpc, TARGET_PROTOCOL: 'jsonrpc' } }),
  };
}

/**
 * What each way does for users that call in a loop; of the least, a share.
 *
 * @param {import('./lab.js').Lab} lab
 * @param {ReturnType<typeof waysOf>} ways
 * @returns {Promise<number>} calls a second
 */
async function probe(lab, ways) {
  const seconds = PROBE_S[/** @type {keyof typeof PROBE_S} */ (lab.config.PROFILE)];
  const found = [];
  for (const [way, env] of Object.entries(ways)) {
    lab.say(`how much can be done (${way})?`);
    const trial = await lab.trial({
      name: `probe-${way}`,
      labels: { way, round: 'probe' },
      env: { ...env, DURATION: `${seconds}s`, RATE_SCALE: '1', REQUESTS: '' },
      judged: false,
    });
    const loop = trial.phases.find(({ labels }) => labels.load === 'loop');
    found.push(loop?.achieved_rps ?? 0);
    lab.say(`${Math.round(loop?.achieved_rps ?? 0)} calls/s`);
  }
  const rate = Math.max(LEAST_RATE, Math.round(Math.min(...found) * SHARE * 10) / 10);
  lab.say(`each way gets ${rate} calls/s`);
  return rate;
}
