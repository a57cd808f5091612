/**
 * Adapts a test to the server that it loads, or refuses the server. A run and `make list TARGET_URL=` share
 * these pure functions.
 */
import { ConfigError } from '../contract/config-error.js';
import { namesOf } from './names-of.js';
import { operationOfTool } from './workload.js';

/** Maximum number of operations that a message names. */
const MAX_MISSING = 3;

/**
 * @typedef {import('./test.js').TestDefinition} TestDefinition
 * @typedef {import('./workload.js').AnyWorkload} AnyWorkload
 * @typedef {import('./workload.js').WorkloadDocument} WorkloadDocument
 *
 * @typedef {Pick<import('./config.js').Config, 'TARGET_URL' | 'TOOL' | 'ARGS' | 'dialect'>} FitConfig
 *
 * @typedef {object} Fitted
 * @property {TestDefinition} definition without the phases, and their objectives, that the server does not
 *   support
 * @property {AnyWorkload} workload
 * @property {string} TOOL if it replaces the phases' operations
 */

/**
 * @param {TestDefinition} definition
 * @param {AnyWorkload} workload the test's own, or the one that WORKLOAD names
 * @param {FitConfig} config
 * @param {boolean} foreign whether the server is known not to be the reference target
 * @returns {Fitted}
 * @throws {ConfigError} if the test cannot load this server
 */
export function fitTest(definition, workload, config, foreign) {
  needReference(definition, config, foreign);
  needDialect(definition, workload, config);
  const { TOOL, ARGS } = config;
  const { fit, eachOf, timed } = definition;
  if (timed) {
    needTimedTool(definition, workload, config, foreign);
    return { definition, workload: definition.workload, TOOL: '' };
  }
  if (!('schema' in workload)) return { definition, workload, TOOL };
  if (!TOOL) needOperations(definition, workload);
  if (eachOf && !TOOL)
    return { definition: { ...definition, ...phaseOfEach(eachOf, workload.operations) }, workload, TOOL };
  if (!fit || ARGS) return { definition, workload, TOOL };
  return { ...fitPhases(definition, fit(onlyTool(workload, TOOL)), workload.name), TOOL: '' };
}

/** @param {TestDefinition} definition @param {FitConfig} config @param {boolean} foreign */
function needReference({ name, servers, does }, { TARGET_URL: url }, foreign) {
  if (servers !== 'reference' || !foreign) return;
  throw new ConfigError(
    `TARGET_URL is "${url.slice(0, 80)}"; the test ${name} ${does}, so it loads the reference target only: unset TARGET_URL`,
  );
}

/**
 * @param {TestDefinition} definition
 * @param {AnyWorkload} workload
 * @param {FitConfig} config
 * @param {boolean} foreign
 */
function needTimedTool({ name, workload: own }, workload, { TOOL, ARGS }, foreign) {
  if (ARGS ? workload === own : !TOOL && !foreign && workload === own) return;
  throw new ConfigError(
    `the test ${name} calls one tool with an argument that sets its duration; ` +
      `valid: TOOL=name ARGS='{"duration": "SECONDS"}' (or MILLISECONDS), without WORKLOAD or TOOLS`,
  );
}

/** @param {TestDefinition} definition @param {AnyWorkload} workload @param {FitConfig} config */
function needDialect({ name, workload: own }, workload, config) {
  if (!('dialect' in own) || !own.dialect || own.dialect === 'mcp') return;
  const dialect = dialectOf(workload, config);
  if (dialect === own.dialect) return;
  throw new ConfigError(
    `the test ${name} calls a ${own.dialect} server, but ${workload.name} speaks ${dialect}; ` +
      `valid: TARGET_URL of a ${own.dialect} server, or a WORKLOAD with "dialect": "${own.dialect}"`,
  );
}

/** @param {TestDefinition} definition @param {WorkloadDocument} document */
function needOperations({ name, servers, workload: own, ...shape }, { name: server, operations }) {
  if (servers !== 'operations') return;
  const called = [mixOf(shape)].flat().flatMap((mix) => Object.keys(own.mixes[mix] ?? { [mix]: 1 }));
  const missing = called.filter((operation) => !Object.hasOwn(operations, operation));
  if (missing.length === 0) return;
  const more = missing.length > MAX_MISSING ? ` and ${missing.length - MAX_MISSING} more` : '';
  throw new ConfigError(
    `the test ${name} calls ${missing.slice(0, MAX_MISSING).join(', ')}${more}, which ${server} does not have; ` +
      `valid: a WORKLOAD with operations of these names, as in workloads/${own.name}.js`,
  );
}

