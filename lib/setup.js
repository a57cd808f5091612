/**
 * What only the first run of a test's script does: options and set-up. Virtual users load none of it, for
 * the memory of a user is mostly the modules that it evaluates.
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
import { toScenarios, toSequenceScenario, WARM_UP } from './phases.js';
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

/** How long a server may go on with what nobody waits for any more. */
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
  // The scripts leave it empty for another server; without them nobody knows.
  const { definition, workload, TOOL } = fitTest(given, found, asked, __ENV.REFERENCE_TARGET === '');
  const config = { ...asked, TOOL };
  const { name, sequence } = definition;
  const thresholds = readThresholds(config.THRESHOLDS);
  // The documents' limits are for the reference target. Whoever runs k6 without the scripts loads a server of their own.
  const documents = thresholds.documents || __ENV.REFERENCE_TARGET === '1';
  const wanted = documents
    ? definition.objectives
    : owedObjectives(definition.objectives, definition.anyServer);
  const { phases: shape, objectives: defaults } = ofTrial(wanted, planShape(definition, config));
  const operations = planOperations(workload, mixOf(definition), config);
  const phases = withWeights(shape, workload, operations);
  needItems(name, workload.name, phases, operations);
  const how = { isTrial: Boolean(__ENV.TRIAL) };
  const objectives = thresholds.off
    ? []
    : planObjectives(defaults, thresholds.changes, phases, operations, how);
  const plan = makePlan(definition, { config, workload, phases, operations, objectives, documents });
  needWithinLimits(phases, config);
  if (plan.target.dialect !== 'mcp' && phases.some(({ opens }) => opens))
    throw new ConfigError(
      `the test ${name} holds streams, and ${plan.target.dialect} has none; valid: MCP (TARGET_PROTOCOL=auto)`,
    );

  /** @type {import('k6/options').Options} */
  const options = {
    scenarios: sequence
      ? toSequenceScenario(sequence.longest, config.TARGET_TIMEOUT)
      : toScenarios(phases, config.TARGET_TIMEOUT),
    thresholds: toThresholds(objectives),
    userAgent: USER_AGENT,
    // Here and nowhere else: `--tag` and K6_TAGS would replace these whole.
    tags: {
      testid: plan.testid,
      test: name,
      profile: config.PROFILE,
      // Of several, each has series of its own.
      ...(__ENV.GENERATOR && { generator: __ENV.GENERATOR }),
    },
    // Each costs time with every request. This one only because dropped iterations carry no other tag.
    systemTags: ['scenario'],
    // Load balancers pin a session with a cookie; a user keeps it over its iterations.
    noCookiesReset: true,
    ...(definition.newConnections && { noVUConnectionReuse: true }),
    setupTimeout: '30s',
    // Nothing that k6 acts on: `k6 inspect` shows it.
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
      // Without data set-up did not come so far, and nothing was made.
      if (!data || !definition.cleanUp) return;
      await callOnce(data.client, workload, definition.cleanUp, config.TOOL_NAMES);
      // A call that was under way when the load was ended may make its things only now.
      sleep(SETTLE_S);
      const problem = await callOnce(data.client, workload, definition.cleanUp, config.TOOL_NAMES);
      if (problem) console.error(`clean-up: ${problem}`);
    },
  };
  return config.DRY_RUN ? dry(test) : test;
}

/**
 * Set-up alone: it looks at the target.
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
    // Of a run that was killed what it left behind is cleaned up later.
    teardown: __ENV.CLEAN_UP === '1' ? test.teardown : async () => {},
    options: { ...test.options, scenarios, thresholds: {} },
  };
}

/**
 * One k6 run of several that are one test (TRIAL): its phases are told from those of the others by its name and labels.
 *
 * @param {import('./objectives.js').Objectives} objectives
 * @param {PlannedPhase[]} phases
 */
function ofTrial(objectives, phases) {
  const { TRIAL: trial, TRIAL_LABELS: given } = __ENV;
  if (!trial) return { objectives, phases };
  const alone = phases.filter(({ measured }) => measured).length === 1;
  /** @param {string} name */
  const rename = (name) => (alone && name !== WARM_UP ? trial : `${trial}-${name}`);
  const own = JSON.parse(given || '{}');
  const names = phases.map(({ name }) => name);
  const renamed = Object.entries(objectives).map(([scope, limits]) => [
    names.includes(scope) ? rename(scope) : scope,
    limits,
  ]);
  return {
    objectives: Object.fromEntries(renamed),
    phases: phases.map((phase) => ({
      ...phase,
      name: rename(phase.name),
      ...(phase.measured && { labels: { ...own, ...phase.labels } }),
    })),
  };
}

/**
 * @param {Config} config
 * @returns {import('k6/options').Options} a private key among them: never to be stored or shown
 */
function tlsOptions(config) {
  const tlsAuth = clientCertificates(config, open);
  return tlsAuth ? { tlsAuth } : {};
}

/**
 * Tells Prometheus, for the dashboards, when the phases begin, what the target is, and what is expected of it.
 *
 * @param {import('./connect.js').Connection} connection
 * @param {number} startedMs
 * @param {ReturnType<typeof drawnObjectives>} limits
 * @param {PlannedPhase[]} phases whose times are known before
 */
function announce({ era, version, server }, startedMs, limits, phases) {
  for (const { value, tags } of limits) objectiveLimits.add(value, tags);
  for (const { name, start_s, duration_s, iterations } of phases) {
    phaseStartSeconds.add(start_s, { phase: name });
    if (iterations === null) phaseEndSeconds.add(start_s + duration_s, { phase: name });
  }
  startedSeconds.add(startedMs / 1000, {
    // The label `server` of its signals; whoever runs k6 without the scripts has none.
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
 * @param {Operation[]} operations that the server has to have
 * @param {PlannedPhase[]} phases
 * @param {TestDefinition & {tasks?: true | undefined}} definition tasks: the server may answer with them
 * @returns {Promise<{client: SetupData['client'], connection: import('./connect.js').Connection, streams?: import('./streams.js').StreamsData}>}
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
    // Any other workload of this dialect says itself what it calls.
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
  if (problem) abort(TARGET, `the test could not be prepared: ${problem}`);
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
  // A server of resources alone has no list of tools.
  if (tools.length === 0) return;
  const offered = new Set();
  let seen = 0;
  const { unread } = listAll(server, 'tools/list', 'tools', (found) => {
    for (; seen < found.length; seen += 1) offered.add(asText(found[seen]?.name));
    return tools.every((tool) => offered.has(tool));
  });
  // A list that does not end may have it later.
  const missing = unread ? [] : tools.filter((tool) => !offered.has(tool));
  if (missing.length > 0) {
    abort(
      USAGE,
      `the target has no tool ${namesOf(missing)}; it has: ${namesOf([...offered]) || 'none'}; ` +
        `choose one with TOOL=name ARGS='{...}'`,
    );
  }
}
