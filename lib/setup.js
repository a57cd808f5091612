/**
 * Options and set-up of a test, used only by the first run of its script. VUs do not load this file, because
 * the memory of a VU depends mostly on the modules that it evaluates.
 */
import { sleep } from 'k6';
import { asText } from '../contract/as-text.js';
import { ConfigError } from '../contract/config-error.js';
import { abort, TARGET, USAGE } from './abort.js';
import { callOnce } from './call-once.js';
import { readConfig } from './config.js';
import { clientOptions, connect } from './connect.js';
import { checkCredentials } from './credentials.js';
import { fitTest, mixOf, needItems } from './fit.js';
import { handOverOperations } from './hand-over.js';
import { listAll } from './list-all.js';
import { needWithinLimits } from './load-limits.js';
import { objectiveLimits, phaseEndSeconds, phaseStartSeconds, startedSeconds } from './metrics.js';
import { namesOf } from './names-of.js';
import { needRest } from './need-rest.js';
import {
  drawnObjectives,
  owedObjectives,
  percentileLimits,
  planObjectives,
  readThresholds,
  toThresholds,
} from './objectives.js';
import { ofTrial } from './of-trial.js';
import { toScenarios, toSequenceScenario } from './phases.js';
import { makePlan } from './plan.js';
import { planShape } from './plan-shape.js';
import { withSecrets } from './secret-source.js';
import { streamsOf } from './streams.js';
import { TargetError } from './target-error.js';
import { dialOptions } from './target-host.js';
import { clientCertificates } from './tls.js';
import { USER_AGENT } from './user-agent.js';
import { planOperations, withWeights } from './workload.js';
import { readWorkload } from './workload-file.js';

/** Time for the server to finish calls that were interrupted at the end of the load, seconds. */
const SETTLE_S = 2;

/**
 * @typedef {import('./test.js').TestDefinition} TestDefinition
 * @typedef {import('./test.js').SetupData} SetupData
 * @typedef {import('./config.js').Config} Config
 * @typedef {import('./workload.js').Operation} Operation
 * @typedef {import('./phases.js').PlannedPhase} PlannedPhase
 */

/**
 * @param {TestDefinition} definition
 * @returns {{options: import('k6/options').Options, setup: () => Promise<SetupData>,
 *   teardown: (data: SetupData) => Promise<void>}}
 */
export function optionsAndSetup(definition) {
  try {
    return compose(definition);
  } catch (error) {
    if (error instanceof ConfigError) abort(USAGE, error.message);
    throw error;
  }
}

