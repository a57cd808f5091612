/** What several generators measured, added up, is what one would have. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { inScope, latenciesOf, total } from '../../../analysis/collect/groups.ts';
import { readMeasured } from '../../../analysis/collect/measured.ts';
import { readLines, sumsWithin } from '../../../analysis/collect/seconds.ts';
import { SparseHistogram } from '../../../analysis/collect/sparse-histogram.ts';
import { leaveSums, sumOfGenerators } from '../../../analysis/collect/sum-generators.ts';
import { kept } from '../../recorded/recording.ts';
import { measuredDocument } from './build.js';

const root = mkdtempSync(join(tmpdir(), 'sums-'));
after(() => rmSync(root, { recursive: true }));

/** @param {any} one @param {any[]} others @returns {any} */
const sumOf = (one, ...others) => sumOfGenerators([one, ...others]);

const part = (/** @type {any} */ figures, /** @type {any} */ more = {}) => ({
  ...measuredDocument({ phases: [{ name: 'a', figures }] }),
  ...more,
});

test('counts, histograms, gauges and times of two', () => {
  const one = part({ iterations: 10, p99: 5, failures: { tool: 1 }, items: 2, endS: 7 }, { ended: 5 });
  const other = part({ iterations: 20, p99: 50, failures: { tool: 2, connect: 3 }, items: 5, endS: 9 });
  one.groups[1].failedAt = { tool: [100, 300] };
  other.groups[1].failedAt = { tool: [50, 200], connect: [1, 2] };
  one.groups[1].slow = { 40: { trues: 0, total: 10 } };
  other.groups[1].slow = { 40: { trues: 20, total: 20 } };
  const sum = sumOf(one, other);
  const group = sum.groups[1];
  assert.deepEqual(
    [group.requests, group.iterations, group.failed, group.failures],
    [30, 30, 6, { tool: 3, connect: 3 }],
  );
  assert.deepEqual(group.failedAt, { tool: [50, 300], connect: [1, 2] });
  assert.deepEqual(group.slow, { 40: { trues: 20, total: 30 } });
  assert.deepEqual(group.metrics, { mcp_items: { sum: 7 }, mcp_phase_end_seconds: { range: [7, 9] } });
  const durations = [one, other].map(({ groups }) => groups[1].durations.ok);
  assert.equal(group.durations?.ok, new SparseHistogram(...durations).text);
  assert.deepEqual([sum.began, sum.ended, sum.vusMax], [other.began, other.ended, 40]);
  assert.equal(latenciesOf(inScope(sum.groups, { phase: 'a' })).all.count, 30);
});

test("a group that one alone has, and names that are an object's own", () => {
  const one = part({ iterations: 1, failures: JSON.parse('{"__proto__": 2, "constructor": 1}') });
  const other = part({ iterations: 2 });
  other.groups.push({ phase: 'a', operation: 'x', class: 'read', requests: 4 });
  const sum = sumOf(one, other);
  assert.deepEqual(sum.groups.at(-1), { phase: 'a', operation: 'x', class: 'read', requests: 4 });
  assert.deepEqual(Object.entries(sum.groups[1].failures), [
    ['__proto__', 2],
    ['constructor', 1],
  ]);
});

test('thresholds are judged on the sum, and the end is that of the whole', () => {
  const rate = (/** @type {number} */ trues, /** @type {number} */ total) => ({
    ...{ metric: 'm', threshold: 'rate<=0.1', passed: trues / total <= 0.1, hasSamples: total > 0 },
    share: { trues, total },
  });
  const p95 = { metric: 'd', threshold: 'p(95)<5', hasSamples: true };
  const failed = { reason: 'finished', exitCode: 99 };
  const kept = sumOf(
    part({}, { thresholds: [rate(3, 20), { ...p95, passed: true }], end: failed }),
    part({}, { thresholds: [rate(0, 20), { ...p95, passed: true }] }),
  );
  assert.deepEqual(kept.thresholds[0], { ...rate(3, 40) });
  assert.deepEqual(kept.end, { reason: 'finished', exitCode: 0 }, 'what one part alone missed');
  const missed = sumOf(part({}, { thresholds: [rate(9, 20)] }), part({}, { thresholds: [rate(0, 20)] }));
  assert.deepEqual([missed.thresholds[0].passed, missed.end], [false, failed]);
  const apart = sumOf(
    part({}, { thresholds: [{ ...p95, passed: true }] }),
    part({}, { thresholds: [{ ...p95, passed: false }] }),
  );
  assert.deepEqual([apart.thresholds[0].hasSamples, apart.end.exitCode], [false, 0]);
  assert.match(
    apart.thresholds[0].doubt,
    /1 of 2 generators passed it, and their results cannot be combined/,
  );
});

