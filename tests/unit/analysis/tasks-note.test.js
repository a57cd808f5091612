import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runOf, summary, trend } from './build.js';

/** @param {Record<string, any>} metrics of a phase with 100 calls */
const tasksIn = async (metrics) => {
  const own = Object.entries(metrics).map(([name, values]) => [`${name}{phase:calls}`, { values }]);
  const phases = [{ name: 'calls', figures: { iterations: 100, requests: 100 } }];
  const { findings } = await runOf({ summary: summary({ phases, metrics: Object.fromEntries(own) }) });
  return findings.find(({ subject }) => subject === 'tasks');
};

test('calls that were answered with tasks: how long they took, how often they were asked for, and which were given up', async () => {
  const found = await tasksIn({
    mcp_task_duration: trend(1000, 90),
    mcp_task_polls: { count: 500 },
    mcp_tasks_abandoned: { count: 10 },
  });
  assert.equal(
    found?.statement,
    'the server answered 100 calls with tasks: they completed after 500 ms (p95 901 ms) with 5 polls each; 10 tasks did not complete in time and were cancelled',
  );
});

test('tasks none of which ended; and no tasks at all', async () => {
  const found = await tasksIn({ mcp_tasks_abandoned: { count: 1 }, mcp_task_polls: { count: 3 } });
  assert.equal(
    found?.statement,
    'the server answered 1 call with tasks; 1 task did not complete in time and was cancelled',
  );
  assert.equal(await tasksIn({}), undefined);
});
