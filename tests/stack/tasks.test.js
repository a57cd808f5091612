/** TASKS=1: calls that a server answers with tasks last until these have ended. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePort } from '../../contract/free-port.js';
import { assertMeasured, runTest } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { scratchFolder } from '../scratch.js';

await ownStack();

const SECONDS = 0.35;

const WORKLOAD = join(scratchFolder(), 'tasks.json');
const operations = { job: { class: 'read', method: 'tools/call', params: { name: 'job' } } };
const document = { schema: 'mcp-load-lab/workload/1', name: 'jobs', dialect: 'mcp', tasks: true, operations };
writeFileSync(WORKLOAD, JSON.stringify({ ...document, mixes: { default: { job: 1 } } }));

/** @type {[string, Record<string, string>][]} */
const WAYS = [
  ['TASKS=0', { TOOL: 'job', ARGS: '{}' }],
  ['TASKS=1', { TOOL: 'job', ARGS: '{}', TASKS: '1' }],
  ['a workload with tasks', { WORKLOAD }],
];

for (const [way, variables] of WAYS)
  test(`calls of ${SECONDS} s, ${way}`, async () => {
    const port = await freePort();
    const result = await runTest('load', {
      ...{ PROFILE: 'smoke', REQUESTS: '40', CONCURRENCY: '4', THRESHOLDS: 'off', ...variables },
      TARGET_URL: `http://127.0.0.1:${port}/mcp`,
      SERVER_COMMAND: `exec node tests/servers/tasks.js ${port} ${SECONDS}`,
    });
    assertMeasured(result);
    const { findings, phases } = result.document;
    const own = findings.filter((/** @type {any} */ { subject }) => subject === 'tasks');
    const { requests, failed, latency_ms } = phases.find((/** @type {any} */ { measured }) => measured);
    assert.equal(failed, 0);
    assert.ok(latency_ms.min >= SECONDS * 1000 - 1, JSON.stringify(latency_ms));
    if (way === 'TASKS=0') {
      assert.deepEqual([requests, own.length], [40, 0]);
      return;
    }
    // One that creates the task, and four that ask for it.
    assert.ok(requests >= 40 * 4, String(requests));
    assert.match(
      own[0].statement,
      /^the server answered 40 calls with tasks: they completed after .*, asked for \d/,
    );
  });
