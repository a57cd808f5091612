import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sortedRows, tableOf, transformed } from '../../../viewer/page/transformations.js';

/** @param {string} refId @param {[Record<string, string>, number | null][]} all */
const frames = (refId, all) => all.map(([labels, value]) => ({ refId, name: '', labels, values: [value] }));
/** @param {string} refId @param {[Record<string, string>, number | null][]} all */
const table = (refId, all) => tableOf(frames(refId, all), refId, false, 100);

test('labels become columns beside time and value', () => {
  assert.deepEqual(tableOf(frames('A', [[{ b: '1', a: '2' }, 3]]), 'A', true, 100), {
    columns: [
      { name: 'Time', refId: 'A', isLabel: false },
      { name: 'a', refId: 'A', isLabel: true },
      { name: 'b', refId: 'A', isLabel: true },
      { name: 'Value', refId: 'A', isLabel: false },
    ],
    rows: [[100_000, '2', '1', 3]],
  });
});

test('merge joins rows by what the tables share, also where one has no answer', () => {
  const tables = [
    table('A', [
      [{ phase: 'x' }, 1],
      [{ phase: 'y' }, 2],
    ]),
    table('B', []),
    table('C', [[{ phase: 'y' }, 5]]),
  ];
  const { columns, rows } = transformed(tables, [{ id: 'merge' }]);
  assert.deepEqual(
    columns.map(({ name }) => name),
    ['Time', 'phase', 'Value #A', 'Value #B', 'Value #C'],
  );
  assert.deepEqual(rows, [
    [100_000, 'x', 1, null, null],
    [100_000, 'y', 2, null, 5],
  ]);
});

test('organize leaves out, orders and renames', () => {
  const { columns, rows } = transformed(
    [table('A', [[{ phase: 'x' }, 1]])],
    [
      {
        id: 'organize',
        options: {
          excludeByName: { Time: true },
          indexByName: { 'Value #A': 0, phase: 1 },
          renameByName: { phase: 'Phase', 'Value #A': 'Requests' },
        },
      },
    ],
  );
  assert.deepEqual(
    columns.map(({ name }) => name),
    ['Requests', 'Phase'],
  );
  assert.deepEqual(rows, [[1, 'x']]);
});

test('nothing at all is an empty table', () => {
  assert.deepEqual(transformed([], [{ id: 'merge' }]), { columns: [], rows: [] });
  assert.deepEqual(transformed([table('A', [])], [{ id: 'merge' }]).rows, []);
});

test('rows sort by number or name, and empty cells are last either way', () => {
  const rows = [
    ['b10', 2],
    ['b9', null],
    ['a', 10],
  ];
  const all = { columns: [], rows };
  /** @param {number} column @param {boolean} descending */
  const first = (column, descending) => sortedRows(all, column, descending).map(([name]) => name);
  assert.deepEqual(first(0, false), ['a', 'b9', 'b10']);
  assert.deepEqual(first(1, false), ['b10', 'a', 'b9']);
  assert.deepEqual(first(1, true), ['a', 'b10', 'b9']);
});
