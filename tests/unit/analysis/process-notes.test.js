/** What is said of servers that are programs: that they ended, and that they log where messages belong. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invalidLines } from '../../../analysis/findings/notes/invalid-lines.ts';
import { processExits } from '../../../analysis/findings/notes/process-exits.ts';

/** @param {Record<string, number>} counters */
const known = (counters) => {
  const metrics = Object.fromEntries(Object.entries(counters).map(([name, sum]) => [name, { sum }]));
  return /** @type {any} */ ({ groups: [{ metrics }] });
};

test('servers that ended are counted', () => {
  const [found] = processExits(known({ mcp_process_exits: 3, mcp_process_restarts: 2 }));
  assert.match(
    found?.statement ?? '',
    /^the server's process ended 3 times during the run, and was started again 2 times/,
  );
  assert.deepEqual(processExits(known({})), []);
});

test('lines that are not messages are told, with what to do', () => {
  const [found] = invalidLines(known({ mcp_invalid_messages: 1200 }));
  assert.match(found?.statement ?? '', /^the server wrote 1,200 lines that are not JSON-RPC/);
  assert.match(found?.evidence.join() ?? '', /log to standard error/);
  assert.deepEqual(invalidLines(known({})), []);
});
