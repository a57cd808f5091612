/**
 * A workload says which operations a server offers and in which proportions they are called. It is data:
 * one file a server in `workloads/`.
 */
import { ConfigError } from './config.js';

/**
 * @typedef {'read' | 'write' | 'complex' | 'protocol'} OperationClass
 *
 * @typedef {object} OperationSpec
 * @property {OperationClass} class
 * @property {string} [tool] the tool that is called; by default the operation's own name
 * @property {(phase: Record<string, number>) => Record<string, unknown>} args
 *   makes the arguments of one call; gets the labels of the phase, for example {items: 10}
 * @property {import('./mcp/answer.js').Expectation} [expect]
 * @property {(phase: Record<string, number>) => number} [items] items that one call processes
 *
 * @typedef {object} Workload
 * @property {string} name
 * @property {Record<string, OperationSpec>} operations
 * @property {Record<string, Record<string, number>>} mixes name -> operation -> weight; weights add up to 100
 *
 * @typedef {OperationSpec & {operation: string, tool: string, method: 'tools/call', weight: number}} Operation
 */

/**
 * The operations that a test calls, with their weights.
 *
 * @param {Workload} workload
 * @param {string} mix a mix of the workload, or one operation's name
 * @param {Pick<import('./config.js').Config, 'TOOL' | 'ARGS'>} config TOOL replaces the mix by one tool
 * @returns {Operation[]}
 * @throws {ConfigError} where the mix, or a TOOL without ARGS, is not known to the workload
 */
export function planOperations(workload, mix, config) {
  if (config.TOOL && config.ARGS) {
    const args = config.ARGS;
    return [toOperation(config.TOOL, { class: 'read', args: () => args }, 100)];
  }
  const name = config.TOOL || mix;
  const weights = workload.mixes[name] ?? (workload.operations[name] && { [name]: 100 });
  if (!weights) {
    throw new ConfigError(
      `${config.TOOL ? 'TOOL' : 'the mix'} is "${name}", which the workload ${workload.name} does not know; ` +
        `valid: ${Object.keys(workload.operations).join(', ')}, or any tool with its ARGS='{...}'`,
    );
  }
  const total = Object.values(weights).reduce((sum, weight) => sum + weight, 0);
  if (Math.abs(total - 100) > 1e-9) {
    throw new ConfigError(`the weights of the mix "${name}" add up to ${total}; valid: 100`);
  }
  return Object.entries(weights).map(([operation, weight]) => {
    const spec = workload.operations[operation];
    if (!spec) throw new ConfigError(`the mix "${name}" names the unknown operation "${operation}"`);
    return toOperation(operation, spec, weight);
  });
}

/**
 * @param {string} operation
 * @param {OperationSpec} spec
 * @param {number} weight
 * @returns {Operation}
 */
function toOperation(operation, spec, weight) {
  return { ...spec, operation, tool: spec.tool ?? operation, method: 'tools/call', weight };
}

/**
 * @param {Operation[]} operations
 * @param {number} draw 0 <= draw < 1
 * @returns {Operation} chosen by weight
 */
export function pickOperation(operations, draw) {
  let rest = draw * 100;
  for (const operation of operations) {
    rest -= operation.weight;
    if (rest < 0) return operation;
  }
  return /** @type {Operation} */ (operations.at(-1));
}
