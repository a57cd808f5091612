import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '../../../contract/config-error.js';
import { planOperations, withWeights } from '../../../lib/workload.js';
import rbac from '../../../workloads/rbac.js';
import reference from '../../../workloads/reference.js';
import workflows from '../../../workloads/workflows.js';
import { workflowsOf } from '../../../workloads/workflows-of.js';

/** @param {any} result @returns {import('k6/x/mcp').Answer} */
const answerOf = (result) =>
  /** @type {any} */ ({ result, text: JSON.stringify({ jsonrpc: '2.0', id: 1, result }) });

const NO_TOOL = { TOOL: '', ARGS: null };

test("the reference mix has the document's proportions", () => {
  /** @type {Record<string, number>} */
  const byClass = {};
  for (const { class: kind, weight } of planOperations(reference, 'mixed', NO_TOOL)) {
    byClass[kind] = (byClass[kind] ?? 0) + weight;
  }
  assert.deepEqual(byClass, { read: 60, write: 30, complex: 10 });
});

test('TOOL alone picks an operation of the workload, with ARGS any tool', () => {
  assert.deepEqual(
    planOperations(reference, 'mixed', { TOOL: 'get_user', ARGS: null }).map(({ operation, class: kind }) => [
      operation,
      kind,
    ]),
    [['get_user', 'read']],
  );
  const [echo] = planOperations(reference, 'mixed', { TOOL: 'echo', ARGS: { message: 'hi' } });
  assert.deepEqual(echo?.params, { name: 'echo' });
  assert.deepEqual(echo?.variants, [{ message: 'hi' }]);
});

test('an unknown TOOL names the known ones', () => {
  assert.throws(
    () => planOperations(reference, 'mixed', { TOOL: 'nope', ARGS: null }),
    (error) => error instanceof ConfigError && /^TOOL is "nope".*get_user.*ARGS/.test(error.message),
  );
});

test('weights are relative to each other', () => {
  const workload = { ...reference, mixes: { most: { get_user: 6, search_users: 2 } } };
  assert.deepEqual(
    planOperations(workload, 'most', NO_TOOL).map(({ weight }) => weight),
    [75, 25],
  );
});

/** @type {import('../../../lib/workload.js').WorkloadDocument} */
const DOCUMENT = {
  schema: 'mcp-load-lab/workload/1',
  name: 'found',
  dialect: 'mcp',
  operations: {
    'get-weather': {
      class: 'read',
      method: 'tools/call',
      params: { name: 'get weather' },
      arguments: [{ city: 'Oslo' }, { city: 'Lima' }],
      headers: { City: '/city' },
    },
    'tools/list': { class: 'protocol', method: 'tools/list', params: {} },
  },
  mixes: { default: { 'get-weather': 95, 'tools/list': 5 }, mixed: { 'tools/list': 1 } },
};

test("a document's operations come with their method, arguments and headers", () => {
  const [weather, list] = planOperations(DOCUMENT, 'get_user', NO_TOOL);
  assert.deepEqual(weather, {
    operation: 'get-weather',
    class: 'read',
    method: 'tools/call',
    params: { name: 'get weather' },
    variants: [{ city: 'Oslo' }, { city: 'Lima' }],
    headers: { City: '/city' },
    weight: 95,
  });
  assert.equal(list?.variants, undefined);
});

test('the mix that a test names, and the default where the workload has none of that name', () => {
  /** @param {string} mix */
  const names = (mix) => planOperations(DOCUMENT, mix, NO_TOOL).map(({ operation }) => operation);
  assert.deepEqual(names('mixed'), ['tools/list']);
  assert.deepEqual(names('get_user'), ['get-weather', 'tools/list']);
  assert.deepEqual(
    names('get-weather'),
    ['get-weather', 'tools/list'],
    'an operation of that name is chance',
  );
  assert.deepEqual(names('constructor'), ['get-weather', 'tools/list']);
});

test("TOOL finds an operation by its name or by its tool's", () => {
  for (const TOOL of ['get-weather', 'get weather']) {
    const [operation] = planOperations(DOCUMENT, 'mixed', { TOOL, ARGS: null });
    assert.equal(operation?.operation, 'get-weather');
    assert.equal(operation?.weight, 100);
  }
  assert.throws(() => planOperations(DOCUMENT, 'mixed', { TOOL: 'toString', ARGS: null }), ConfigError);
});

test('a TOOL with any name is an operation that k6 can select by', () => {
  const [operation] = planOperations(reference, 'mixed', { TOOL: 'a:b{c},"d"', ARGS: {} });
  assert.deepEqual(operation?.params, { name: 'a:b{c},"d"' });
  assert.match(operation?.operation ?? '', /^[\w./-]+$/);
});

test('every operation makes arguments that its own expectation accepts the echo of', () => {
  const batch = reference.operations.process_batch;
  const args = /** @type {any} */ (batch?.args?.({ items: 50 }));
  assert.equal(args.items.length, 50);
  assert.equal(
    new Set(args.items.map((/** @type {any} */ item) => item.key)).size,
    50,
    'no key twice in a batch',
  );
  assert.equal(batch?.items?.({ items: 50 }), 50);
  assert.equal(batch?.expect?.(answerOf({ structuredContent: { processed: 50 } }), args), true);
  assert.equal(batch?.expect?.(answerOf({ structuredContent: { processed: 49 } }), args), false);
});

