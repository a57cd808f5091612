/** From Prometheus' answer to what is drawn: series on a grid, names, figures, colours, marks, cells. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { marksOf } from '../../../viewer/page/annotations.js';
import { cssColor, paletteColor, textColor } from '../../../viewer/page/colors.js';
import { newFrom } from '../../../viewer/page/data-source.js';
import { colorOf, fieldConfig } from '../../../viewer/page/field-config.js';
import { columnsOf, extentOf } from '../../../viewer/page/histogram-cells.js';
import { fillLabels, seriesName } from '../../../viewer/page/legend.js';
import { mapped } from '../../../viewer/page/mappings.js';
import { isEmpty, panelData, queriesOf } from '../../../viewer/page/panel-queries.js';
import { fromInstant, fromRange, gridOf, joined, timesOf } from '../../../viewer/page/prometheus-answer.js';
import { reduce } from '../../../viewer/page/reduce.js';
import { stacked } from '../../../viewer/page/render/stacking.js';
import { limits, thresholdColor } from '../../../viewer/page/thresholds.js';

/** @param {Record<string, string>} metric @param {[number, string][]} values */
const matrix = (metric, values) => ({ resultType: 'matrix', result: [{ metric, values }] });

test('samples come to their place on the grid, gaps stay gaps, and what can not be drawn is one', () => {
  const grid = gridOf({ fromS: 100, toS: 120 }, 5);
  assert.deepEqual(timesOf(grid), [100, 105, 110, 115, 120]);
  const { series } = fromRange(
    matrix({ a: 'b' }, [
      [100, '1'],
      [110, 'NaN'],
      [115, '+Inf'],
      [120, '4.5'],
    ]),
    grid,
  );
  assert.deepEqual(series, [{ labels: { a: 'b' }, values: [1, null, null, null, 4.5] }]);
  assert.throws(
    () => fromRange({ resultType: 'vector', result: [] }, grid),
    /answered a vector, expected a matrix/,
  );
});

test('an instant answer is one moment, a scalar too', () => {
  const data = { resultType: 'vector', result: [{ metric: { a: 'b' }, value: [100, '3'] }] };
  assert.deepEqual(fromInstant(data, 100).series, [{ labels: { a: 'b' }, values: [3] }]);
  assert.deepEqual(fromInstant({ resultType: 'scalar', result: [100, '7'] }, 100).series[0]?.values, [7]);
});

test('native histograms keep their buckets', () => {
  const histogram = { count: '3', sum: '1', buckets: [[0, '0.5', '1', '3']] };
  const data = { resultType: 'matrix', result: [{ metric: {}, histograms: [[105, histogram]] }] };
  const { series } = fromRange(data, gridOf({ fromS: 100, toS: 105 }, 5));
  assert.deepEqual(series[0]?.histograms, [null, [[0.5, 1, 3]]]);
});

test('what is fetched anew is joined to what is known', () => {
  const older = fromRange(
    {
      resultType: 'matrix',
      result: [
        { metric: { s: 'old' }, values: [[100, '1']] },
        { metric: { s: 'both' }, values: [100, 105, 110, 115].map((time) => [time, '2']) },
      ],
    },
    gridOf({ fromS: 100, toS: 115 }, 5),
  );
  const newer = fromRange(
    {
      resultType: 'matrix',
      result: [
        { metric: { s: 'new' }, values: [[120, '9']] },
        { metric: { s: 'both' }, values: [110, 115, 120].map((time) => [time, '3']) },
      ],
    },
    gridOf({ fromS: 110, toS: 120 }, 5),
  );
  const { grid, series } = joined(older, newer, 105);
  assert.deepEqual(timesOf(grid), [105, 110, 115, 120]);
  // The one that is no longer in the range is gone, and the others keep their order, and so their colours.
  assert.deepEqual(series, [
    { labels: { s: 'both' }, values: [2, 3, 3, 3] },
    { labels: { s: 'new' }, values: [null, null, null, 9] },
  ]);
});

test('only the tail is fetched where step and range allow it', () => {
  const grid = gridOf({ fromS: 1000, toS: 1900 }, 5);
  assert.equal(newFrom(grid, { fromS: 1005, toS: 1905 }, 5), 1870);
  assert.equal(newFrom(grid, { fromS: 1005, toS: 1905 }, 10), null);
  assert.equal(newFrom(grid, { fromS: 900, toS: 1905 }, 5), null);
  assert.equal(newFrom(grid, { fromS: 1890, toS: 2000 }, 5), null);
  assert.equal(newFrom(grid, { fromS: 1005, toS: 1800 }, 5), null);
});

