/** One JSON-RPC request, as files for other load generators have it, as a workload. */
import { ConfigError } from '../contract/config-error.js';
import { checkDocument, DOCUMENT_SCHEMA } from './workload-document.js';

/** @param {any} value */
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * @param {any} request parsed JSON; its id is not used: every call has one of its own
 * @param {string} name of the workload
 * @returns {import('./workload-document.js').WorkloadDocument}
 * @throws {ConfigError} with what is wrong, half a sentence
 */
export function toWorkload(request, name) {
  if (!isObject(request)) throw new ConfigError('it is no JSON object');
  const { jsonrpc, method, params = {} } = request;
  if (jsonrpc !== '2.0') throw new ConfigError('its jsonrpc is not "2.0"');
  if (typeof method !== 'string' || method === '') throw new ConfigError('its method is no text');
  if (!isObject(params)) throw new ConfigError('its params are no object');
  const called = method === 'tools/call' ? toolCall(params) : { method, params };
  const operation = (typeof called.params.name === 'string' ? called.params.name : method)
    .replace(/[,:{}"'\s]+/g, '_')
    .slice(0, 100);
  return checkDocument({
    schema: DOCUMENT_SCHEMA,
    name: name.slice(0, 200),
    dialect: isMcp(method) ? 'mcp' : 'jsonrpc',
    operations: { [operation]: { class: 'read', ...called } },
    mixes: { default: { [operation]: 100 } },
  });
}

/** MCP's methods are written with a slash; that of a server of its own kind is as good as never. @param {string} method */
const isMcp = (method) => method.includes('/') || method === 'ping';

/** @param {any} params */
function toolCall({ name, arguments: given = {}, ...rest }) {
  if (typeof name !== 'string' || name === '') throw new ConfigError('its params.name is no text');
  if (!isObject(given)) throw new ConfigError('its params.arguments are no object');
  return { method: 'tools/call', params: { ...rest, name }, arguments: [given] };
}

/**
 * The tool calls of a document, for servers that have nothing but their tools in common. A method of a server's own is
 * taken for a tool, as a gateway takes it.
 *
 * @param {import('./workload-document.js').WorkloadDocument} document
 * @returns {import('./workload-document.js').WorkloadDocument}
 * @throws {ConfigError} where there is none
 */
export function onlyTools(document) {
  const operations = Object.fromEntries(
    Object.entries(document.operations).flatMap(([name, operation]) => {
      if (operation.method === 'tools/call') return [[name, operation]];
      if (isMcp(operation.method)) return [];
      const { method, params, ...rest } = operation;
      return [[name, { ...rest, method: 'tools/call', params: { name: method }, arguments: [params] }]];
    }),
  );
  const { default: weights = {} } = document.mixes;
  const kept = Object.entries(weights).filter(([name]) => Object.hasOwn(operations, name));
  if (kept.length === 0) throw new ConfigError(`the workload ${document.name} calls no tools`);
  return { ...document, dialect: 'mcp', operations, mixes: { default: Object.fromEntries(kept) } };
}