test('a target may have other names for the tools: of TOOL and of the mix alike', () => {
  const names = { get_user: 'upstream-get-user' };
  const [byMix] = planOperations(reference, 'get_user', { ...NO_TOOL, TOOL_NAMES: names });
  assert.equal(byMix?.operation, 'get_user');
  assert.deepEqual(byMix?.params, { name: 'upstream-get-user' });
  const [byTool] = planOperations(reference, 'mixed', { TOOL: 'get_user', ARGS: {}, TOOL_NAMES: names });
  assert.deepEqual(byTool?.params, { name: 'upstream-get-user' });
  const [other] = planOperations(reference, 'search_users', { ...NO_TOOL, TOOL_NAMES: names });
  assert.deepEqual(other?.params, { name: 'search_users' });
});

test("a phase's own mix is a part of the test's; where the workload has none of that name, nothing differs", () => {
  const operations = planOperations(rbac, 'guarded', NO_TOOL);
  const phases = /** @type {any[]} */ ([
    { name: 'a', mix: 'scenarios' },
    { name: 'b' },
    { name: 'c', mix: 'x' },
  ]);
  const [own, common, unknown] = withWeights(phases, rbac, operations);
  assert.deepEqual(own?.weights, [20, 20, 20, 20, 20, 0, 0, 0]);
  assert.equal(common?.weights, undefined);
  assert.equal(unknown?.weights, undefined);
  const one = planOperations(rbac, 'guarded', { TOOL: 'nope', ARGS: {} });
  assert.equal(withWeights(phases, rbac, one)[0]?.weights, undefined, 'TOOL replaces every mix');
});

test('an operation of several calls has them with it, whatever the target names its tools', () => {
  const [sequence] = planOperations(workflows, ['tool-sequence'], NO_TOOL);
  assert.equal(sequence?.class, 'complex');
  assert.deepEqual(
    sequence?.calls?.map(({ operation, params }) => [operation, params.name]),
    [
      ['find', 'search_users'],
      ['read', 'get_user'],
      ['change', 'update_user'],
    ],
  );
  const TOOL_NAMES = { get_user: 'upstream-get-user' };
  const [renamed] = planOperations(workflows, ['tool-sequence'], { ...NO_TOOL, TOOL_NAMES });
  assert.equal(renamed?.calls?.[1]?.params.name, 'upstream-get-user');
  const wrong = {
    name: 'wrong',
    operations: { all: { class: /** @type {const} */ ('read'), calls: ['nope'] } },
    mixes: {},
  };
  assert.throws(() => planOperations(wrong, 'all', NO_TOOL), /has no operation "nope"/);
});

test('a payload is a JSON text of its size, made once', () => {
  const { args, expect } = reference.operations.payload ?? {};
  const text = String(args?.({ kb: 4 }));
  assert.equal(JSON.parse(text).body.length, 4096);
  assert.equal(JSON.parse(text).reply_bytes, 4096);
  assert.equal(args?.({ kb: 4 }), text);
  const answer = (/** @type {number} */ bytes) =>
    answerOf({ content: [{ type: 'text', text: 'x'.repeat(bytes) }] });
  assert.equal(expect?.(answer(4096), text), true);
  assert.equal(expect?.(answer(3500), text), false);
});

/** @param {'modern' | 'legacy'} era @returns {import('../../../lib/workload.js').WorkloadDocument} */
const documentOf = (era) => ({
  schema: 'mcp-load-lab/workload/1',
  name: 'other',
  dialect: 'mcp',
  connection: { era, version: '2025-11-25', server: { name: 'other', version: '1' }, subscribe: true },
  operations: {
    look: { class: 'read', method: 'tools/call', params: { name: 'look' }, arguments: [{}] },
    'resource/one': { class: 'read', method: 'resources/read', params: { uri: 'x:1' } },
    'resources/list': { class: 'protocol', method: 'resources/list', params: {} },
  },
  mixes: { default: { look: 1 } },
});

test('the steps of workflows on another server: those that it has something for', () => {
  const { workload: fitted } = workflowsOf(documentOf('legacy'));
  const steps = ['tool-call', 'resource-list', 'resource-subscribe', 'tool-sequence'];
  const operations = planOperations(fitted, steps, NO_TOOL);
  assert.deepEqual(
    operations.map(({ method, params }) => [method, params]),
    [
      ['tools/call', { name: 'look' }],
      ['resources/list', {}],
      ['resources/subscribe', { uri: 'x:1' }],
      ['tools/call', {}],
    ],
  );
  assert.deepEqual(
    operations[3]?.calls?.map(({ operation }) => operation),
    ['look', 'look', 'look'],
  );
  assert.ok(!('prompt-list' in fitted.operations), 'it lists none');
  assert.match(JSON.stringify(fitted), /"operation":"prompt-list","reason":"other does not support it/);
  // There it is a stream.
  assert.ok(!('resource-subscribe' in workflowsOf(documentOf('modern')).workload.operations));
});
