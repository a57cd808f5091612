import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knee } from '../../../scenarios/payload/table.ts';
import { runOf, signal, summary } from '../analysis/build.js';
import { rowsOf } from './rows-of.js';

/** @param {[kb: number, rate: number][]} sizes @returns {any[]} */
const sized = (sizes) => sizes.map(([kb, rate]) => ({ labels: { kb: String(kb) }, achieved_rps: rate }));

test('the knee is where the bytes of a message cost as much as the message', () => {
  // 400 us a message and 50 us for each KB.
  const rates = [1, 2, 4, 8, 16, 32].map(
    (kb) => /** @type {[number, number]} */ ([kb, 1e6 / (400 + 50 * kb)]),
  );
  const [statement, { figures }] = knee(sized(rates));
  assert.equal(Math.round(figures.knee_kb ?? 0), 8);
  assert.match(statement, /the knee is at about 8 KB each way: a message takes 400 us plus 50 us/);
});

test('no knee is made of noise, of a falling line, or of two sizes', () => {
  /** @type {[number, number][][]} */
  const cases = [
    [
      [1, 250],
      [2, 210],
      [4, 200],
      [8, 440],
      [16, 640],
      [32, 800],
    ],
    [
      [1, 500],
      [32, 100],
    ],
    [],
  ];
  for (const rates of cases) assert.match(knee(sized(rates))[0], /inconclusive/);
});

test('the table has what went over the wire, each way', async () => {
  const names = [1, 32];
  const { tables, findings } = await runOf(
    {
      summary: summary({
        plan: { test: 'payload', workload: 'reference' },
        phases: names.map((kb) => ({
          name: `${kb}-kb`,
          vus: 10,
          offered_rps: null,
          labels: { kb },
          figures: { iterations: kb === 1 ? 4000 : 1000, p99: 20 },
        })),
        metrics: {
          'data_sent{phase:1-kb}': { type: 'counter', values: { count: 20_000_000 } },
          'data_received{phase:1-kb}': { type: 'counter', values: { count: 10_000_000 } },
        },
      }),
    },
    {
      signals: [signal('host_cpu', '1-kb', 0.99), signal('cpu', '1-kb', 0.5)],
    },
  );
  const [first, second] = rowsOf(tables[0]);
  assert.deepEqual([first?.KB, first?.messages, first?.['vs first']], ['1', 200, 1]);
  assert.deepEqual([first?.sent, first?.received], [1_000_000, 500_000]);
  assert.deepEqual([first?.CPU, first?.bottleneck], [0.5, 'CPU']);
  assert.ok(first && !('an answer' in first), 'the same as what was sent');
  assert.equal(second?.['vs first'], 0.25);
  assert.equal(second?.bottleneck, null, 'nothing is known to have been short');
  assert.ok(findings.some(({ statement }) => /inconclusive/.test(statement)));
});