/** @param {Pick<TestDefinition, 'mix' | 'phases' | 'sequence'>} definition @returns {string | string[]} */
export function mixOf({ mix, phases, sequence }) {
  const named = (phases ?? sequence?.steps ?? []).flatMap(({ operation }) => operation ?? []);
  return mix ?? [...new Set(named)];
}

/**
 * @param {AnyWorkload} workload
 * @param {Pick<FitConfig, 'dialect'>} config
 * @returns {import('./plan.js').Dialect}
 */
export const dialectOf = (workload, config) =>
  /** @type {import('./plan.js').Dialect} */ (
    config.dialect || ('dialect' in workload && workload.dialect) || 'mcp'
  );

/**
 * @param {TestDefinition} definition
 * @param {import('./test.js').FittedWorkload} fitted
 * @param {string} server
 * @returns {Pick<Fitted, 'definition' | 'workload'>}
 */
function fitPhases(definition, { workload, calls = {}, title = definition.title }, server) {
  const { phases = [], mix: _, ...rest } = definition;
  const left = phases
    .map((phase) => ({ operation: calls[phase.name] ?? phase.name, ...phase }))
    .filter(({ operation }) => operation in workload.operations);
  if (left.length === 0)
    throw new ConfigError(`the test ${definition.name} has no operations to call in ${server}`);
  const names = left.map(({ name }) => name);
  const gone = phases.map(({ name }) => name).filter((name) => !names.includes(name));
  const objectives = Object.entries(definition.objectives).filter(([scope]) => !gone.includes(scope));
  return {
    definition: { ...rest, title, phases: left, objectives: Object.fromEntries(objectives) },
    workload,
  };
}

/** @param {WorkloadDocument} document @param {string} tool '' = all tools @returns {WorkloadDocument} */
function onlyTool(document, tool) {
  if (!tool) return document;
  const { name, operations } = document;
  const found = operationOfTool(operations, tool);
  const operation = found === undefined ? undefined : operations[found];
  if (found === undefined || !operation)
    throw new ConfigError(
      `TOOL is "${tool.slice(0, 80)}", which is not in the workload ${name}; valid: ${namesOf(Object.keys(operations))}`,
    );
  return { ...document, operations: { [found]: operation } };
}

/**
 * @param {NonNullable<TestDefinition['eachOf']>} eachOf
 * @param {Record<string, unknown>} operations
 * @returns {Pick<TestDefinition, 'phases' | 'objectives'>} one phase for each operation, with a name that k6
 *   accepts
 */
function phaseOfEach({ objectives, ...phase }, operations) {
  const names = Object.keys(operations);
  const phases = names.map((operation, index) => {
    const name = operation.replace(/[^\w-]+/g, '_');
    const taken = names.slice(0, index).some((other) => other.replace(/[^\w-]+/g, '_') === name);
    return { ...phase, name: taken ? `${name}-${index + 1}` : name, operation };
  });
  return { phases, objectives: { each: objectives } };
}

/**
 * @param {string} test
 * @param {string} workload
 * @param {import('./phases.js').PlannedPhase[]} phases
 * @param {import('./workload.js').Operation[]} operations
 * @throws {ConfigError} if phases vary the items or the size of a call, and no operation supports it
 */
export function needItems(test, workload, phases, operations) {
  const sized = phases.some(({ labels, operation }) => labels?.kb && !operation);
  if (sized && !operations.some(({ args }) => args)) {
    throw new ConfigError(
      `the test ${test} varies the message size, but no operation of the workload ${workload} generates its arguments; ` +
        'valid: TOOL=name without ARGS, or WORKLOAD=path.js with an operation like payload in workloads/reference.js (args)',
    );
  }
  if (!phases.some(({ labels }) => labels?.items) || operations.some(({ items }) => items)) return;
  throw new ConfigError(
    `the test ${test} varies the items per call, but no operation of the workload ${workload} has items; ` +
      'valid: WORKLOAD=path.js with an operation like process_batch in workloads/reference.js (args and items)',
  );
}