test('the names of series', () => {
  assert.equal(seriesName('{{ phase }} p99', { phase: 'spike' }), 'spike p99');
  assert.equal(seriesName('{{none}} p99', {}), 'p99');
  assert.equal(seriesName('', { __name__: 'up', job: 'a' }), 'up{job="a"}');
  assert.equal(seriesName('__auto', { __name__: 'up' }), 'up');
  assert.equal(fillLabels('{{a}}: {{b}}', { a: '1', b: '{{a}}' }), '1: {{a}}');
});

test('a series as one number', () => {
  const values = [null, 1, 4, null, 1, null];
  for (const [calc, expected] of Object.entries({
    mean: 2,
    max: 4,
    min: 1,
    lastNotNull: 1,
    last: null,
    firstNotNull: 1,
    sum: 6,
    count: 3,
    range: 3,
    diff: 0,
  })) {
    assert.equal(reduce(calc, values), expected, calc);
  }
  assert.equal(reduce('mean', [null]), null);
});

test('overrides by name, query and expression, later ones last', () => {
  const panel = {
    fieldConfig: {
      defaults: { unit: 's', custom: { lineWidth: 2 } },
      overrides: [
        {
          matcher: { id: 'byFrameRefID', options: 'B' },
          properties: [
            { id: 'color', value: { mode: 'fixed', fixedColor: 'red' } },
            { id: 'custom.drawStyle', value: 'bars' },
          ],
        },
        { matcher: { id: 'byName', options: 'a' }, properties: [{ id: 'unit', value: 'bytes' }] },
        { matcher: { id: 'byRegexp', options: '/^a/' }, properties: [{ id: 'unit', value: 'short' }] },
      ],
    },
  };
  assert.equal(fieldConfig(panel, { name: 'x', refId: 'A' }).unit, 's');
  assert.equal(fieldConfig(panel, { name: 'a', refId: 'A' }).unit, 'short');
  const config = fieldConfig(panel, { name: 'x', refId: 'B' });
  assert.deepEqual(config.custom, { lineWidth: 2, drawStyle: 'bars' });
  assert.equal(colorOf(config, 0, null, 'dark'), cssColor('red', 'dark'));
  assert.equal(colorOf({ custom: {} }, 1, null, 'light'), paletteColor(1, 'light'));
  assert.notEqual(cssColor('green', 'dark'), cssColor('green', 'light'));
});

test('thresholds', () => {
  const thresholds = {
    mode: 'absolute',
    steps: [
      { color: 'green', value: null },
      { color: 'red', value: 0.8 },
    ],
  };
  assert.equal(thresholdColor(thresholds, 0.79), 'green');
  assert.equal(thresholdColor(thresholds, 0.8), 'red');
  assert.equal(thresholdColor(thresholds, null), 'green');
  assert.deepEqual(limits(thresholds), [{ from: 0.8, color: 'red' }]);
  const shares = {
    mode: 'percentage',
    steps: [
      { color: 'green', value: null },
      { color: 'red', value: 50 },
    ],
  };
  assert.equal(thresholdColor(shares, 5, { min: 0, max: 8 }), 'red');
});

test('words in the place of values', () => {
  const mappings = [
    { type: 'value', options: { 0: { text: 'Yes' } } },
    { type: 'range', options: { from: 2, to: null, result: { text: 'several' } } },
    { type: 'special', options: { match: 'null', result: { text: 'none' } } },
  ];
  assert.equal(mapped(mappings, 0)?.text, 'Yes');
  assert.equal(mapped(mappings, 3)?.text, 'several');
  assert.equal(mapped(mappings, null)?.text, 'none');
  assert.equal(mapped(mappings, 1), null);
});

