/**
 * Composes a k6 test from workload, shape and objectives: the one function that every file in `scenarios/` calls.
 */
import { randomSeed } from 'k6';
import exec from 'k6/execution';
import { abort, TARGET, USAGE } from './abort.js';
import { ConfigError, readConfig } from './config.js';
import { McpClient } from './mcp/client.js';
import { connect, TargetError } from './mcp/connect.js';
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
function compose({ name, title, workload, mix, phases: shape, objectives: defaults, table }) {
  const config = readConfig(__ENV);
  const profile = /** @type {import('./profiles.js').Profile} */ (profiles[config.PROFILE]);
  const phases = planPhases(shape, profile, config);
  const operations = planOperations(workload, mix, config);
  const unjudged = config.OBJECTIVES === 'off';
  const objectives = unjudged ? [] : planObjectives(defaults, config.OBJECTIVES, phases, operations);
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
    phases: phases.map(({ max_vus, ...phase }) => phase),
    operations: operations.map(({ operation, method, class: kind }) => ({ operation, method, class: kind })),
    objectives,
    objectives_off: unjudged,
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
    iterate: makeIterate(config, phases, operations),
    /** @param {any} data */
    handleSummary: (data) => ({ [__ENV.SUMMARY_FILE || 'summary.json']: summaryDocument(plan, data) }),
  };
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
 * @param {import('./config.js').Config} config
 * @param {import('./phases.js').PlannedPhase[]} phases
 * @param {import('./workload.js').Operation[]} operations
 * @returns {(data: SetupData) => void} one iteration: one operation, called once
 */
function makeIterate(config, phases, operations) {
  const byName = Object.fromEntries(phases.map((phase) => [phase.name, phase]));
  /** @type {McpClient | undefined} */
  let client;
  /** @type {Map<string, import('./mcp/client.js').Call>} */
  const calls = new Map();
  let nextOfferMs = 0;

  /** @param {SetupData} data */
  const start = (data) => {
    // The same seed makes the same calls; every user has a sequence of its own.
    randomSeed(config.SEED * 100_003 + exec.vu.idInTest);
    const settings = {
      token: config.TARGET_TOKEN,
      timeoutS: config.TARGET_TIMEOUT,
      startedMs: data.startedMs,
    };
    const started = new McpClient(data.connection, settings);
    for (const { operation, method, tool, class: kind, expect } of operations) {
      const call = started.prepare(
        method,
        { name: tool },
        { operation, class: kind, withArguments: true, expect },
      );
      calls.set(operation, call);
    }
    return started;
  };

  return (data) => {
    client ??= start(data);
    const { name, iterationInTest } = exec.scenario;
    const phase = /** @type {import('./phases.js').PlannedPhase} */ (byName[name]);
    client.measured = phase.measured;
    if (phase.offered_rps !== null && Date.now() >= nextOfferMs) {
      metrics.offeredRps.add(phase.offered_rps);
      nextOfferMs = Date.now() + 1000;
    }

    const operation = pickOperation(operations, spread(iterationInTest));
    const labels = phase.labels ?? {};
    const call = /** @type {import('./mcp/client.js').Call} */ (calls.get(operation.operation));
    const { failure } = client.send(call, operation.args(labels));
    if (phase.measured && operation.items && !failure) metrics.items.add(operation.items(labels));

    // Whichever of the last calls ends last is the phase's end.
    if (phase.iterations !== null && iterationInTest >= phase.iterations - (phase.vus ?? 1)) {
      metrics.phaseEndSeconds.add((Date.now() - data.startedMs) / 1000);
    }
  };
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
