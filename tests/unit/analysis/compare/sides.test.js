import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { makeBaseline } from '../../../../analysis/compare/baseline.ts';
import { optionsOf } from '../../../../analysis/compare/options.ts';
import { readSide } from '../../../../analysis/compare/sides.ts';
import { digest, run, store } from './build.js';

const folder = mkdtempSync(join(tmpdir(), 'mcp-load-lab-compare-'));
after(() => rmSync(folder, { recursive: true }));
const places = { results: join(folder, 'results'), baselines: join(folder, 'baselines') };
for (const testid of ['spike-1', 'spike-2', 'soak-1']) store(places.results, await run({ testid }));
symlinkSync('spike-2', join(places.results, 'latest'));
mkdirSync(places.baselines);
const kept = makeBaseline(
  'main',
  [await digest({ testid: 'old-2', day: 2 }), await digest({ testid: 'old-1' })],
  {
    includeFailed: false,
  },
);
writeFileSync(join(places.baselines, 'main.json'), JSON.stringify(kept));

/** @param {string} text */
const testids = (text) => readSide('BASE', text, places).digests.map(({ testid }) => testid);

test('runs are named by testid, glob, folder, file or baseline, and all of them together', () => {
  assert.deepEqual(testids('spike-1'), ['spike-1']);
  assert.deepEqual(testids('spike-*'), ['spike-1', 'spike-2'], 'the link to the newest is no run of its own');
  assert.deepEqual(testids('s?ak-1, spike-2'), ['soak-1', 'spike-2']);
  assert.deepEqual(testids(join(places.results, 'spike-1')), ['spike-1']);
  assert.deepEqual(testids(join(places.results, 'spike-1', 'run.json')), ['spike-1']);
  assert.deepEqual(testids('latest'), ['spike-2']);
  assert.deepEqual(testids('main'), ['old-1', 'old-2']);
});

test('what is none is refused with what there is', () => {
  assert.throws(() => testids(''), /BASE is empty; valid: testids \(.*\) or globs/);
  assert.throws(
    () => testids('nope'),
    /BASE has "nope"; valid: testids \(.*spike-1.*\) .*, names of baselines \(main\)/,
  );
  assert.throws(() => testids('nope-*'), /BASE has "nope-\*"/);
  const withHint = (/** @type {string} */ item) =>
    readSide('BASE', item, places, (name) => `create it with: NAME=${name}`);
  assert.throws(() => withHint('nope'), /there is no baseline "nope"; create it with: NAME=nope$/);
  for (const item of ['nope-*', './nope', 'spike-20260102T030405Z-ab12'])
    assert.throws(() => withHint(item), /BASE has ".*"; valid: testids/, 'not the name of a baseline');
  const odd = join(folder, 'odd.json');
  writeFileSync(odd, '{"schema": "other"}');
  assert.throws(() => testids(odd), /it is neither a run document nor a baseline/);
  writeFileSync(odd, 'root:x:0:0');
  assert.throws(
    () => testids(odd),
    ({ message }) => /: it cannot be read as JSON$/.test(message) && !message.includes('root'),
  );
  writeFileSync(odd, JSON.stringify({ ...kept, runs: [] }));
  assert.throws(() => testids(odd), /it is not a baseline: \/runs/);
});

test('a baseline is small, in a stable order, and all that a comparison needs', async () => {
  const digests = [await digest({ testid: 'b', day: 2 }), await digest({ testid: 'a' })];
  const forth = makeBaseline('main', digests, { includeFailed: false });
  assert.deepEqual(makeBaseline('main', digests.toReversed(), { includeFailed: false }), forth);
  assert.deepEqual(
    forth.runs.map(({ testid }) => testid),
    ['a', 'b'],
  );
  const text = JSON.stringify(forth, null, 2);
  assert.ok(text.length < 3000, `${text.length} bytes of two runs`);
  assert.ok(!text.includes('127.0.0.1') && !text.includes('http'), 'nothing of where the target is');
  const path = join(places.baselines, 'two.json');
  writeFileSync(path, text);
  assert.deepEqual(
    readSide('BASE', 'two', places).digests.map(({ values }) => values),
    digests.toReversed().map(({ values }) => values),
  );
  assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), forth);
});

test('a baseline is of runs that can be compared', async () => {
  const one = await digest();
  const invalid = await digest({ testid: 'odd', verdict: { outcome: 'invalid', reasons: ['too busy'] } });
  const options = { includeFailed: false };
  assert.throws(
    () => makeBaseline('x', [one, invalid], options),
    /odd cannot be part of a baseline: invalid: too busy/,
  );
  const other = await digest({ testid: 'other', rate: 7 });
  assert.throws(() => makeBaseline('x', [one, other], options), /these runs are not comparable/);
  assert.throws(() => makeBaseline('x', [], options), /needs at least one run/);
});

test('options are checked as variables are', () => {
  const options = optionsOf({
    METRICS: 'p99, throughput',
    MIN_EFFECT: 'p99=0.05',
    ALLOW_SINGLE_RUN: '1',
    OPERATIONS: '',
  });
  assert.deepEqual(options, {
    metrics: ['p99', 'throughput'],
    least: { p99: 0.05 },
    operations: false,
    includeFailed: false,
    allowSingle: true,
  });
  assert.throws(() => optionsOf({ METRICS: 'p98' }), /METRICS has "p98"; valid: throughput, p50, /);
  assert.throws(
    () => optionsOf({ METRICS: 'p99,,p50' }),
    /METRICS is "p99,,p50"; valid: items separated by single commas/,
  );
  assert.throws(() => optionsOf({ MIN_EFFECT: 'p99' }), /MIN_EFFECT has "p99"; valid: a metric and a number/);
  assert.throws(() => optionsOf({ MIN_EFFECT: 'p99=-1' }), /MIN_EFFECT has "p99=-1"/);
  assert.throws(() => optionsOf({ MIN_EFFECT: 'x=1' }), /MIN_EFFECT has "x"; valid: throughput/);
  assert.throws(() => optionsOf({ INCLUDE_FAILED: 'yes' }), /INCLUDE_FAILED is "yes"; valid: 0, 1/);
});
