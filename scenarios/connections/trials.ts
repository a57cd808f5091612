/**
 * Runs four loads: an increasing number of idle sessions while a few VUs call; the same numbers of VUs that
 * all call; a new session for each call; and abandoned sessions, to see whether the server frees them.
 */

import type { Config } from '../../cli/trials/config.ts';
import type { Lab } from '../../cli/trials/lab.ts';
import { needConnection } from '../../cli/trials/need-connection.ts';
import { isReference } from '../../cli/trials/reference-only.ts';
import type { TrialsModule } from '../../cli/trials/trials.ts';
import { ConfigError } from '../../contract/config-error.js';
import type { ProfileName } from '../../contract/profiles.js';
import { readProtocol } from '../../contract/protocols.js';
import type { variables } from './variables.ts';

type ConnectionsConfig = Config<typeof variables>;
type ConnectionsLab = Lab<ConnectionsConfig, ConnectionsResult>;

export interface ConnectionsResult {
  /** Planned sessions by phase of the trial `idle`. */
  idle: { phase: string; size: number }[];
  active: { trial: string; size: number }[];
  /** left: sessions as counted by the server. */
  abandoned: { after_s: number; left: number | null } | null;
}

/**
 * sizes: sessions to hold; trialS: length of each phase, seconds; timeoutS: idle timeout of the reference
 * target's sessions, seconds. The target checks for idle sessions twice as often.
 */
const PLANS: Record<ProfileName, { sizes: number[]; trialS: number; timeoutS: number }> = {
  smoke: { sizes: [50, 100], trialS: 2, timeoutS: 2 },
  quick: { sizes: [100, 500, 1000, 2000], trialS: 8, timeoutS: 10 },
  full: { sizes: [100, 500, 1000, 2000, 5000, 10_000], trialS: 30, timeoutS: 10 },
};

/**
 * Sessions per second that are opened in the pause before a phase: half of the reference target's capacity.
 */
const OPENED_PER_S = 200;

export function check(config: ConnectionsConfig) {
  needConnection(config, 'connections keeps connections open');
  const { TARGET_PROTOCOL } = config;
  const { dialect, era } = readProtocol(TARGET_PROTOCOL);
  if ((dialect && dialect !== 'mcp') || era === 'modern') {
    throw new ConfigError(
      `TARGET_PROTOCOL is "${TARGET_PROTOCOL}", which has no sessions; valid: legacy, or a version with initialize`,
    );
  }
}

export const nativeOnly = true;

export const lasts: TrialsModule<ConnectionsConfig>['lasts'] = (config, trialS) => {
  const loads = loadsOf(config);
  const sizes = sizesOf(config);
  const lengthS = lengthOf(config);
  // The trial `idle` has a phase for each size.
  const ofIdle = sizes.length * lengthS + Math.max(...sizes) / OPENED_PER_S;
  return loads.length * trialS({ DURATION: `${lengthS}s` }) + ofIdle + waitOf(config);
};

interface Load {
  name: string;
  load: Record<string, unknown>;
  env?: Record<string, string>;
}

const envOf = (load: Load['load'], env: Load['env'] = {}) => ({
  ...{ TARGET_PROTOCOL: 'legacy', DURATION: '', REQUESTS: '', CONCURRENCY: '' },
  CONNECTIONS_LOAD: JSON.stringify(load),
  ...env,
});

const sizesOf = ({ CONNECTIONS, PROFILE }: ConnectionsConfig) => CONNECTIONS ?? PLANS[PROFILE].sizes;
const activeOf = (config: ConnectionsConfig) => sizesOf(config).filter((size) => size <= config.MAX_VUS);

/** Idle time of a session before the client checks whether the server still knows it, seconds. */
const waitOf = (config: ConnectionsConfig) =>
  isReference(config) ? 2 * PLANS[config.PROFILE].timeoutS : config.SESSION_EXPIRY_S;

/** Length of each phase, seconds. */
function lengthOf(config: ConnectionsConfig) {
  const phases = sizesOf(config).length + 1 + activeOf(config).length + 2;
  if (config.DURATION === null) return PLANS[config.PROFILE].trialS;
  return Math.max(1, Math.round(config.DURATION / phases));
}

function loadsOf(config: ConnectionsConfig): Load[] {
  const [sizes, active] = [sizesOf(config), activeOf(config)];
  const lengthS = lengthOf(config);
  return [
    { name: 'idle', load: { kind: 'idle', sizes, lengthS, openedPerS: OPENED_PER_S } },
    ...active.map((vus) => ({ name: `active-${vus}`, load: { kind: 'active', vus, lengthS } })),
    { name: 'churn', load: { kind: 'churn', lengthS }, env: { SESSIONS_MODE: 'per-call' } },
    {
      name: 'abandoned',
      load: { kind: 'abandoned', lengthS, waitS: waitOf(config) },
      env: { SESSIONS_MODE: 'abandon' },
    },
  ];
}

export default async function connections(lab: ConnectionsLab) {
  const { config } = lab;
  const reference = isReference(config);
  if (reference) await lab.target({ SESSIONS: '1', SESSION_TIMEOUT: String(PLANS[config.PROFILE].timeoutS) });
  const result: ConnectionsResult = {
    idle: [0, ...sizesOf(config)].map((size) => ({ phase: `idle-${size}`, size })),
    active: activeOf(config).map((size) => ({ trial: `active-${size}`, size })),
    abandoned: null,
  };
  lab.result = result;
  for (const { name, load, env } of loadsOf(config))
    await lab.trial({ name, labels: { kind: String(load.kind) }, env: envOf(load, env) });
  // Sessions of earlier trials were abandoned as well.
  result.abandoned = { after_s: waitOf(config), left: await sessionsNow(reference) };
}

/** Number of sessions as counted by the server. */
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