/** @param {TestDefinition} given */
function compose(given) {
  const asked = configOf(given, __ENV);
  const found = asked.WORKLOAD ? readWorkload(asked.WORKLOAD) : given.workload;
  // The scripts set it to '' for other servers. If k6 runs without the scripts, it is unset and the server is
  // unknown.
  const { definition, workload, TOOL } = fitTest(given, found, asked, __ENV.REFERENCE_TARGET === '');
  const config = { ...asked, TOOL };
  const { name, sequence } = definition;
  const thresholds = readThresholds(config.THRESHOLDS);
  // The documents' limits are for the reference target. Without the scripts k6 loads another server.
  const documents = thresholds.documents || __ENV.REFERENCE_TARGET === '1';
  const wanted = documents
    ? definition.objectives
    : owedObjectives(definition.objectives, definition.anyServer);
  const trial = ofTrial({
    objectives: wanted,
    changes: thresholds.changes,
    phases: planShape(definition, config),
  });
  const operations = planOperations(workload, mixOf(definition), config);
  const phases = withWeights(trial.phases, workload, operations);
  needItems(name, workload.name, phases, operations);
  const how = { isTrial: Boolean(__ENV.TRIAL) };
  const objectives = thresholds.off
    ? []
    : planObjectives(trial.objectives, trial.changes, phases, operations, how);
  const plan = makePlan(definition, { config, workload, phases, operations, objectives, documents });
  needWithinLimits(phases, config);
  if (plan.target.dialect !== 'mcp' && phases.some(({ opens }) => opens))
    throw new ConfigError(
      `the test ${name} holds streams, but ${plan.target.dialect} has no streams; valid: MCP (TARGET_PROTOCOL=auto)`,
    );

  /** @type {import('k6/options').Options} */
  const options = {
    scenarios: sequence
      ? toSequenceScenario(sequence.longest, config.TARGET_TIMEOUT)
      : toScenarios(phases, config.TARGET_TIMEOUT),
    thresholds: toThresholds(objectives),
    userAgent: USER_AGENT,
    // Set tags only here: `--tag` and K6_TAGS would replace all of them.
    tags: {
      testid: plan.testid,
      test: name,
      profile: config.PROFILE,
      // With several generators each has its own series.
      ...(__ENV.GENERATOR && { generator: __ENV.GENERATOR }),
    },
    // Each system tag costs time per request. `scenario` is needed because dropped iterations have no other
    // tag.
    systemTags: ['scenario'],
    // Load balancers use cookies for sticky sessions: a VU keeps them across iterations.
    noCookiesReset: true,
    ...(definition.newConnections && { noVUConnectionReuse: true }),
    setupTimeout: '30s',
    // Ignored by k6, but shown by `k6 inspect`.
    ext: { 'mcp-load-lab': plan },
    ...dialOptions(config),
    ...tlsOptions(config),
  };

  const forUsers = handOverOperations(operations, config.WORKLOAD !== '');
  const test = {
    options,
    setup: async () => {
      const { client, connection, streams } = await meet(plan.target.dialect, operations, phases, {
        ...definition,
        tasks: workload.tasks,
      });
      if (definition.prepare && !config.DRY_RUN)
        await prepare(client, workload, definition.prepare, config.TOOL_NAMES);
      const startedMs = Date.now();
      announce(connection, startedMs, drawnObjectives(objectives, phases), sequence ? [] : phases);
      return {
        client,
        startedMs,
        seed: config.SEED,
        phases: Object.fromEntries(phases.map((phase) => [phase.name, phase])),
        order: phases.map((phase) => phase.name),
        operations: forUsers,
        ...(streams && { streams }),
        limits: percentileLimits(objectives),
      };
    },
    teardown: async (/** @type {SetupData} */ data) => {
      // Without data set-up failed early, and there is nothing to clean up.
      if (!data || !definition.cleanUp) return;
      await callOnce(data.client, workload, definition.cleanUp, config.TOOL_NAMES);
      // A call that was interrupted at the end of the load may still create something: clean up a second
      // time.
      sleep(SETTLE_S);
      const problem = await callOnce(data.client, workload, definition.cleanUp, config.TOOL_NAMES);
      if (problem) console.error(`clean-up: ${problem}`);
    },
  };
  return config.DRY_RUN ? dry(test) : test;
}

/**
 * Reduces a test to its set-up, which checks the target.
 *
 * @param {ReturnType<typeof optionsAndSetup>} test
 * @returns {ReturnType<typeof optionsAndSetup>}
 */
function dry(test) {
  const scenarios = {
    plan: { executor: /** @type {const} */ ('per-vu-iterations'), exec: 'iterate', vus: 1, iterations: 1 },
  };
  return {
    ...test,
    // CLEAN_UP=1 cleans up after a run that was killed.
    teardown: __ENV.CLEAN_UP === '1' ? test.teardown : async () => {},
    options: { ...test.options, scenarios, thresholds: {} },
  };
}

/**
 * @param {Config} config
 * @returns {import('k6/options').Options} includes a private key, so they must not be stored or shown
 */
function tlsOptions(config) {
  const tlsAuth = clientCertificates(config, open);
  return tlsAuth ? { tlsAuth } : {};
}

/**
 * Records metrics for the dashboards: the start of the phases, the target and its objectives.
 *
 * @param {import('./connect.js').Connection} connection
 * @param {number} startedMs
 * @param {ReturnType<typeof drawnObjectives>} limits
 * @param {PlannedPhase[]} phases phases with times that are known in advance
 */
