import assert from 'node:assert/strict';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import fc from 'fast-check';
import { validator } from '../../analysis/schemas.ts';
import { toWorkload } from '../../cli/run/payload.ts';
import { ConfigError } from '../../contract/config-error.js';
import { planOperations } from '../../lib/workload.js';
import { onlyTools } from '../../scenarios/gateway/tools.ts';
import { anyJson, changed } from './generated.js';
import { isOneLine, orRefused } from './oracles.js';
import { property } from './property.js';

const problemOf = validator('../lib/workload-document.schema.json');

/** One with every member, and one as short as they get. */
export const DOCUMENTS = [
  {
    $schema: '../lib/workload-document.schema.json',
    schema: 'mcp-load-lab/workload/1',
    name: 'mine',
    dialect: 'rest',
    connection: {
      era: 'legacy',
      version: '2025-11-25',
      server: { name: 'x', version: '1' },
      subscribe: true,
    },
    operations: {
      echo: {
        class: 'read',
        method: 'tools/call',
        params: { name: 'echo' },
        arguments: [{ message: 'hi', region: 'eu' }, {}],
        headers: { Region: '/region' },
        request_headers: { 'X-User': 'one' },
        expect_status: [200, 404],
      },
      'tools/list': { class: 'protocol', method: 'tools/list', params: {} },
      own: { class: 'write', method: 'own_method', params: { a: [1, { b: null }] } },
    },
    mixes: { default: { echo: 3, 'tools/list': 1, own: 0.5 }, other: { own: 100 } },
    left_out: [{ operation: 'x', reason: 'y' }],
  },
  {
    schema: 'mcp-load-lab/workload/1',
    name: 'one',
    dialect: 'mcp',
    operations: { ping: { class: 'protocol', method: 'ping', params: {} } },
    mixes: { default: { ping: 1 } },
  },
];

const REQUESTS = [
  {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'echo', arguments: { message: 'hi' }, _meta: {} },
  },
  { jsonrpc: '2.0', method: 'resources/list' },
  { jsonrpc: '2.0', id: 'x', method: 'own_method', params: { a: 1 } },
];

const PLAIN = { TOOL: '', ARGS: null };

/** @param {import('../../lib/workload.js').WorkloadDocument} document that was taken */
function canBeLoaded(document) {
  for (const mix of Object.keys(document.mixes)) {
    const operations = planOperations(document, mix, PLAIN);
    const total = operations.reduce((sum, { weight }) => sum + weight, 0);
    assert.ok(Math.abs(total - 100) < 1e-6, `the weights of ${mix} come to ${total} %`);
    for (const { request_headers: headers = {}, headers: pointers = {} } of operations) {
      for (const [name, value] of Object.entries(headers)) {
        validateHeaderName(name);
        validateHeaderValue(name, value);
      }
      for (const name of Object.keys(pointers)) validateHeaderName(`Mcp-Param-${name}`);
    }
  }
}

/** @type {import('./property.js').Area} */
const area = {
  name: 'workload',
  properties: [
    property({
      name: 'a document that its schema takes can be loaded, and any other is refused in one line',
      runs: 4000,
      input: fc.oneof({ weight: 8, arbitrary: changed(DOCUMENTS) }, anyJson),
      holds: (document) => {
        const problem = problemOf(document);
        if (problem) return isOneLine(problem);
        // k6 itself looks for those that a mix names.
        const { operations, mixes } = document;
        const known = Object.values(mixes).every((mix) =>
          Object.keys(/** @type {object} */ (mix)).every((name) => Object.hasOwn(operations, name)),
        );
        if (!known) return;
        canBeLoaded(document);
        orRefused(() => onlyTools(document), ConfigError);
      },
    }),
    property({
      name: 'a payload becomes a workload, or is refused in one line',
      runs: 2000,
      input: fc.oneof(changed(REQUESTS), anyJson),
      holds: (request) => {
        const made = orRefused(() => toWorkload(request, 'request.json'), ConfigError);
        if (!('value' in made)) return;
        const { value } = made;
        canBeLoaded(value);
        const [operation] = Object.values(value.operations);
        assert.equal(operation?.method, request.method);
        assert.deepEqual(
          operation?.arguments?.[0] ?? {},
          (operation?.arguments && request.params.arguments) ?? {},
        );
      },
    }),
  ],
};
export default area;
