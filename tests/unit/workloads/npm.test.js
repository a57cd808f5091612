/** The workload of a proxy manager against the target's own schemas: what it sends must be what the tools take. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { NPM_TOOLS } from '../../../target/npm/tools.js';

/** @type {import('../../../lib/workload.js').Workload} */
let npm;
before(async () => {
  /** @type {any} */ (globalThis).__ENV = { TESTID: 'crud-20260102T030405Z-ab12' };
  ({ default: npm } = await import('../../../workloads/npm.js'));
});

/** @param {string} operation @param {object} [labels] @returns {any} */
const argsOf = (operation, labels = {}) => npm.operations[operation]?.args?.(labels);

test('every operation has a tool, and arguments that the tool takes', () => {
  for (const [name, { tool = name }] of Object.entries(npm.operations)) {
    const found = NPM_TOOLS.find((one) => one.name === tool);
    assert.ok(found, `there is no tool ${tool}`);
    const { success, error } = found.inputSchema.safeParse(argsOf(name));
    assert.ok(success, `${name}: ${error}`);
    assert.equal(argsOf(name).owner, 'crud-20260102T030405Z-ab12');
  }
});

test("everything is the run's own, and the clean-up takes all of it and nothing else", () => {
  assert.deepEqual(argsOf('remove_all'), { owner: 'crud-20260102T030405Z-ab12', batch_size: 1000 });
});

test('what is filled in one step after the other has no name twice', () => {
  const labels = { instance: 'size-1000', proxy_hosts: 500 };
  const names = [1, 2].flatMap(() =>
    argsOf('fill', labels).configuration.proxy_hosts.map((/** @type {any} */ host) => host.domain_names[0]),
  );
  assert.equal(new Set(names).size, 1000);
  const { certificates } = argsOf('fill', { instance: 'a', certificates: 50 }).configuration;
  const domains = certificates.map((/** @type {any} */ one) => one.domain_names[0]);
  assert.equal(new Set(domains).size, 50);
});

test('ids are used in turn, and what was made is removed, the oldest first', () => {
  const { list_proxy_hosts: list, create_stream: create } = npm.operations;
  const reply = (/** @type {object} */ structuredContent) =>
    /** @type {any} */ ({ result: { structuredContent } });
  list?.received?.(reply({ proxy_hosts: [{ id: 5 }, { id: 6 }, { id: 7 }] }), { instance: 'default' });
  const toggled = [1, 2].map(() => argsOf('bulk_toggle_hosts', { items: 2 }));
  assert.deepEqual(
    toggled.map(({ ids }) => ids),
    [
      [5, 6],
      [7, 5],
    ],
  );
  assert.notEqual(toggled[0].enabled, toggled[1].enabled);
  for (const id of [31, 32]) create?.received?.(reply({ stream: { id } }), {});
  assert.deepEqual([argsOf('delete_stream').id, argsOf('delete_stream').id], [31, 32]);
});

test('a renewal of which one was refused is no success', () => {
  const { expect } = npm.operations.bulk_renew_certificates ?? {};
  const reply = (/** @type {number} */ renewed) =>
    /** @type {any} */ ({ result: { structuredContent: { renewed } } });
  assert.equal(expect?.(reply(5), { ids: [1, 2, 3, 4, 5] }), true);
  assert.equal(expect?.(reply(4), { ids: [1, 2, 3, 4, 5] }), false);
});
