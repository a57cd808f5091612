/** What make list prints of a server: a line a test, whatever the server calls itself and its tools. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textOf } from '../../../cli/commands/list.ts';
import { tests } from '../../../cli/run/run.ts';

const EVIL = '\u001b[2J\u202eyes\nspike  yes';

test('a line a test, yes or why not; no name of a server adds a line or a control character', () => {
  /** @type {import('../../../lib/workload.js').WorkloadDocument} */
  const document = {
    schema: 'mcp-load-lab/workload/1',
    name: 'evil',
    dialect: 'mcp',
    connection: { era: 'legacy', version: '2025-11-25', server: { name: EVIL, version: EVIL } },
    operations: { look: { class: 'read', method: 'tools/call', params: { name: EVIL } } },
    mixes: { default: { look: 1 } },
    left_out: [{ operation: 'more', reason: EVIL }],
  };
  const text = textOf(
    document,
    tests.map((name) => (name === 'payload' ? `${EVIL}${'x'.repeat(1000)}` : null)),
  );
  const lines = text.split('\n');
  assert.equal(lines.length, tests.length + 6);
  assert.match(lines[0] ?? '', /1 callable operations, 1 left out$/);
  assert.match(text, /^payload +no {4}/m);
  assert.equal(lines.filter((line) => /^[\w-]+ +yes$/.test(line)).length, tests.length - 1);
  assert.ok(lines.every((line) => line.length < 400));
  assert.doesNotMatch(text.replaceAll('\n', ''), /\p{Cc}|\p{Cf}/u);
});
