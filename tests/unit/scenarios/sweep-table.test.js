import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countedIn, near, runOf, signal, summary } from '../analysis/build.js';
import { rowsOf } from './rows-of.js';

/**
 * @param {string} setting
 * @param {Record<string, number[]>} made calls of 20 s, by value and round
 * @param {{failed?: Record<string, number>, counts?: Record<string, number>, trialS?: number}} [rest]
 */
async function sweepOf(setting, made, { failed = {}, counts = {}, trialS = 20 } = {}) {
  const values = Object.keys(made);
  const repeats = Math.max(...Object.values(made).map((runs) => runs.length));
  const phases = values.flatMap((value, index) =>
    (made[value] ?? []).map((iterations, round) => ({
      name: `v${index + 1}-r${round + 1}`,
      offered_rps: null,
      vus: 50,
      labels: { [setting]: value, round: round + 1 },
      figures: { iterations, p99: 100 + 10 * round, failures: { tool: failed[value] ?? 0 } },
    })),
  );
  const trials = { trials: [], error: null, result: { setting, values, repeats, trialS, needed: {} } };
  const run = await runOf(
    { summary: summary({ phases, plan: { test: 'sweep' } }), trials },
    {
      signals: phases.map(({ name }, index) => signal('cpu', name, index / 4)),
      increases: countedIn(phases, counts),
    },
  );
  const [table] = run.tables;
  const statement = run.findings.find(({ subject }) => subject === setting)?.statement ?? '';
  return { rows: rowsOf(table), notes: table?.notes.join(' ') ?? '', title: table?.title, statement };
}

test('a value has the geometric mean of its runs, the median of their p99, the mean of their CPU', async () => {
  const { rows, title } = await sweepOf(
    'WORKERS',
    { 1: [2000, 2200, 2400], 2: [4000, 4200, 4400] },
    {
      counts: {
        'request_duration_seconds_count{job="target",method="tools/call"}': 100,
        'database_query_duration_seconds_count{job="target",query_type!="transaction"}': 250,
        'pool_acquire_duration_seconds_count{job="target"}': 100,
        'pool_acquire_duration_seconds_bucket{job="target",le="0.001"}': 85,
        'cache_hits_total{job="target"}': 30,
        'cache_misses_total{job="target"}': 10,
      },
    },
  );
  assert.equal(title, 'Sweep of WORKERS');
  const [first, second] = rows;
  near([first?.WORKERS, first?.p99, first?.CPU, first?.memory], ['1', 110, 0.25, null]);
  const [one, two] = [(100 * 110 * 120) ** (1 / 3), (200 * 210 * 220) ** (1 / 3)];
  assert.ok(Math.abs(Number(first?.calls) - one) < 0.01);
  assert.ok(Math.abs(Number(first?.['vs best']) - one / two) < 0.001);
  assert.equal(second?.['vs best'], 1);
  assert.deepEqual([first?.waited, first?.hits, first?.queries], [0.15, 0.75, 2.5]);
});

test('the least of what does the most is recommended, with its reason', async () => {
  const { statement } = await sweepOf('WORKERS', {
    1: [2000, 2010, 2020],
    2: [4000, 4020, 4040],
    4: [4010, 4030, 4050],
  });
  assert.match(
    statement,
    /^WORKERS=2 is recommended: 201\/s, the smallest value without a significant difference to 4, the fastest with 201\/s, 2 x 1 with 100\/s$/,
  );
});

test('what a round has in common is no difference between values, and hides none', async () => {
  // The machine is twice as fast in the second round: unpaired, the two would overlap.
  const { statement, notes } = await sweepOf('WORKERS', { 1: [2000, 4010, 3000], 2: [2400, 4790, 3610] });
  assert.match(statement, /^WORKERS=2 is recommended: .*, 1\.2 x 1 with /);
  assert.match(notes, /Values differ if one has at least 1\.0\d+ x the calls of the other/);
});

test('down from the fastest, not below one that does less', async () => {
  const made = {
    2: [3950, 4130, 3990],
    5: [2000, 2010, 2020],
    10: [4000, 4020, 4040],
    25: [3990, 4080, 4010],
  };
  const { statement } = await sweepOf('POOL_SIZE', made);
  assert.match(statement, /^POOL_SIZE=(10|25) is recommended: /);
});

test('of names the fastest is', async () => {
  const { statement } = await sweepOf('CACHE_STRATEGY', {
    none: [2000, 2010, 2020],
    'read-through': [4000, 4020, 4040],
    'write-behind': [4010, 4030, 4050],
  });
  assert.match(
    statement,
    /^CACHE_STRATEGY=write-behind is recommended: 20\d\/s, .* x none with .*; no significant difference to read-through$/,
  );
});

test('what may be chance is no difference; one run per side is inconclusive', async () => {
  const close = await sweepOf('COMPRESSION', { none: [2000, 3000, 2500], gzip: [2400, 2600, 2900] });
  assert.match(
    close.statement,
    /^no significant difference between none, gzip: at most 1\.0\d+ x, and up to [\d.]+ x may be chance/,
  );
  const once = await sweepOf('COMPRESSION', { none: [2000], gzip: [4000] });
  assert.match(once.statement, /^the best value is inconclusive: each was measured only once/);
  const twice = await sweepOf('COMPRESSION', { none: [2000, 2010], gzip: [4000, 4020] });
  assert.match(twice.statement, /^the best value is inconclusive: each was measured only twice/);
  assert.deepEqual([once.rows[0]?.calls, once.rows[0]?.['vs best']], [100, 0.5]);
});

test('a value whose calls fail is out of the question', async () => {
  const made = { 1: [9000, 9010, 9020], 2: [4000, 4020, 4040], 4: [2000, 2010, 2020] };
  const { statement } = await sweepOf('POOL_SIZE', made, { failed: { 1: 200 } });
  assert.match(statement, /^POOL_SIZE=2 is recommended: .* 2 x 4 with .*; excluded for failures: 1$/);
  const { statement: none } = await sweepOf('POOL_SIZE', { 1: [900, 910] }, { failed: { 1: 200 } });
  assert.match(none, /^no value can be recommended/);
});

test('what a sweep can not show is said below its table', async () => {
  const { notes } = await sweepOf('CACHE_TTL', { 1: [2000], 300: [4000] });
  assert.match(notes, /so a CACHE_TTL of 300 s has the same effect as no expiry/);
  const other = await sweepOf('CONTENT', { structured: [2000], text: [4000] });
  assert.match(other.notes, /MessagePack.*not wire formats of MCP/);
});
