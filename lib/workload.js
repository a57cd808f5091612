/**
 * A workload defines the operations of a server and the proportions in which they are called. It is either a
 * JS file, which can make arguments for each call, as in `workloads/`, or a JSON document
 * (workload-document.schema.json). Discovery writes such documents, people edit them, and WORKLOAD names
 * them.
 */
import { ConfigError } from '../contract/config-error.js';
import { namesOf } from './names-of.js';

export const WORKLOAD_SCHEMA = 'mcp-load-lab/workload/1';

/**
 * @typedef {'read' | 'write' | 'complex' | 'protocol'} OperationClass
 *
 * @typedef {object} OperationSpec
 * @property {OperationClass} class
 * @property {string} [tool] the tool to call; by default the operation's name
 * @property {string} [method] the method to call instead of a tool
 * @property {Record<string, unknown>} [params] constant parameters of that method
 * @property {(phase: import('./phases.js').Labels) => Record<string, unknown> | string} [args] makes the
 *   arguments of one call from the labels of the phase, for example {items: 10}
 * @property {string} [member] the member of the method's parameters that `args` makes as JSON text; by
 *   default `arguments`
 * @property {string[]} [calls] instead of a call: operations that are called one after the other;
 *   mcp_sequence_duration records their total time
 * @property {(reply: import('k6/x/mcp').Answer, args: any) => unknown} [expect]
 * @property {(reply: import('k6/x/mcp').Answer, args: any) => void} [received] is called with each successful
 *   answer, for example to keep the id of a created item
 * @property {(phase: import('./phases.js').Labels) => number} [items] number of items that a call processes
 * @property {Record<string, string>} [request_headers] for dialects rest and jsonrpc, for example a user's
 *   credentials
 * @property {number[]} [expect_status] for dialect rest: statuses that are not failures
 * @property {boolean} [progress] requests progress notifications (`_meta.progressToken`)
 * @property {string} [abandon_after] k6 duration after which the client gives up; the call counts as
 *   abandoned
 *
 * @typedef {object} Workload
 * @property {string} name
 * @property {Record<string, OperationSpec>} operations
 * @property {Record<string, Record<string, number>>} mixes name -> operation -> relative weight
 * @property {'mcp' | 'jsonrpc' | 'rest'} [dialect] by default mcp
 * @property {true} [tasks] the server may answer with tasks, as with TASKS=1
 *
 * @typedef {object} DocumentOperation
 * @property {OperationClass} class
 * @property {string} method
 * @property {Record<string, unknown>} params constant parameters
 * @property {Record<string, unknown>[]} [arguments] values of `params.arguments`, used in turn
 * @property {string} [long_text] JSON pointer to an argument, or to a possible one, that accepts 32 KB of
 *   text
 * @property {Record<string, string>} [headers] Mcp-Param-<key> from the argument at that JSON pointer
 * @property {Record<string, string>} [request_headers] for dialects rest and jsonrpc, for example a user's
 *   credentials
 * @property {number[]} [expect_status] for dialect rest: statuses that are not failures
 * @property {boolean} [progress] requests progress notifications (`_meta.progressToken`)
 * @property {string} [abandon_after] k6 duration after which the client gives up; the call counts as
 *   abandoned
 *
 * @typedef {object} Listing the cost of reading all lists of a server
 * @property {number} calls
 * @property {number} bytes size of the answers
 * @property {number} tools_bytes size of the answers with the tools, which a model is given
 * @property {number} ttl_ms how long a client may cache all lists; 0 = not at all
 *
 * @typedef {{operation: string, reason: string, failed?: string, add?: string}} LeftOut failed: how the
 *   server failed when probed; add: the line of a workload file that calls the operation
 *
 * @typedef {object} WorkloadDocument
 * @property {'mcp-load-lab/workload/1'} schema
 * @property {string} name
 * @property {'mcp' | 'jsonrpc' | 'rest'} dialect
 * @property {true} [tasks] the server may answer with tasks, as with TASKS=1
 * @property {{era: 'modern' | 'legacy', version: string, server: {name: string, version: string} | null,
 *   subscribe?: true, listing?: Listing}} [connection] the server that discovery queried
 * @property {Record<string, DocumentOperation>} operations
 * @property {Record<string, Record<string, number>>} mixes name -> operation -> weight; always has `default`
 * @property {LeftOut[]} [left_out]
 *
 * @typedef {Workload | WorkloadDocument} AnyWorkload
 *
 * @typedef {object} Operation
 * @property {string} operation its name and tag value
 * @property {OperationClass} class
 * @property {string} method
 * @property {Record<string, unknown>} params constant parameters
 * @property {number} weight percentage of the calls
 * @property {OperationSpec['args']} [args] makes the arguments of one call
 * @property {string} [member] the member of the parameters that `args` makes, if not `arguments`
 * @property {Operation[]} [calls] made one after the other
 * @property {Record<string, unknown>[]} [variants] instead of `args`: argument sets to use in turn
 * @property {Record<string, string>} [headers] Mcp-Param-<key> from the argument at that JSON pointer
 * @property {OperationSpec['expect']} [expect]
 * @property {OperationSpec['received']} [received]
 * @property {OperationSpec['items']} [items]
 * @property {Record<string, string>} [request_headers] for dialects rest and jsonrpc, for example a user's
 *   credentials
 * @property {number[]} [expect_status] for dialect rest: statuses that are not failures
 * @property {boolean} [progress] requests progress notifications (`_meta.progressToken`)
 * @property {string} [abandon_after] k6 duration after which the client gives up; the call counts as
 *   abandoned
 */

