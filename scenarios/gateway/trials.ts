/**
 * Compares the ways to the target: direct, through the gateway as MCP, and through its plain JSON-RPC. They
 * take turns in rounds of random order, each followed by its reverse. A probe first finds the capacity of
 * each way. All ways get the same load, which the slowest one sustains.
 */
import { watchCpu } from '../../cli/trials/cpu-watch.ts';
import type { Lab } from '../../cli/trials/lab.ts';
import { needConnection } from '../../cli/trials/need-connection.ts';
import { needReference } from '../../cli/trials/reference-only.ts';
import { rounds } from '../../cli/trials/rounds.ts';
import type { TrialsModule } from '../../cli/trials/trials.ts';
import { ConfigError } from '../../contract/config-error.js';
import type { ProfileName } from '../../contract/profiles.js';
import { readProtocol } from '../../contract/protocols.js';
import { seededRandom } from '../../contract/seeded-random.js';
import { tooMuch } from '../../lib/load-limits.js';
import { needConfirmed } from '../../lib/target-host.js';
import { type GatewayConfig, givenGateway, ownGateway, type Subject } from './subject.ts';
import { toolsOnly } from './tools.ts';

type GatewayLab = Lab<GatewayConfig, GatewayResult>;
type Ways = Record<string, Record<string, string>>;

export interface GatewayResult {
  gateway: string;
  /** Requests/s. */
  rate: number | null;
  /** CPUs that the gateway kept busy, by phase. */
  cores: Record<string, number | null>;
}

/** Share of the slowest way's maximum rate, low enough that no queue forms. */
const RATE_SHARE = 0.4;
/** Minimum calls/s, for a very slow gateway. */
const MIN_RATE = 0.5;
/** Length of the probe of one way, seconds. */
const PROBE_S: Record<ProfileName, number> = { smoke: 4.5, quick: 9, full: 9 };
/** Total length of all trials, seconds. */
const MEASURED_S: Record<ProfileName, number> = { smoke: 30, quick: 180, full: 1800 };
const MIN_TRIAL_S = 3;
/** A p99 takes 100 answers per way; some answers at the start of phases are excluded. */
const P99_ANSWERS = 110;
const OPENING_S = 2;
/** Share of a trial with the steady load (test.js). */
const STEADY_SHARE = 2 / 3;
/** Default of RUNS. Even, because each random order is followed by its reverse. */
const ROUNDS: Record<ProfileName, number> = { smoke: 2, quick: 4, full: 8 };
/** A single round has no confidence interval. */
const MIN_ROUNDS = 2;

/** Removes credentials that are only for the target itself. */
const NO_OTHER_CREDENTIALS = { TARGET_HEADERS: '', OAUTH_CLIENT_ID: '', TARGET_CERT: '', TARGET_KEY: '' };

export function check(config: GatewayConfig) {
  needConnection(config, 'gateway needs an address for a gateway');
  const { GATEWAY_URL, GATEWAY_RPC_URL, GATEWAY_STORE, TARGET_CONFIRM, RATE, MAX_RATE } = config;
  if (GATEWAY_RPC_URL && !GATEWAY_URL) {
    throw new ConfigError('GATEWAY_RPC_URL needs GATEWAY_URL');
  }
  // The gateway's endpoints are loaded like the target.
  if (GATEWAY_URL) needConfirmed('GATEWAY_URL', GATEWAY_URL, TARGET_CONFIRM);
  if (GATEWAY_RPC_URL) needConfirmed('GATEWAY_RPC_URL', GATEWAY_RPC_URL, TARGET_CONFIRM);
  if (RATE !== null && RATE > MAX_RATE)
    tooMuch(`RATE is ${RATE}; valid: at most MAX_RATE=${MAX_RATE}`, 'MAX_RATE', RATE);
  const other = ['TARGET_HEADERS', 'OAUTH_CLIENT_ID', 'TARGET_CERT'].find((name) => process.env[name]);
  if (other && !GATEWAY_URL) {
    throw new ConfigError(`${other} needs GATEWAY_URL; without GATEWAY_URL, the gateway uses TARGET_TOKEN`);
  }
  if (GATEWAY_STORE === 'stack') {
    if (GATEWAY_URL) {
      throw new ConfigError('set only one of GATEWAY_STORE=stack and GATEWAY_URL');
    }
    needReference(config, "gateway with GATEWAY_STORE=stack uses the stores of the stack's own target");
  }
  planOf(config);
}

