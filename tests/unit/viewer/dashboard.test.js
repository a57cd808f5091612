/** What the viewer makes of a dashboard's JSON as a whole: what it does not know, where panels are, where links lead. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf } from '../../../viewer/newest-run.js';
import { linksOf, readAddress, writeAddress } from '../../../viewer/page/address.js';
import { panelsOf, placesIn, rowsOf } from '../../../viewer/page/dashboard-layout.js';
import { RequestQueue } from '../../../viewer/page/request-queue.js';
import { unsupported } from '../../../viewer/page/unsupported.js';
import { dashboardFiles } from '../../../viewer/server.js';

test('the viewer knows all that the dashboards have', () => {
  const files = dashboardFiles();
  assert.ok(files.length > 0);
  for (const { uid, dashboard } of files) assert.deepEqual(unsupported(dashboard), [], uid);
});

const PANEL = {
  id: 3,
  type: 'timeseries',
  title: 'T',
  gridPos: { x: 0, y: 0, w: 12, h: 8 },
  options: {},
  fieldConfig: { defaults: { custom: {} }, overrides: [] },
  targets: [{ refId: 'A', expr: 'up' }],
};

test('what it does not know is found, with its place', () => {
  for (const [change, expected] of /** @type {[any, RegExp][]} */ ([
    [{ type: 'piechart' }, /panel 3 "T": type is "piechart"; timeseries, stat/],
    [{ repeat: 'operation' }, /panel 3 "T": repeat is "operation"/],
    [{ transparent: true }, /transparent is true; false are known/],
    [
      { options: { legend: { placement: 'right' } } },
      /options: legend.placement is "right"; "bottom" are known/,
    ],
    [{ fieldConfig: { defaults: { unit: 'furlongs' } } }, /defaults: unit is "furlongs"/],
    [
      { fieldConfig: { defaults: { color: { mode: 'continuous-GrYlRd' } } } },
      /color.mode is "continuous-GrYlRd"/,
    ],
    [{ fieldConfig: { defaults: { links: [{ url: 'x' }] } } }, /links.\[\].url is "x"/],
    [
      { fieldConfig: { overrides: [{ matcher: { id: 'byType', options: 'number' }, properties: [] }] } },
      /override for byType/,
    ],
    [
      {
        fieldConfig: {
          overrides: [
            {
              matcher: { id: 'byName', options: 'a' },
              properties: [{ id: 'custom.gradientMode', value: 'hue' }],
            },
          ],
        },
      },
      /override for a: custom.gradientMode is "hue"/,
    ],
    [{ transformations: [{ id: 'joinByField', options: {} }] }, /transformations.\[\].id is "joinByField"/],
    [{ targets: [{ refId: 'A', expr: 'up', exemplar: true }] }, /query A: exemplar is true/],
    [{ targets: [{ refId: 'A', expr: 'up', instant: true, range: true }] }, /query A is both/],
  ])) {
    const found = unsupported({ panels: [{ ...PANEL, ...change }] });
    assert.equal(found.length, 1, `${JSON.stringify(change)}: ${found}`);
    assert.match(found[0] ?? '', expected);
  }
  assert.deepEqual(unsupported({ panels: [PANEL] }), []);
});

test('variables, annotations and links that it does not know, too', () => {
  const variable = { type: 'query', name: 'v', query: { query: 'label_values(up, job)' } };
  assert.match(
    String(unsupported({ templating: { list: [variable] } })),
    /variable v: the query is .*query_result\(...\) is known/,
  );
  assert.match(
    String(unsupported({ templating: { list: [{ type: 'custom', name: 'v', query: 'a', multi: true }] } })),
    /multi is true/,
  );
  assert.match(
    String(
      unsupported({
        annotations: { list: [{ name: 'a', enable: true, filter: {}, expr: 'x', fromAlert: 1 }] },
      }),
    ),
    /annotation a: fromAlert/,
  );
  assert.match(
    String(unsupported({ links: [{ type: 'link', url: 'http://x' }] })),
    /links.\[\].type is "link"/,
  );
});

