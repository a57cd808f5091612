import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planObjectives } from '../../../lib/objectives.js';
import { near, runOf, summary, trend } from '../analysis/build.js';
import { rowsOf } from './rows-of.js';

const STEPS = ['tool-call', 'resource-list', 'resource-subscribe', 'prompt-list', 'tool-sequence'];

/** @param {Record<string, any>} metrics @param {any[]} [objectives] */
const workflows = (metrics, objectives = []) =>
  runOf({
    summary: summary({
      plan: { test: 'workflows' },
      phases: STEPS.map((step) => ({
        name: `legacy-${step}`,
        figures: { iterations: 1000, requests: step === 'tool-sequence' ? 3000 : 1000, p99: 8 },
      })),
      metrics,
      objectives,
    }),
  });

/** @param {number} p99 @param {number} count */
const sequences = (p99, count) => ({
  'mcp_sequence_duration{phase:legacy-tool-sequence}': {
    type: 'trend',
    contains: 'time',
    values: trend(p99, count),
  },
});

/** @param {number} limit */
const objectives = (limit) =>
  planObjectives(
    { 'legacy-tool-call': { p99_ms: 10 }, 'legacy-tool-sequence': { sequence_p99_ms: limit } },
    '',
    STEPS.map((step) => /** @type {any} */ ({ name: `legacy-${step}`, measured: true, offered_rps: null })),
    [/** @type {any} */ ({ operation: 'call', class: 'read', weight: 100 })],
  );

test('the table has each step; a sequence counts as one, with the time of the whole', async () => {
  const { tables } = await workflows(sequences(28, 1000), objectives(30));
  const rows = rowsOf(tables[0]);
  const [call, list] = rows;
  near(call, {
    ...{ workflow: 'Tool call', operations: 1000, p50: 4, p95: 7.2, p99: 8 },
    ...{ target: '< 10 ms', status: 'met' },
  });
  near([list?.workflow, list?.operations, list?.status], ['Resource list', 1000, 'not judged']);
  const { workflow, operations, p99, target, status } = rows.at(-1) ?? {};
  near([workflow, operations, p99, target, status], ['Tool call sequence', 1000, 28, '< 30 ms', 'met']);
});

test("a sequence's p99 is judged by the time of the whole, and from enough of them", async () => {
  const slow = await workflows(sequences(31, 1000), objectives(30));
  assert.match(slow.verdict.reasons.join(), /tool-sequence p99 of all its calls together was 31 ms/);
  assert.equal(rowsOf(slow.tables[0]).at(-1)?.status, 'missed');

  const few = await workflows(
    {
      ...sequences(20, 40),
      'iterations{phase:legacy-tool-sequence}': { type: 'counter', values: { count: 40 } },
    },
    objectives(30),
  );
  assert.equal(few.verdict.outcome, 'invalid');
  assert.equal(rowsOf(few.tables[0]).at(-1)?.status, 'inconclusive');
});