test('one that ended early is how all ended, an abort first', () => {
  const aborted = { reason: 'abort', exitCode: 108, message: 'test aborted: exit 3: nobody there' };
  const killed = { reason: 'signal', exitCode: 105 };
  assert.deepEqual(sumOf(part({}), part({}, { end: killed })).end, killed);
  assert.deepEqual(sumOf(part({}, { end: killed }), part({}, { end: aborted })).end, aborted);
});

test('a recorded run twice: every count is twice as much, in its seconds too, and no percentile moves', async () => {
  const { files } = kept('sessions');
  const generators = ['one', 'two'].map((name) => {
    const folder = join(root, name);
    mkdirSync(folder);
    for (const file of ['measured.json', 'seconds.jsonl'])
      writeFileSync(join(folder, file), files[file] ?? '');
    const measured = readMeasured(folder);
    assert.ok(measured);
    return { measured, folder };
  });
  const into = join(root, 'sum');
  mkdirSync(into);
  await leaveSums(generators, into);
  const sum = readMeasured(into);
  const [one] = generators.map(({ measured }) => measured);
  assert.ok(sum && one);
  for (const { phase } of one.groups) {
    const twice = inScope(sum.groups, { phase });
    const once = inScope(one.groups, { phase });
    for (const name of /** @type {const} */ (['requests', 'iterations', 'bytesSent', 'bytesReceived']))
      assert.equal(total(twice, name), 2 * total(once, name), `${name} of ${phase}`);
    const a = latenciesOf(twice).latency;
    const b = latenciesOf(once).latency;
    assert.deepEqual([a?.min, a?.max], [b?.min, b?.max]);
  }
  const span = { fromS: 0, toS: 0 };
  const seconds = readFileSync(join(into, 'seconds.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const times = seconds.flatMap(({ at }) => at ?? []).sort();
  Object.assign(span, { fromS: times[0], toS: (times.at(-1) ?? 0) + 1 });
  const [both] = sumsWithin(await readLines(into), [span]);
  const [single] = sumsWithin(await readLines(join(root, 'one')), [span]);
  assert.ok(both && single && single.requests > 0);
  assert.deepEqual(
    [both.requests, both.iterations, both.vus],
    [2 * single.requests, 2 * single.iterations, 2 * (single.vus ?? 0)],
  );
  assert.equal(both.latencies.all.percentile(1), single.latencies.all.percentile(1));
});

test('a histogram is written as it was read', () => {
  const texts = kept('sessions').files['measured.json']?.match(/(?<="(ok|lateness|values)":")[^"]+/g) ?? [];
  assert.ok(texts.length > 1);
  for (const text of texts) assert.equal(new SparseHistogram(text).text, text);
});

test('a second that was cut off, and one of a group that nobody named, are left out', async () => {
  const lines = [
    '{"group":0,"phase":"a","operation":""}',
    '{"at":5,"vus":1,"vusMax":1,"warmup":0,"groups":{"0":{"requests":2},"7":{"requests":9}}}',
    '{"at":6,"vus',
  ];
  const folder = join(root, 'cut');
  mkdirSync(folder);
  writeFileSync(join(folder, 'seconds.jsonl'), lines.join('\n'));
  const into = join(root, 'of-cut');
  mkdirSync(into);
  await leaveSums([{ measured: part({}), folder }], into);
  const [name, second, ...more] = readFileSync(join(into, 'seconds.jsonl'), 'utf8').trim().split('\n');
  assert.deepEqual(JSON.parse(name ?? ''), { group: 0, phase: 'a', operation: '' });
  assert.deepEqual(JSON.parse(second ?? ''), {
    at: 5,
    vus: 1,
    vusMax: 1,
    warmup: 0,
    groups: { 0: { requests: 2 } },
  });
  assert.deepEqual(more, []);
});
