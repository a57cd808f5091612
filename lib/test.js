/**
 * Composes a k6 test from workload, shape and objectives: the one function that every file in `scenarios/` calls.
 */
import { randomSeed } from 'k6';
import exec from 'k6/execution';
import { abort, TARGET, USAGE } from './abort.js';
import { ConfigError, readConfig } from './config.js';
import { McpClient } from './mcp/client.js';
import { connect } from './mcp/connect.js';
import { TargetError } from './mcp/target-error.js';
import * as metrics from './metrics.js';
import { planObjectives, toThresholds } from './objectives.js';
import { planPhases, toScenarios } from './phases.js';
import { profiles } from './profiles.js';
import { keptSubmetrics, SUMMARY_TREND_STATS, summaryDocument } from './summary.js';
import { pickOperation, planOperations } from './workload.js';

/** The machine that the benchmark documents' figures, and so the default objectives, are for. */
const REFERENCE_MACHINE = { cores: 4, memory_bytes: 8 * 1024 ** 3 };

/**
 * @typedef {object} TestDefinition
 * @property {string} name the file's name without `.js`
 * @property {string} title one line: the load
 * @property {import('./workload.js').Workload} workload
 * @property {string} mix a mix of the workload, or one of its operations
 * @property {import('./phases.js').Phase[]} phases in the figures of PROFILE=full
 * @property {import('./objectives.js').Objectives} objectives
 * @property {{title: string, label: string, kind: 'speedup'}} [table] phases to compare, by one of their labels
 *
 * @typedef {object} SetupData
 * @property {import('./mcp/client.js').Connection} connection
 * @property {number} startedMs the zero of the phases, milliseconds since the epoch
 */

/**
 * @param {TestDefinition} definition
 * @returns {{options: import('k6/options').Options, setup: () => SetupData,
 *   iterate: (data: SetupData) => void, handleSummary: (data: any) => Record<string, string>}} what a k6 script exports
 */
export function defineTest(definition) {
  try {
    return compose(definition);
  } catch (error) {
    if (error instanceof ConfigError) abort(USAGE, error.message);
    throw error;
  }
}