/**
 * Plans the operations that a test calls, with their weights.
 *
 * @param {AnyWorkload} workload
 * @param {string | string[]} mix a mix of the workload or an operation of a JS workload; if the workload has
 *   neither, its mix `default`; or an array of operations in equal shares
 * @param {Pick<import('./config.js').Config, 'TOOL' | 'ARGS'> & {TOOL_NAMES?: Record<string, string> | null}}
 *   config TOOL replaces the mix by one tool
 * @returns {Operation[]}
 * @throws {ConfigError} if the workload does not have the mix, or the TOOL given without ARGS
 */
export function planOperations(workload, mix, config) {
  const { TOOL_NAMES: names } = config;
  const operations = chosenOperations(workload, mix, config);
  if (!names) return operations;
  /** @param {Operation} operation @returns {Operation} */
  const rename = (operation) => {
    const { name } = operation.params;
    const given =
      typeof name === 'string' && operation.method === 'tools/call' ? own(names, name) : undefined;
    const params = given === undefined ? operation.params : { ...operation.params, name: given };
    return { ...operation, params, ...(operation.calls && { calls: operation.calls.map(rename) }) };
  };
  return operations.map(rename);
}

/**
 * @param {AnyWorkload} workload
 * @param {string | string[]} mix
 * @param {Pick<import('./config.js').Config, 'TOOL' | 'ARGS'>} config
 * @returns {Operation[]} with the workload's names of the tools
 */
function chosenOperations(workload, mix, config) {
  if (config.TOOL && config.ARGS) return [single(config.TOOL, config.ARGS)];
  const { name, mixes } = workload;
  /** @type {Record<string, OperationSpec | DocumentOperation>} */
  const operations = workload.operations;
  const weights = config.TOOL
    ? onlyTool(operations, config.TOOL)
    : Array.isArray(mix)
      ? Object.fromEntries(mix.map((operation) => [operation, 1]))
      : (own(mixes, mix) ??
        // Tests name their mixes after the reference target's operations; another server may have an
        // operation of that name by chance.
        (own(operations, mix) && !('schema' in workload) ? { [mix]: 100 } : own(mixes, 'default')));
  if (!weights) {
    throw new ConfigError(
      `${config.TOOL ? 'TOOL' : 'the mix'} is "${config.TOOL.slice(0, 80) || mix}", which is not in the workload ${name}; ` +
        `valid: ${namesOf(Object.keys(operations))}, or any tool with its ARGS='{...}'`,
    );
  }
  const total = Object.values(weights).reduce((sum, weight) => sum + weight, 0);
  return Object.entries(weights).map(([operation, weight]) => {
    return toOperation(operation, workload, (100 * weight) / total);
  });
}

/**
 * Resolves the phases' mixes to weights.
 *
 * @param {import('./phases.js').PlannedPhase[]} phases
 * @param {AnyWorkload} workload if it lacks a phase's mix, the phase has the weights of the test's mix
 * @param {Operation[]} operations that the test calls
 * @returns {import('./phases.js').PlannedPhase[]}
 */
export function withWeights(phases, { mixes }, operations) {
  return phases.map((phase) => {
    const mix = phase.mix === undefined ? undefined : own(mixes, phase.mix);
    const weights = operations.map(({ operation }) => (mix && own(mix, operation)) || 0);
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return total === 0 ? phase : { ...phase, weights: weights.map((weight) => (100 * weight) / total) };
  });
}

/**
 * @param {string} tool
 * @param {Record<string, unknown>} args
 * @returns {Operation}
 */
function single(tool, args) {
  const operation = tool.replace(/[,:{}"'\s]+/g, '_');
  return {
    operation,
    class: 'read',
    method: 'tools/call',
    params: { name: tool },
    variants: [args],
    weight: 100,
  };
}

/**
 * @param {Record<string, any>} operations
 * @param {string} tool
 * @returns {Record<string, number> | undefined}
 */
function onlyTool(operations, tool) {
  const found = operationOfTool(operations, tool);
  return found === undefined ? undefined : { [found]: 100 };
}

/**
 * @param {Record<string, any>} operations
 * @param {string} tool
 * @returns {string | undefined} the operation of that name, or else the operation that calls that tool
 */
export const operationOfTool = (operations, tool) =>
  Object.keys(operations).find((name) => name === tool || operations[name].params?.name === tool);

/**
 * @param {string} operation
 * @param {AnyWorkload} workload
 * @param {number} weight
 * @returns {Operation}
 */
function toOperation(operation, workload, weight) {
  /** @type {Record<string, OperationSpec | DocumentOperation>} */
  const operations = workload.operations;
  const spec = own(operations, operation);
  if (!spec) {
    throw new ConfigError(
      `the workload ${workload.name} has no operation "${operation}", which the test calls; it has: ${namesOf(Object.keys(operations))}`,
    );
  }
  if (spec.method) {
    const {
      arguments: variants,
      params = {},
      long_text: _,
      ...rest
    } = /** @type {DocumentOperation} */ (spec);
    return { ...rest, params, ...(variants && { variants }), operation, weight };
  }
  const { tool = operation, calls, ...rest } = /** @type {OperationSpec} */ (spec);
  const method = 'tools/call';
  if (!calls) return { ...rest, operation, method, params: { name: tool }, weight };
  const parts = calls.map((name) => toOperation(name, workload, 0));
  return { ...rest, operation, method, params: {}, weight, calls: parts };
}

/**
 * @template T
 * @param {Record<string, T>} record
 * @param {string} key may be any text, even a name on Object.prototype
 */
function own(record, key) {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
