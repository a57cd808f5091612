/**
 * A workload as a JSON document: what discovery writes, people edit and WORKLOAD names.
 * workload-document.schema.json describes it; k6 has no validator, so this file checks it.
 */

import { ConfigError } from '../contract/config-error.js';
import { isHeaderName, isHeaderValue } from '../contract/headers.js';
import { namesOf } from './names-of.js';

/**
 * @typedef {object} DocumentOperation
 * @property {'read' | 'write' | 'complex' | 'protocol'} class
 * @property {string} method
 * @property {Record<string, unknown>} params those that never change
 * @property {Record<string, unknown>[]} [arguments] values of `params.arguments`, used in turn
 * @property {Record<string, string>} [headers] Mcp-Param-<key> from the argument at that JSON pointer
 * @property {Record<string, string>} [request_headers] of dialect rest and jsonrpc, for example the user's
 * @property {number[]} [expect_status] of dialect rest: statuses that are no failure
 *
 * @typedef {object} WorkloadDocument
 * @property {'mcp-load-lab/workload/1'} schema
 * @property {string} name
 * @property {'mcp' | 'jsonrpc' | 'rest'} dialect
 * @property {{era: 'modern' | 'legacy', version: string, server: {name: string, version: string} | null,
 *   subscribe?: true}} [connection]
 *   of the server that discovery asked
 * @property {Record<string, DocumentOperation>} operations
 * @property {Record<string, Record<string, number>>} mixes name -> operation -> weight; `default` is always there
 * @property {{operation: string, reason: string}[]} [left_out]
 */

export const DOCUMENT_SCHEMA = 'mcp-load-lab/workload/1';
const CLASSES = ['read', 'write', 'complex', 'protocol'];
const DIALECTS = ['mcp', 'jsonrpc', 'rest'];
/** What k6 takes for a part of a selector can't be in a tag that thresholds select by. */
const OPERATION_NAME = /^[^\s,:{}"'](?:[^,:{}"'\n]{0,98}[^\s,:{}"'])?$/;

const LONGEST_NAME = 200;
/** Of numbers without end no share can be told. */
const GREATEST_WEIGHT = 1e9;

/** @param {string} path @param {string} expected @returns {never} */
function wrong(path, expected) {
  throw new ConfigError(`${path} is not ${expected}`);
}

/** @param {any} value */
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * @param {any} value
 * @param {string} path
 * @param {readonly string[]} known
 */
function checkMembers(value, path, known) {
  if (!isObject(value)) wrong(path || 'the document', 'an object');
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined) {
    throw new ConfigError(
      `${path ? `${path} has` : 'the document has'} the unknown member "${unknown.slice(0, 60)}"; valid: ${known.join(', ')}`,
    );
  }
}

/** @param {any} value @param {string} path @param {readonly string[]} valid */
function checkChoice(value, path, valid) {
  if (!valid.includes(value)) wrong(path, `one of ${valid.join(', ')}`);
}

/** @param {any} value @param {string} path */
function checkText(value, path) {
  if (typeof value !== 'string' || value === '') wrong(path, 'a text');
}

/**
 * @param {any} document parsed JSON
 * @returns {WorkloadDocument}
 * @throws {ConfigError} naming the member and what is expected of it
 */
export function checkDocument(document) {
  checkMembers(document, '', [
    'schema',
    'name',
    'dialect',
    'connection',
    'operations',
    'mixes',
    'left_out',
    '$schema',
  ]);
  checkChoice(document.schema, 'schema', [DOCUMENT_SCHEMA]);
  checkText(document.name, 'name');
  if (document.name.length > LONGEST_NAME) wrong('name', `a text of up to ${LONGEST_NAME} characters`);
  checkChoice(document.dialect, 'dialect', DIALECTS);
  if (document.$schema !== undefined && typeof document.$schema !== 'string') wrong('$schema', 'a text');
  if (document.connection !== undefined) checkConnection(document.connection);
  if (!isObject(document.operations) || Object.keys(document.operations).length === 0) {
    wrong('operations', 'an object with at least one operation');
  }
  for (const [name, operation] of Object.entries(document.operations)) checkOperation(name, operation);
  checkMixes(document.mixes, document.operations);
  const { left_out: leftOut = [] } = document;
  if (!Array.isArray(leftOut) || !leftOut.every(isLeftOut)) {
    wrong('left_out', 'an array of objects with the texts operation and reason');
  }
  return document;
}

