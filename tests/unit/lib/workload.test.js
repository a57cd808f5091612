import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '../../../lib/config.js';
import { pickOperation, planOperations } from '../../../lib/workload.js';
import reference from '../../../workloads/reference.js';

const NO_TOOL = { TOOL: '', ARGS: null };

test("the reference mix has the document's proportions", () => {
  /** @type {Record<string, number>} */
  const byClass = {};
  for (const { class: kind, weight } of planOperations(reference, 'mixed', NO_TOOL)) {
    byClass[kind] = (byClass[kind] ?? 0) + weight;
  }
  assert.deepEqual(byClass, { read: 60, write: 30, complex: 10 });
});

test('operations are picked by weight, at the edges too', () => {
  const operations = planOperations(reference, 'mixed', NO_TOOL);
  assert.equal(pickOperation(operations, 0).operation, operations[0]?.operation);
  assert.equal(pickOperation(operations, 0.9999999999999999).operation, operations.at(-1)?.operation);
  /** @type {Record<string, number>} */
  const picked = {};
  for (let n = 0; n < 10_000; n += 1) {
    const { operation } = pickOperation(operations, (n + 0.5) / 10_000);
    picked[operation] = (picked[operation] ?? 0) + 1;
  }
  for (const { operation, weight } of operations) assert.equal(picked[operation], weight * 100);
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
  assert.equal(echo?.tool, 'echo');
  assert.deepEqual(echo?.args({}), { message: 'hi' });
});

test('an unknown TOOL names the known ones', () => {
  assert.throws(
    () => planOperations(reference, 'mixed', { TOOL: 'nope', ARGS: null }),
    (error) => error instanceof ConfigError && /^TOOL is "nope".*get_user.*ARGS/.test(error.message),
  );
});

test('weights that do not add up to 100 are refused', () => {
  const workload = { ...reference, mixes: { wrong: { get_user: 60, search_users: 30 } } };
  assert.throws(() => planOperations(workload, 'wrong', NO_TOOL), /add up to 90; valid: 100/);
});

test('every operation makes arguments that its own expectation accepts the echo of', () => {
  const batch = reference.operations.process_batch;
  const args = /** @type {any} */ (batch?.args({ items: 50 }));
  assert.equal(args.items.length, 50);
  assert.equal(
    new Set(args.items.map((/** @type {any} */ item) => item.key)).size,
    50,
    'no key twice in a batch',
  );
  assert.equal(batch?.items?.({ items: 50 }), 50);
  assert.equal(batch?.expect?.({ structuredContent: { processed: 50 } }, args), true);
  assert.equal(batch?.expect?.({ structuredContent: { processed: 49 } }, args), false);
});
