/**
 * Injects one fault after another. Each fault has its own trial with three phases: baseline, fault and
 * recovery. The fault is always removed, even after an error.
 */

import type { Config } from '../../cli/trials/config.ts';
import type { Lab } from '../../cli/trials/lab.ts';
import { needConnection } from '../../cli/trials/need-connection.ts';
import { plannedFault } from '../../cli/trials/planned-fault.ts';
import type { TrialsModule } from '../../cli/trials/trials.ts';
import { ConfigError } from '../../contract/config-error.js';
import { FAULTS, type Fault, type FaultHandle } from './faults.ts';
import { openSite, type Site } from './site.ts';
import type { variables } from './variables.ts';

type ChaosConfig = Config<typeof variables>;

export interface ChaosResult {
  recovery_s: number;
  faults: ChaosRow[];
}

/** A fault's data for the tables. */
export interface ChaosRow
  extends Pick<Fault, 'name' | 'title' | 'intensity' | 'least_success' | 'most_refused'> {
  /** Why it could not be injected; null = it was. */
  why_not: string | null;
  /** Values reported by injecting and removing it. */
  did: Record<string, string | number>;
}

/** The load around one fault, seconds, unless PROFILE=full. */
const LENGTH_S = 18;
/** One fault of each kind, unless FAULTS is set. */
const SMOKE = ['latency', 'packet-loss', 'database-cut', 'worker-kill'];
/** Short, so that unanswered calls fail while the fault is still active. */
const TIMEOUT = '3s';

const NAMES = FAULTS.map(({ name }) => name);

/** Length of the load around one fault, seconds; null = as in test.js. */
const lengthOf = ({ DURATION, PROFILE }: ChaosConfig) => DURATION ?? (PROFILE === 'full' ? null : LENGTH_S);

function faultsOf({ FAULTS: wanted, PROFILE }: ChaosConfig): Fault[] {
  const names = wanted.length > 0 ? wanted : PROFILE === 'smoke' ? SMOKE : NAMES;
  return FAULTS.filter(({ name }) => names.includes(name));
}

export const nativeOnly = true;

export const lasts: TrialsModule<ChaosConfig>['lasts'] = (config, trialS) => {
  const lengthS = lengthOf(config);
  return faultsOf(config).length * trialS(lengthS ? { DURATION: `${lengthS}s` } : {});
};

export function check(config: ChaosConfig) {
  needConnection(config, 'chaos injects faults into its connections');
  const { FAULTS: wanted } = config;
  if (wanted.some((name) => !NAMES.includes(name)))
    throw new ConfigError(
      `FAULTS is "${wanted.join(' ').slice(0, 80)}"; valid: ${NAMES.join(', ')}; several separated by spaces`,
    );
}

export default async function chaos(lab: Lab<ChaosConfig, ChaosResult>) {
  const faults = faultsOf(lab.config);
  const result: ChaosResult = { recovery_s: lab.config.RECOVERY_S, faults: [] };
  lab.result = result;
  const site = await openSite(lab, { lossy: faults.some(({ way }) => way === 'lossy') });
  const { env, injectS, removeS } = await timing(lab);

  for (const [index, fault] of faults.entries()) {
    const { name, title, intensity, least_success, most_refused } = fault;
    const which = `chaos, ${index + 1} of ${faults.length}: ${name}`;
    const row: ChaosRow = {
      name,
      title,
      intensity,
      least_success,
      most_refused,
      why_not: whyNot(fault, site),
      did: {},
    };
    result.faults.push(row);
    if (row.why_not) {
      lab.logProgress(`${which} skipped: ${row.why_not}`);
      continue;
    }
    await site.target?.heal();
    const handle = once(fault.handle(site));
    lab.onEnd(handle.remove);
    lab.logProgress(`${which} (${intensity}) after ${injectS} s`);
    await lab.trial({
      name,
      labels: { fault: name },
      env: { ...env, TARGET_URL: site.ways[fault.way] ?? '' },
      judged: false,
      during: async ({ at, note }) => {
        try {
          await at(injectS);
          note({ kind: 'inject' });
          Object.assign(row.did, await handle.inject());
          if (!fault.brief) await at(removeS);
        } catch (error) {
          lab.check();
          row.why_not = `it could not be injected: ${error instanceof Error ? error.message : error}`;
        } finally {
          Object.assign(row.did, await handle.remove());
          note({ kind: 'removed' });
        }
      },
    });
  }
}

function whyNot({ way, foreign }: Fault, { noLink, ways, target }: Site): string | null {
  if (!foreign && !target) return 'it needs the processes and stores of the reference target';
  if (way === 'lossy' && noLink) return noLink;
  if (!ways[way]) return "the server's certificate is not valid for the address of a proxy";
  return null;
}

/** When the fault is injected and removed, in seconds since the start of the load. */
async function timing({ test, config }: Lab<ChaosConfig, ChaosResult>) {
  const lengthS = lengthOf(config);
  const env = {
    ...(lengthS && { DURATION: `${lengthS}s` }),
    TARGET_TIMEOUT: process.env.TARGET_TIMEOUT || TIMEOUT,
  };
  // At a low rate the baseline becomes longer and the other phases become shorter.
  const { startS, endS } = await plannedFault(test, env);
  return { injectS: startS, removeS: endS, env };
}

/**
 * Removes a fault only once per injection. If its removal at the end of the trial fails, the end of the test
 * retries.
 */
function once({ inject, remove }: FaultHandle): FaultHandle {
  let injected = false;
  return {
    inject: () => {
      injected = true;
      return inject();
    },
    remove: async () => {
      if (!injected) return;
      const did = await remove();
      injected = false;
      return did;
    },
  };
}