/** @param {any} value */
const isText = (value) => typeof value === 'string';

/** @param {any} one */
const isLeftOut = (one) => isObject(one) && isText(one.operation) && isText(one.reason);

/** @param {any} connection */
function checkConnection(connection) {
  checkMembers(connection, 'connection', ['era', 'version', 'server', 'subscribe']);
  const { era, version, server, subscribe } = connection;
  if (era !== undefined) checkChoice(era, 'connection.era', ['modern', 'legacy']);
  if (version !== undefined && !isText(version)) wrong('connection.version', 'a text');
  if (subscribe !== undefined && subscribe !== true) wrong('connection.subscribe', 'true');
  const named = server == null || (isObject(server) && isText(server.name) && isText(server.version));
  if (!named) wrong('connection.server', 'an object with the texts name and version');
}

/** @param {string} name @param {any} operation */
function checkOperation(name, operation) {
  const path = `operations.${name.slice(0, 60)}`;
  if (!OPERATION_NAME.test(name) || name === '__proto__') {
    wrong(`the name of ${path}`, `1 to 100 characters without , : { } and quotes`);
  }
  checkMembers(operation, path, [
    'class',
    'method',
    'params',
    'arguments',
    'headers',
    'request_headers',
    'expect_status',
  ]);
  checkChoice(operation.class, `${path}.class`, CLASSES);
  checkText(operation.method, `${path}.method`);
  if (!isObject(operation.params)) wrong(`${path}.params`, 'an object');
  const { arguments: variants, headers, request_headers: others, expect_status: statuses } = operation;
  if (variants !== undefined) {
    if (!Array.isArray(variants) || variants.length === 0 || !variants.every(isObject)) {
      wrong(`${path}.arguments`, 'an array of at least one object, each the arguments of a call');
    }
    if (operation.params.arguments !== undefined) {
      throw new ConfigError(`${path} has arguments and params.arguments; valid: one of the two`);
    }
  }
  if (headers !== undefined) {
    const fine =
      isObject(headers) &&
      Object.keys(headers).every(isHeaderName) &&
      Object.values(headers).every((pointer) => isText(pointer) && /^\/./.test(pointer));
    if (!fine) wrong(`${path}.headers`, 'an object of JSON pointers such as {"Region": "/region"}');
  }
  if (others !== undefined) {
    // What is none would end each call with an exception of k6's.
    const fine =
      isObject(others) &&
      Object.keys(others).every(isHeaderName) &&
      Object.values(others).every(isHeaderValue);
    if (!fine)
      wrong(`${path}.request_headers`, 'an object of header names and values such as {"X-User": "one"}');
  }
  if (statuses !== undefined) {
    const fine = Array.isArray(statuses) && statuses.length > 0 && statuses.every(isStatus);
    if (!fine) wrong(`${path}.expect_status`, 'an array of HTTP statuses such as [200, 404]');
  }
}

/** @param {any} status */
const isStatus = (status) => Number.isInteger(status) && status >= 100 && status <= 599;

/** @param {any} mixes @param {Record<string, unknown>} operations */
function checkMixes(mixes, operations) {
  if (!isObject(mixes) || !Object.hasOwn(mixes, 'default')) wrong('mixes', 'an object with a mix "default"');
  for (const [name, mix] of Object.entries(mixes)) {
    const path = `mixes.${name.slice(0, 60)}`;
    if (!isObject(mix) || Object.keys(mix).length === 0) wrong(path, 'an object of operations and weights');
    for (const [operation, weight] of Object.entries(mix)) {
      if (!Object.hasOwn(operations, operation)) {
        throw new ConfigError(
          `${path} names "${operation.slice(0, 60)}", which is not in operations; valid: ${namesOf(Object.keys(operations))}`,
        );
      }
      if (typeof weight !== 'number' || !(weight > 0 && weight <= GREATEST_WEIGHT))
        wrong(`${path}.${operation}`, 'a number above 0 (and up to 1e9)');
    }
  }
}