/** @param {TestDefinition} definition */
function compose(definition) {
  const iterate = makeIterate(definition);
  // k6 runs this file once more for every virtual user. Options, set-up and summary are the business of the
  // first run alone, and a user that is never needed plans nothing: 0.5 MB a user instead of 0.8.
  if (__VU !== 0) return { options: {}, setup: noLead, iterate, handleSummary: noLead };

  const { name, title, workload, objectives: defaults, table } = definition;
  const { config, phases, operations } = planLoad(definition);
  const objectives =
    config.OBJECTIVES === 'off' ? [] : planObjectives(defaults, config.OBJECTIVES, phases, operations);
  const testid = __ENV.TESTID || `${name}-unnamed`;
  const last = phases.at(-1);

  const plan = {
    testid,
    test: name,
    title,
    profile: config.PROFILE,
    workload: config.ARGS ? 'single tool' : workload.name,
    duration_s: (last?.start_s ?? 0) + (last?.duration_s ?? 0),
    // A query string may hold a key: it stays out of every result.
    target: { url: config.TARGET_URL.replace(/[?#].*$/, ''), dialect: 'mcp' },
    phases,
    operations: operations.map(({ operation, method, class: kind }) => ({ operation, method, class: kind })),
    objectives,
    objectives_off: config.OBJECTIVES === 'off',
    reference_machine: REFERENCE_MACHINE,
    table: table ?? null,
  };

  /** @type {import('k6/options').Options} */
  const options = {
    scenarios: toScenarios(phases, config.TARGET_TIMEOUT),
    thresholds: { ...keptSubmetrics(phases, operations), ...toThresholds(objectives) },
    summaryTrendStats: SUMMARY_TREND_STATS,
    // Here and nowhere else: `--tag` and K6_TAGS would replace these whole.
    tags: { testid, test: name, profile: config.PROFILE },
    // No url, nothing unbounded; `scenario` only because dropped iterations carry no other tag.
    systemTags: ['scenario', 'status', 'error_code', 'proto'],
    // Load balancers pin a session with a cookie; a user keeps it over its iterations.
    noCookiesReset: true,
    setupTimeout: '30s',
  };

  return {
    options,
    setup: () => setUp(config, operations),
    iterate,
    /** @param {any} data */
    handleSummary: (data) => ({ [__ENV.SUMMARY_FILE || 'summary.json']: summaryDocument(plan, data) }),
  };
}

/** @param {TestDefinition} definition */
function planLoad({ workload, mix, phases: shape }) {
  const config = readConfig(__ENV);
  const profile = /** @type {import('./profiles.js').Profile} */ (profiles[config.PROFILE]);
  const phases = planPhases(shape, profile, config);
  return { config, phases, operations: planOperations(workload, mix, config) };
}

/** @returns {never} */
function noLead() {
  throw new Error('k6 called set-up or summary in a virtual user other than its own');
}

/**
 * @param {import('./config.js').Config} config
 * @param {import('./workload.js').Operation[]} operations
 * @returns {SetupData}
 */
function setUp(config, operations) {
  try {
    const client = connect({ url: config.TARGET_URL, token: config.TARGET_TOKEN, era: config.MCP_ERA });
    const offered = client.listTools().map((tool) => String(tool?.name));
    client.close();
    const missing = operations.filter(({ tool }) => !offered.includes(tool)).map(({ tool }) => tool);
    if (missing.length > 0) {
      abort(
        USAGE,
        `the target has no tool ${missing.join(', ')}; it has: ${offered.slice(0, 20).join(', ') || 'none'}; ` +
          `choose one with TOOL=name ARGS='{...}'`,
      );
    }
    return { connection: client.connection, startedMs: Date.now() };
  } catch (error) {
    if (error instanceof TargetError) abort(TARGET, error.message);
    throw error;
  }
}

/**
 * @param {TestDefinition} definition
 * @returns {(data: SetupData) => void} one iteration: one operation, called once
 */
function makeIterate(definition) {
  /** @type {ReturnType<typeof startUser> | undefined} */
  let user;
  return (data) => {
    user ??= startUser(definition, data);
    const { client, calls, phases, operations } = user;
    const { name, iterationInTest } = exec.scenario;
    const phase = /** @type {import('./phases.js').PlannedPhase} */ (phases[name]);
    client.measured = phase.measured;
    if (phase.offered_rps !== null && Date.now() >= user.nextOfferMs) {
      metrics.offeredRps.add(phase.offered_rps);
      user.nextOfferMs = Date.now() + 1000;
    }

    const operation = pickOperation(operations, spread(iterationInTest));
    const labels = phase.labels ?? {};
    const call = /** @type {import('./mcp/client.js').Call} */ (calls.get(operation));
    const { failure } = client.send(call, operation.args(labels));
    if (phase.measured && operation.items && !failure) metrics.items.add(operation.items(labels));

    // Whichever of the last calls ends last is the phase's end.
    if (phase.iterations !== null && iterationInTest >= phase.iterations - (phase.vus ?? 1)) {
      metrics.phaseEndSeconds.add((Date.now() - data.startedMs) / 1000);
    }
  };
}

/**
 * @param {TestDefinition} definition
 * @param {SetupData} data
 */
function startUser(definition, { connection, startedMs }) {
  const { config, phases, operations } = planLoad(definition);
  // The same seed makes the same sequences of arguments; every user has one of its own.
  randomSeed(config.SEED * 100_003 + exec.vu.idInTest);
  const settings = { token: config.TARGET_TOKEN, timeoutS: config.TARGET_TIMEOUT, startedMs };
  const client = new McpClient(connection, settings);
  const calls = new Map(
    operations.map((operation) => {
      const { operation: name, method, tool, class: kind, expect } = operation;
      const options = { operation: name, class: kind, withArguments: true, expect };
      return [operation, client.prepare(method, { name: tool }, options)];
    }),
  );
  const byName = Object.fromEntries(phases.map((phase) => [phase.name, phase]));
  return { client, calls, operations, phases: byName, nextOfferMs: 0 };
}

/** The golden ratio's fraction: its multiples fill 0..1 more evenly than those of any other number. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * Instead of a random draw: any stretch of consecutive iterations holds the mix in its exact proportions, give or
 * take one, so a phase's percentiles do not depend on how many slow operations chance dealt it.
 *
 * @param {number} iteration
 * @returns {number} 0 <= n < 1
 */
function spread(iteration) {
  return (iteration * GOLDEN) % 1;
}