test('rows hold the panels below them, or their own where they are collapsed', () => {
  const at = (/** @type {number} */ id, /** @type {number} */ y) => ({
    ...PANEL,
    id,
    gridPos: { ...PANEL.gridPos, y },
  });
  const dashboard = {
    panels: [
      at(1, 0),
      { type: 'row', id: 10 },
      at(2, 9),
      at(3, 17),
      { type: 'row', id: 20, collapsed: true, panels: [at(4, 30)] },
    ],
  };
  assert.deepEqual(
    rowsOf(dashboard).map(({ row, panels }) => [row?.id ?? null, panels.map(({ id }) => id)]),
    [
      [null, [1]],
      [10, [2, 3]],
      [20, [4]],
    ],
  );
  assert.deepEqual(
    panelsOf(dashboard).map(({ id }) => id),
    [1, 2, 3, 4],
  );
  assert.deepEqual(
    placesIn([at(2, 9), at(3, 17)]).map(({ line, column, width }) => [line, column, width]),
    [
      [1, 1, 12],
      [9, 1, 12],
    ],
  );
});

test('the address bar is read and written without loss', () => {
  const address = readAddress(
    new URL('http://x/d/mcp-spike?var-testid=a%26b&from=now-1h&to=now&refresh=off&theme=light&viewPanel=3'),
  );
  assert.deepEqual(address, {
    uid: 'mcp-spike',
    from: 'now-1h',
    to: 'now',
    refresh: 'off',
    theme: 'light',
    viewPanel: '3',
    variables: { testid: 'a&b' },
  });
  assert.deepEqual(readAddress(new URL(writeAddress(address), 'http://x')), address);
  assert.equal(readAddress(new URL('http://x/d/a?theme=pink')).theme, null);
});

test('links keep time and variables where they say so, the overview first', () => {
  const here = readAddress(new URL('http://x/d/b?var-testid=r&from=1&to=2&viewPanel=3'));
  const dashboards = [
    { uid: 'host', title: 'A host', tags: ['lab'] },
    { uid: 'b', title: 'B', tags: ['lab'] },
    { uid: 'mcp-overview', title: 'Load test', tags: ['lab'] },
    { uid: 'other', title: 'Other', tags: [] },
  ];
  const links = linksOf(
    { type: 'dashboards', tags: ['lab'], keepTime: true, includeVars: true },
    here,
    dashboards,
  );
  assert.deepEqual(
    links.map(({ text, isHere }) => [text, isHere]),
    [
      ['Load test', false],
      ['A host', false],
      ['B', true],
    ],
  );
  assert.equal(links[0]?.href, '/d/mcp-overview?var-testid=r&from=1&to=2');
  assert.equal(linksOf({ type: 'dashboards', tags: ['lab'] }, here, dashboards)[0]?.href, '/d/mcp-overview');
});

test('no more requests at a time than there are places, and each gets its turn', async () => {
  const queue = new RequestQueue(2);
  let running = 0;
  let most = 0;
  const order = await Promise.allSettled(
    Array.from({ length: 7 }, (_, index) =>
      queue.run(async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setTimeout(resolve, 2));
        running -= 1;
        if (index === 1) throw new Error('one fails');
        return index;
      }),
    ),
  );
  assert.equal(most, 2);
  assert.deepEqual(
    order.map(({ status }) => status === 'fulfilled'),
    [true, false, true, true, true, true, true],
  );
});

test('the dashboards open on the newest run, live where it has only just ended', () => {
  const run = { testid: 'spike-1', started: '2026-01-01T10:00:00Z', ended: '2026-01-01T10:05:00Z' };
  const later = Date.parse('2026-01-02T00:00:00Z');
  assert.equal(
    addressOf(run, later),
    '/d/mcp-overview?var-testid=spike-1&from=1767261585000&to=1767261915000',
  );
  assert.equal(addressOf(run, Date.parse('2026-01-01T10:09:00Z')), '/d/mcp-overview');
  assert.equal(addressOf(null, later), '/d/mcp-overview');
  assert.equal(addressOf({ testid: 'x', started: null, ended: null }, later), '/d/mcp-overview');
});
