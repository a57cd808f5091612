/** Sequences and trials: what is called in which order, what is counted as what, and that nothing is left behind. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { counterOf, inScope, slowOf, total } from '../../analysis/collect/groups.ts';
import { readSummary } from '../../analysis/collect/summary.ts';
import { phases } from '../../analysis/judge/phases.ts';
import { labOutput } from '../../cli/k6.ts';
import { command } from '../lab.js';
import { scratchFolder } from '../scratch.js';
import { toolPath } from '../tool.js';
import { startOffering } from './offering-server.js';

const TOOLS = ['make', 'get', 'clear'].map((name) => ({ name, inputSchema: { type: 'object' } }));
const folder = scratchFolder();

/** @param {number} [delayMs] of each call */
async function startThings(delayMs = 0) {
  let id = 0;
  return startOffering({ tools: TOOLS }, async (name) => {
    if (delayMs > 0 && name !== 'clear') await sleep(delayMs);
    if (name === 'make') id += 1;
    return { content: [], structuredContent: { id } };
  });
}

/** @param {string} url @param {Record<string, string>} [env] */
const environment = (url, env = {}) => ({
  TARGET_URL: url,
  PROFILE: 'smoke',
  ...env,
});
const RUN = ['run', '--quiet', '--address', '', ...labOutput(folder), 'tests/k6/steps.js'];

/** @param {Awaited<ReturnType<typeof startThings>>} server @returns {string[]} what it was sent after set-up, runs of one call as `make x 3` */
function calls({ requests }) {
  const names = requests
    .map(({ method, params }) =>
      method === 'tools/call' ? `${params.name} ${JSON.stringify(params.arguments)}` : method,
    )
    .filter((name) => !/^(server|initialize|notifications|HTTP)/.test(name));
  /** @type {[string, number][]} */
  const runs = [];
  for (const name of names) {
    const last = runs.at(-1);
    if (last?.[0] === name) last[1] += 1;
    else runs.push([name, 1]);
  }
  return runs.map(([name, count]) => `${name} x ${count}`);
}

test('steps follow one another; what prepares and warms up is not counted; the end cleans up', async () => {
  const server = await startThings();
  const limits = { THRESHOLDS: 'class:read.p50_ms=10000' };
  const { code, output } = await command(toolPath('k6'), RUN, environment(server.url, limits));
  await server.close();
  assert.equal(code, 0, output);
  assert.deepEqual(calls(server), [
    'tools/list x 1',
    'make {"colour":"red"} x 2',
    'make {"colour":"blue"} x 5',
    'get {"id":1} x 5',
    'tools/list x 3',
    'get {"id":1} x 8',
    'clear {} x 2',
  ]);
  const { summary } = readSummary(folder);
  assert.ok(summary);
  assert.deepEqual(
    phases(summary).map(({ name, measured, completed, iterations, requests, labels }) => [
      name,
      measured,
      completed,
      iterations,
      requests,
      labels,
    ]),
    [
      ['fill', false, true, null, null, { colour: 'red' }],
      ['make', true, true, 4, 4, { colour: 'blue' }],
      ['get', true, true, 5, 5, {}],
      ['list', true, true, 3, 3, {}],
      ['pair', true, true, 3, 6, {}],
    ],
  );
  const { groups } = summary;
  const of = (/** @type {string} */ phase) => inScope(groups, { phase });
  assert.equal(counterOf(groups, 'mcp_items'), 3 * total(of('make'), 'requests'));
  const pairs = counterOf(of('pair'), 'mcp_step_iterations');
  assert.equal(total(groups, 'additional'), pairs, 'the second call of each, and of none that warmed up');
  assert.equal(total(of('pair'), 'requests'), 2 * pairs);
  assert.equal(
    slowOf(inScope(groups, { class: 'read' }), 10_000),
    0,
    'each read counts for the objective of its class',
  );
  const [, make, get] = phases(summary);
  const pauseMs = Date.parse(get?.start ?? '') - Date.parse(make?.end ?? '');
  assert.ok(pauseMs >= 490, `the pause is scaled, and there: ${pauseMs} ms`);
});

test('a trial has its name in front of its phases, and its labels on them', async () => {
  const server = await startThings();
  const env = environment(server.url, { TRIAL: 'two', TRIAL_LABELS: '{"workers":2}' });
  const { code, output } = await command(toolPath('k6'), RUN, env);
  await server.close();
  assert.equal(code, 0, output);
  const { summary } = readSummary(folder);
  assert.ok(summary);
  const { plan } = summary;
  assert.deepEqual(
    plan.phases.map(({ name, labels }) => [name, labels]),
    [
      ['two-fill', { colour: 'red' }],
      ['two-make', { workers: 2, colour: 'blue' }],
      ['two-get', { workers: 2 }],
      ['two-list', { workers: 2 }],
      ['two-pair', { workers: 2 }],
    ],
  );
  assert.deepEqual(plan.objectives[0]?.scope, { phase: 'two-make' });
});

test('a step of capacity: each of its VUs has its session before it begins', async () => {
  const server = await startThings();
  const env = { TOOL: 'get', ARGS: '{}', RATE: '40', VUS: '30', DURATION: '2s' };
  const capacity = ['run', '--quiet', '--address', '', ...labOutput(folder), 'scenarios/capacity/test.js'];
  const { code, output } = await command(toolPath('k6'), capacity, environment(server.url, env));
  await server.close();
  assert.equal(code, 0, output);
  const { summary } = readSummary(folder);
  assert.ok(summary);
  const [warmUp, step] = phases(summary);
  assert.equal(warmUp?.measured, false);
  assert.equal(step?.iterations, 80);
  assert.equal(step?.handshakes_s, undefined, 'no session was opened in it');
  const opened = server.requests.filter(({ method }) => method === 'initialize').length;
  // One of set-up.
  assert.equal(opened, 31);
});

test('interrupted in the middle: the end cleans up all the same', async () => {
  const server = await startThings(500);
  const child = spawn(toolPath('k6'), RUN, {
    env: { ...process.env, ...environment(server.url) },
    stdio: 'ignore',
  });
  const over = new Promise((resolve) => child.once('close', resolve));
  while (!calls(server).some((call) => call.startsWith('make'))) await sleep(50);
  child.kill('SIGINT');
  assert.equal(await over, 105);
  await server.close();
  assert.equal(calls(server).at(-1), 'clear {} x 2');
});
