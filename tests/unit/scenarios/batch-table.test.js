import assert from 'node:assert/strict';
import { test } from 'node:test';
import { phases } from '../../../analysis/judge/phases.ts';
import { bestSizes } from '../../../scenarios/batch/table.ts';
import { runOf, summary } from '../analysis/build.js';
import { rowsOf } from './rows-of.js';

/** @param {[size: number, items: number, failed?: number][]} sizes @param {Record<string, number>} [labels] */
const batches = (sizes, labels = {}) =>
  sizes.map(([size, items, failed = 0]) => ({
    name: `size-${size}`,
    labels: { ...labels, items: size },
    figures: { iterations: 200, items, failures: { tool: failed } },
  }));

/** @param {import('../analysis/build.js').PhaseSpec[]} specs */
const best = (specs) =>
  bestSizes(phases(summary({ phases: specs })).filter(({ labels }) => labels.items)).map(
    (found) => found.best.labels.items,
  );

test('the best size makes the most items', () => {
  assert.deepEqual(
    best(
      batches([
        [1, 200],
        [10, 900],
        [50, 600],
      ]),
    ),
    ['10'],
  );
});

test('within 10% the smaller size wins', () => {
  assert.deepEqual(
    best(
      batches([
        [50, 1000],
        [10, 901],
        [1, 200],
      ]),
    ),
    ['10'],
  );
  assert.deepEqual(
    best(
      batches([
        [50, 1000],
        [10, 899],
        [1, 200],
      ]),
    ),
    ['50'],
  );
});

test('a size whose failures reach 1% is out', () => {
  assert.deepEqual(
    best(
      batches([
        [1, 200],
        [10, 500, 1],
        [50, 1000, 2],
      ]),
    ),
    ['10'],
  );
});

test('no candidate, one size, no label: none is named', () => {
  assert.deepEqual(
    best(
      batches([
        [1, 200, 9],
        [10, 500, 9],
      ]),
    ),
    [],
  );
  assert.deepEqual(best(batches([[10, 500]])), []);
  assert.deepEqual(best([{ name: 'a', figures: {} }]), []);
});

test('the best size is named with its speed-up and the rule, one a group', async () => {
  const spec = {
    plan: { test: 'batch' },
    phases: [
      ...batches([
        [10, 2000],
        [100, 8000],
      ]),
      ...batches(
        [
          [1, 200],
          [5, 900],
        ],
        { of: 100 },
      ).map((phase) => ({ ...phase, name: `split-${phase.name}` })),
    ],
  };
  const { tables, findings } = await runOf({ summary: summary(spec) });
  const found = findings.filter(({ subject }) => subject === 'Batch size');
  assert.deepEqual(
    rowsOf(tables[0]).map((row) => [row.items, row['batches/s'], row['items/s'], row['speed-up']]),
    [
      ['10', 10, 100, null],
      ['100', 10, 400, null],
      ['1', 10, 10, 1],
      ['5', 10, 45, 4.5],
    ],
  );
  assert.deepEqual(
    found.map(({ statement }) => statement),
    [
      'Batch size: 100 items is best, with 400 items/s (rule: most items/s of 2 sizes with failures below 1 %; the smallest size within 10 % of it)',
      'Batch size: 5 items (of 100) is best, with 45 items/s or 4.5 x size 1 (rule: most items/s of 2 sizes with failures below 1 %; the smallest size within 10 % of it)',
    ],
  );
  assert.deepEqual(
    found.map(({ phase }) => phase),
    ['size-100', 'split-size-5'],
  );
});