test('stacked series stand on those before them, with gaps as nothing', () => {
  const config = { custom: { stacking: { mode: 'normal', group: 'A' } } };
  const { tops, bottoms } = stacked([
    { values: [1, null, 2], scale: 'y', config },
    { values: [1, 1, null], scale: 'y', config },
    { values: [5, 5, 5], scale: 'y', config: { custom: {} } },
    { values: [1, 1, 1], scale: 'y', config },
  ]);
  assert.deepEqual(tops, [
    [1, null, 2],
    [2, 1, null],
    [5, 5, 5],
    [3, 2, 3],
  ]);
  assert.deepEqual(bottoms, [null, [1, 0, 2], null, [2, 1, 2]]);
});

test('marks: by value, each once; else from the first of consecutive samples to the last', () => {
  const grid = gridOf({ fromS: 100, toS: 120 }, 5);
  const starts = {
    grid,
    series: [{ labels: { phase: 'spike' }, values: [null, 107_500, 107_500, null, null] }],
  };
  assert.deepEqual(
    marksOf({ name: 'Phases', useValueForTime: true, titleFormat: '{{phase}}', iconColor: 'blue' }, starts),
    [{ fromS: 107.5, toS: 107.5, title: 'spike', text: '', color: 'blue' }],
  );
  const firing = { grid, series: [{ labels: { alertname: 'Slow' }, values: [1, 1, null, 1, 0] }] };
  assert.deepEqual(
    marksOf(
      { name: 'Alerts', titleFormat: '{{alertname}}', textFormat: 'fires', iconColor: 'red' },
      firing,
    ).map(({ fromS, toS }) => [fromS, toS]),
    [
      [100, 105],
      [115, 115],
    ],
  );
});

test('the cells of a heatmap, native and classic', () => {
  /** @param {any} frame */
  const frame = (frame) => ({ refId: 'A', name: '', labels: {}, values: [], ...frame });
  assert.deepEqual(columnsOf([frame({ histograms: [[[1, 2, 3]], null] })], 2), [[[1, 2, 3]], []]);
  const classic = columnsOf(
    [
      frame({ labels: { le: '+Inf' }, values: [6] }),
      frame({ labels: { le: '1' }, values: [2] }),
      frame({ labels: { le: '2' }, values: [5] }),
    ],
    1,
  );
  assert.deepEqual(classic, [
    [
      [0, 1, 2],
      [1, 2, 3],
      [2, 4, 1],
    ],
  ]);
  assert.deepEqual(extentOf(classic, 0), { low: 1, high: 4, most: 3 });
  assert.equal(extentOf([[]], 0), null);
});

test('the queries of a panel', () => {
  const panel = {
    targets: [
      { refId: 'A', expr: 'rate(x{t="$t"}[$__rate_interval])', legendFormat: 'a' },
      { refId: 'B', expr: 'y[$__range]', instant: true, format: 'table' },
      { refId: 'C', expr: 'hidden', hide: true },
    ],
  };
  const range = { fromS: 1001, toS: 1903 };
  const queries = queriesOf(panel, range, 600, { t: 'v' });
  assert.deepEqual(
    queries.map(({ expr, instant, stepS, range: own }) => [expr, instant, stepS, own.fromS, own.toS]),
    [
      ['rate(x{t="v"}[8s])', false, 2, 1000, 1902],
      ['y[902s]', true, 2, 1001, 1903],
    ],
  );
  const empty = panelData(
    queries,
    queries.map(() => ({ grid: gridOf(range, 2), series: [] })),
  );
  assert.ok(isEmpty(empty));
});

test('text in a colour can be read on a panel of either theme, and keeps the colour where it could already', () => {
  /** @param {string} color @returns {number} relative luminance as WCAG 2.1 defines it */
  const luminance = (color) => {
    const parts = [1, 3, 5].map((at) => {
      const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * (parts[0] ?? 0) + 0.7152 * (parts[1] ?? 0) + 0.0722 * (parts[2] ?? 0);
  };
  for (const [theme, panel] of /** @type {const} */ ([
    ['dark', '#181B1F'],
    ['light', '#FFFFFF'],
  ])) {
    const colors = Array.from({ length: 24 }, (_, index) => paletteColor(index, theme));
    for (const color of [...colors, '#000000', '#FFFFFF']) {
      const [high = 0, low = 0] = [luminance(textColor(color, theme)), luminance(panel)].toSorted(
        (a, b) => b - a,
      );
      assert.ok((high + 0.05) / (low + 0.05) >= 4.5, `${color} in ${theme}`);
    }
  }
  assert.equal(textColor('#73bf69', 'dark'), '#73bf69');
});
