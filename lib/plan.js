/**
 * The plan of a test as a document, for `make plan` and for the analysis. It is part of the run's results.
 */

import { ConfigError } from '../contract/config-error.js';
import { parseDuration } from '../contract/duration.js';
import { oneLine } from '../contract/one-line.js';
import { profiles } from '../contract/profiles.js';
import { stackHosts } from './config.js';
import { dialectOf } from './fit.js';
import { rateFactor } from './phases.js';
import { planShape } from './plan-shape.js';
import { unconfirmed } from './target-host.js';

/** The machine that the benchmark documents assume. */
const REFERENCE_MACHINE = { cores: 4, memory_bytes: 8 * 1024 ** 3 };

/**
 * @typedef {'mcp' | 'jsonrpc' | 'rest'} Dialect
 *
 * @param {import('./test.js').TestDefinition} definition
 * @param {object} composed
 * @param {import('./config.js').Config} composed.config
 * @param {import('./workload.js').AnyWorkload} composed.workload
 * @param {import('./phases.js').PlannedPhase[]} composed.phases
 * @param {import('./workload.js').Operation[]} composed.operations
 * @param {import('./objectives.js').Objective[]} composed.objectives
 * @param {boolean} composed.documents whether the limits are those of the benchmark documents
 */
export function makePlan(definition, { config, workload, phases, operations, objectives, documents }) {
  const { name, title, sequence, asWritten } = definition;
  const profile = /** @type {import('../contract/profiles.js').Profile} */ (profiles[config.PROFILE]);
  const last = phases.at(-1);
  const longestS = sequence ? (parseDuration(sequence.longest) ?? 0) : null;
  const { connection, left_out } = 'schema' in workload ? workload : {};
  const toConfirm = unconfirmed(config.TARGET_URL, [...config.TARGET_CONFIRM, ...stackHosts(__ENV)]);
  return {
    testid: __ENV.TESTID || `${name}-unnamed`,
    test: name,
    title: scaledTitle(title, phases, rateFactor(profile, config, asWritten)),
    profile: config.PROFILE,
    workload: config.ARGS ? 'single tool' : workload.name,
    duration_s: longestS ?? (last?.start_s ?? 0) + (last?.duration_s ?? 0),
    // A step begins when the previous one ends: only the whole sequence has a planned length.
    sequence: longestS !== null,
    target: {
      // A query string may contain a key: it is left out of all results.
      url: config.TARGET_URL.replace(/[?#].*$/, ''),
      dialect: dialectOf(workload, config),
      ...(config.DRY_RUN && toConfirm && { confirm: toConfirm }),
      // As found by discovery; set-up checks it again.
      ...(connection && {
        era: connection.era,
        protocol_version: connection.version,
        server: connection.server,
        ...(connection.listing && { listing: connection.listing }),
      }),
    },
    phases,
    operations: operations.map((operation) => describe(operation, phases)),
    left_out: config.TOOL ? [] : (left_out ?? []),
    expected_requests: expectedRequests(phases),
    ...longer(definition, config, phases),
    objectives,
    objectives_off: config.THRESHOLDS === 'off',
    documents,
    other_cpu_limit: config.MAX_BACKGROUND_CPU,
    reference_machine: documents ? REFERENCE_MACHINE : null,
  };
}

/**
 * @param {import('./test.js').TestDefinition} definition
 * @param {import('./config.js').Config} config
 * @param {import('./phases.js').PlannedPhase[]} phases of this profile
 * @returns {{longer?: {profile: string, peak_rps: number | null, users: number, duration_s: number}}} the
 *   test in the next longer profile; {} if it is the same, if there is none, or if this is one of several k6
 *   runs
 */
function longer(definition, config, phases) {
  const names = /** @type {import('../contract/profiles.js').ProfileName[]} */ (Object.keys(profiles));
  const profile = names[names.indexOf(config.PROFILE) + 1];
  if (!profile || __ENV.TRIAL) return {};
  const longerPhases = planShape(definition, { ...config, PROFILE: profile });
  if (isSameLoad(longerPhases, phases)) return {};
  return { longer: { profile, ...sizeOf(longerPhases) } };
}

/**
 * @param {import('./phases.js').PlannedPhase[]} a
 * @param {import('./phases.js').PlannedPhase[]} b
 * @returns {boolean} whether both send the same load. A phase that makes a number of calls ends after them,
 *   whatever its maximum duration
 */
export function isSameLoad(a, b) {
  const load = (/** @type {import('./phases.js').PlannedPhase[]} */ phases) =>
    phases
      .filter(({ measured }) => measured)
      .map(({ offered_rps, vus, iterations, duration_s }) => [offered_rps, vus, iterations ?? duration_s]);
  return JSON.stringify(load(a)) === JSON.stringify(load(b));
}

/** @param {import('./phases.js').PlannedPhase[]} phases */
function sizeOf(phases) {
  const rates = phases.map(({ offered_rps }) => offered_rps ?? 0);
  return {
    peak_rps: Math.max(...rates) || null,
    users: Math.max(...phases.map(({ vus, max_vus }) => vus ?? max_vus)),
    duration_s: Math.max(...phases.map(({ start_s, duration_s }) => start_s + duration_s)),
  };
}

/**
 * @param {string} title a title with unscaled rates
 * @param {import('./phases.js').PlannedPhase[]} phases
 * @param {number} factor the multiplier of the rates
 * @returns {string} the title with the scaled rates
 */
export function scaledTitle(title, phases, factor) {
  const scaled = factor !== 1 && phases.some(({ offered_rps }) => offered_rps !== null);
  return scaled ? `${title}; at ${Number(factor.toPrecision(3))} x these rates` : title;
}

/** Arguments may be JSON text for one member of the parameters. @param {unknown} made */
const parsed = (made) => (typeof made === 'string' ? JSON.parse(made) : made);

/**
 * @param {string} operation
 * @param {() => unknown} args the workload's function
 * @throws {ConfigError} if it throws
 */
function exampleOf(operation, args) {
  try {
    return parsed(args());
  } catch (error) {
    throw new ConfigError(`args of the operation "${operation}" threw ${oneLine(String(error))}`);
  }
}

/**
 * @param {import('./workload.js').Operation} operation
 * @param {import('./phases.js').PlannedPhase[]} phases
 */
function describe({ operation, method, class: kind, weight, params, args, variants, member }, phases) {
  const labels = phases.find(({ measured }) => measured)?.labels ?? {};
  const value = args ? exampleOf(operation, () => args(labels)) : parsed(variants?.[0]);
  const values = value === undefined ? params : member ? { [member]: value } : value;
  const example = Object.keys(values).length > 0 || args || variants ? values : null;
  return { operation, method, class: kind, share: weight / 100, example };
}

/**
 * @param {import('./phases.js').PlannedPhase[]} phases
 * @returns {number | null} requests of the measured phases; null = looping VUs make as many as they can
 */
function expectedRequests(phases) {
  let sum = 0;
  for (const { measured, offered_rps, duration_s, iterations } of phases) {
    if (!measured) continue;
    if (offered_rps === null && iterations === null) return null;
    sum += iterations ?? Math.round((offered_rps ?? 0) * duration_s);
  }
  return sum;
}