function announce({ era, version, server }, startedMs, limits, phases) {
  for (const { value, tags } of limits) objectiveLimits.add(value, tags);
  for (const { name, start_s, duration_s, iterations } of phases) {
    phaseStartSeconds.add(start_s, { phase: name });
    if (iterations === null) phaseEndSeconds.add(start_s + duration_s, { phase: name });
  }
  startedSeconds.add(startedMs / 1000, {
    // The label `server` of the target's signals. Without the scripts there is none.
    server: __ENV.WATCHED_SERVER || 'none',
    ...(era && { era, protocol_version: version }),
    ...(server && { server_name: server.name, server_version: server.version }),
  });
}

/**
 * @param {Pick<TestDefinition, 'timeoutS'>} definition
 * @param {Record<string, string | undefined>} env
 * @returns {Config}
 * @throws {ConfigError}
 */
function configOf({ timeoutS }, env) {
  const config = readConfig(env);
  return timeoutS && !env.TARGET_TIMEOUT ? { ...config, TARGET_TIMEOUT: timeoutS(config.PROFILE) } : config;
}

/**
 * @param {import('./plan.js').Dialect} dialect
 * @param {Operation[]} operations operations that the server must support
 * @param {PlannedPhase[]} phases
 * @param {TestDefinition & {tasks?: true | undefined}} definition tasks: the server may answer with tasks
 * @returns {Promise<{client: SetupData['client'], connection: import('./connect.js').Connection, streams?:
 *   import('./streams.js').StreamsData}>}
 */
async function meet(dialect, operations, phases, definition) {
  const { name, workload, observe, tasks } = definition;
  try {
    const env = await withSecrets(__ENV);
    const config = configOf(definition, env);
    checkCredentials(config);
    const options = clientOptions(config, dialect, { observe, tasks });
    const server = connect(options, env);
    if (dialect === 'mcp') needTools(server, operations);
    // Only check the test's own workload: other REST workloads define their calls themselves.
    if (dialect === 'rest' && 'dialect' in workload && workload.dialect === dialect)
      needRest(server, operations, name);
    const streams = phases.some(({ opens }) => opens) ? { streams: streamsOf(server) } : {};
    server.client.close();
    return { client: options, connection: server.connection, ...streams };
  } catch (error) {
    if (error instanceof ConfigError) abort(USAGE, error.message);
    if (error instanceof TargetError) abort(TARGET, error.message);
    throw error;
  }
}

/**
 * @param {SetupData['client']} client
 * @param {import('./workload.js').AnyWorkload} workload
 * @param {string} operation
 * @param {Config['TOOL_NAMES']} toolNames
 */
async function prepare(client, workload, operation, toolNames) {
  const problem = await callOnce(client, workload, operation, toolNames);
  if (problem) abort(TARGET, `the test could not be set up: ${problem}`);
}

/**
 * @param {ReturnType<typeof connect>} server
 * @param {Operation[]} operations
 * @throws {TargetError}
 */
function needTools(server, operations) {
  const called = operations
    .flatMap((operation) => operation.calls ?? operation)
    .flatMap(({ method, params }) => (method === 'tools/call' ? [asText(params.name)] : []));
  const tools = [...new Set(called)];
  // A server may have resources but no tools.
  if (tools.length === 0) return;
  const offered = new Set();
  let seen = 0;
  const { unread } = listAll(server, 'tools/list', 'tools', (found) => {
    for (; seen < found.length; seen += 1) offered.add(asText(found[seen]?.name));
    return tools.every((tool) => offered.has(tool));
  });
  // An incomplete list may have the tool on a later page.
  const missing = unread ? [] : tools.filter((tool) => !offered.has(tool));
  if (missing.length > 0) {
    abort(
      USAGE,
      `the target has no tool ${namesOf(missing)}; it has: ${namesOf([...offered]) || 'none'}; ` +
        `choose one with TOOL=name ARGS='{...}'`,
    );
  }
}
