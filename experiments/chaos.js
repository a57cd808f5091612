/**
 * One fault after the other, each in the middle of a load of its own: a stretch before it that says what is normal, the
 * fault, and the time after. Whatever ends this, the fault is lifted.
 */
import { inspect } from '../cli/run/inspect.ts';
import { ConfigError } from '../contract/config-error.js';
import { FAULTS } from './chaos/faults.js';
import { openSite } from './chaos/site.js';

/** The load around one fault, seconds; PROFILE=full has the scenario's own length. There are twenty of them. */
const LENGTH_S = 18;
/** One of a kind, where FAULTS does not say. */
const SMOKE = ['latency', 'packet-loss', 'database-cut', 'worker-kill'];
/** Answers that don't come are to be failures while the fault still is. */
const TIMEOUT = '3s';

/** @typedef {import('./chaos/faults.js').Fault} Fault */
/** @typedef {import('../analysis/tables/trial-results.ts').ChaosResult} ChaosResult */

/** @type {import('./lasts.ts').Lasts} */
export const lasts = (config, trialS) => {
  const lengthS = lengthOf(config);
  return chosenBy(config).length * trialS(lengthS ? { DURATION: `${lengthS}s` } : {});
};

/** @param {any} config @returns {number | null} seconds of the load around one fault; null: the scenario's own */
const lengthOf = ({ DURATION, PROFILE }) => DURATION ?? (PROFILE === 'full' ? null : LENGTH_S);

/** @param {any} config @throws {ConfigError} */
export function check({ FAULTS: wanted }) {
  const all = FAULTS.map(({ name }) => name);
  if (wanted.some((/** @type {string} */ name) => !all.includes(name)))
    throw new ConfigError(
      `FAULTS is "${wanted.join(' ').slice(0, 80)}"; valid: ${all.join(', ')}; several separated by spaces`,
    );
}

/** @param {any} config @returns {Fault[]} */
function chosenBy({ FAULTS: wanted, PROFILE }) {
  const all = FAULTS.map(({ name }) => name);
  const names = wanted.length > 0 ? wanted : PROFILE === 'smoke' ? SMOKE : all;
  return FAULTS.filter(({ name }) => names.includes(name));
}

/** @param {import('./lab.js').Lab} lab */
export default async function chaos(lab) {
  const { RECOVERY_S } = lab.config;
  const chosen = chosenBy(lab.config);
  /** @type {ChaosResult} */
  const result = { recovery_s: RECOVERY_S, faults: [] };
  lab.result = result;
  const site = await openSite(lab, { lossy: chosen.some(({ way }) => way === 'lossy') });
  const { env, injectS, liftS } = await timing(lab);

  for (const [index, fault] of chosen.entries()) {
    const { name, title, intensity, least_success, most_refused } = fault;
    const which = `chaos, ${index + 1} of ${chosen.length}: ${name}`;
    /** @type {ChaosResult["faults"][number]} */
    const row = {
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
      lab.say(`${which} is left out: ${row.why_not}`);
      continue;
    }
    await site.heal();
    const hands = once(fault.hands(site));
    lab.onEnd(hands.lift);
    lab.say(`${which} (${intensity}) after ${injectS} s`);
    await lab.trial({
      name,
      labels: { fault: name },
      env: { ...env, TARGET_URL: site.ways[fault.way] ?? '' },
      judged: false,
      during: async ({ at, note }) => {
        try {
          await at(injectS);
          note({ kind: 'inject' });
          Object.assign(row.did, await hands.inject());
          if (!fault.brief) await at(liftS);
        } catch (error) {
          lab.check();
          row.why_not = `it could not be made: ${error instanceof Error ? error.message : error}`;
        } finally {
          Object.assign(row.did, await hands.lift());
          note({ kind: 'lifted' });
        }
      },
    });
  }
}

/** @param {Fault} fault @param {import('./chaos/site.js').Site} site @returns {string | null} */
function whyNot({ way, foreign }, { noLink, ways, target }) {
  if (!foreign && !target) return "needs the server's own processes and stores: the reference target's";
  if (way === 'lossy' && noLink) return noLink;
  if (!ways[way]) return "the server's certificate would not be for the address of a proxy in front of it";
  return null;
}

/**
 * When the fault is made and lifted, in seconds after the load's zero.
 *
 * @param {import('./lab.js').Lab} lab
 */
async function timing({ test, config }) {
  const lengthS = lengthOf(config);
  const env = {
    ...(lengthS && { DURATION: `${lengthS}s` }),
    TARGET_TIMEOUT: process.env.TARGET_TIMEOUT || TIMEOUT,
  };
  // At a low rate the baseline takes time from the others.
  const { plan } = await inspect(test, env);
  const fault = plan.phases.find(({ labels }) => labels?.part === 'fault');
  if (!fault) throw new Error(`${test} has no phase of the part "fault"`);
  return { injectS: fault.start_s, liftS: fault.start_s + fault.duration_s, env };
}

/**
 * Lifted as often as it was made, and no more: the end of an experiment lifts what the end of a trial could not.
 *
 * @param {import('./chaos/faults.js').Hands} hands
 * @returns {import('./chaos/faults.js').Hands}
 */
function once({ inject, lift }) {
  let made = false;
  return {
    inject: () => {
      made = true;
      return inject();
    },
    lift: async () => {
      if (!made) return;
      const did = await lift();
      made = false;
      return did;
    },
  };
}