/** @throws {ConfigError} if a trial would be too short */
function planOf({ PROFILE, RUNS, DURATION, GATEWAY_URL, GATEWAY_RPC_URL }: GatewayConfig) {
  const ways = GATEWAY_URL && !GATEWAY_RPC_URL ? 2 : 3;
  const count = RUNS ? Math.max(MIN_ROUNDS, RUNS) : ROUNDS[PROFILE];
  const measuredS = DURATION ?? MEASURED_S[PROFILE];
  const trialS = measuredS / (count * ways);
  if (trialS >= MIN_TRIAL_S) return { ways, count, trialS };
  throw new ConfigError(
    `DURATION is ${measuredS} s, for ${count} rounds of ${ways} trials; valid: ${MIN_TRIAL_S * count * ways}s or longer, or fewer RUNS`,
  );
}

/**
 * Returns the length of a trial, seconds: up to twice `plannedS` if a slow gateway gives too few answers for
 * a p99.
 *
 * @param rate calls/s
 * @param count number of rounds
 */
export function enoughS(plannedS: number, rate: number, count: number) {
  const steadyS = P99_ANSWERS / (rate * count) + OPENING_S;
  return Math.max(plannedS, Math.min(plannedS * 2, steadyS / STEADY_SHARE));
}

export const nativeOnly = true;

export const lasts: TrialsModule<GatewayConfig>['lasts'] = (config, trialS) => {
  const { ways, count, trialS: length } = planOf(config);
  const seconds = (s: number) => trialS({ DURATION: `${s}s`, RATE_SCALE: '1', REQUESTS: '' });
  const probeS = config.RATE === null ? seconds(PROBE_S[config.PROFILE]) : 0;
  return ways * (probeS + count * seconds(length));
};

export default async function gateway(lab: GatewayLab) {
  const { config } = lab;
  const subject = config.GATEWAY_URL ? await givenGateway(config) : await ownGateway(lab);
  const ways = waysOf(subject, toolsOnly(config.WORKLOAD, lab.folder));
  const { count, trialS: planned } = planOf(config);
  const rate = config.RATE ?? (await probe(lab, ways));
  const trialS = config.DURATION === null ? enoughS(planned, rate, count) : planned;
  const cores: GatewayResult['cores'] = {};
  lab.result = { gateway: subject.name, rate, cores };
  const load = { RATE_SCALE: String(rate), DURATION: `${Math.round(trialS * 1000)}ms` };
  for (const [index, order] of rounds(Object.keys(ways), count, seededRandom(config.SEED)).entries()) {
    lab.logProgress(`round ${index + 1} of ${count}: ${order.join(', ')}`);
    for (const way of order) {
      const name = `round-${index + 1}-${way}`;
      const cpu = watchCpu({ gateway: subject.pid === null ? [] : [subject.pid] });
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

/** The variables of each way to the target. */
function waysOf({ mcp, rpc, token, headers, names }: Subject, workload: Record<string, string>): Ways {
  const { dialect } = readProtocol(process.env.TARGET_PROTOCOL ?? '');
  const protocol = (dialect === 'mcp' && process.env.TARGET_PROTOCOL) || 'auto';
  const through = {
    ...workload,
    ...NO_OTHER_CREDENTIALS,
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

/** Returns the calls/s for all ways: a share of the slowest way's throughput, measured with looping VUs. */
async function probe(lab: GatewayLab, ways: Ways): Promise<number> {
  const seconds = PROBE_S[lab.config.PROFILE];
  const found = [];
  for (const [way, env] of Object.entries(ways)) {
    lab.logProgress(`measuring the highest rate of ${way}`);
    const trial = await lab.trial({
      name: `probe-${way}`,
      labels: { way, round: 'probe' },
      env: { ...env, DURATION: `${seconds}s`, RATE_SCALE: '1', REQUESTS: '' },
      judged: false,
    });
    const loop = trial.phases.find(({ labels }) => labels.load === 'loop');
    found.push(loop?.achieved_rps ?? 0);
    lab.logProgress(`${Math.round(loop?.achieved_rps ?? 0)} calls/s`);
  }
  const rate = Math.max(MIN_RATE, Math.round(Math.min(...found) * RATE_SHARE * 10) / 10);
  lab.logProgress(`each way is loaded with ${rate} calls/s`);
  return rate;
}
