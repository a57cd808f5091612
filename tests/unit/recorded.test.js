/** Runs as they once were (tests/recorded): judged again they are judged the same, and the output lab counts of them what k6 counted. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { judge } from '../../analysis/judge.js';
import { readMeasured } from '../../analysis/measured.ts';
import { SparseHistogram } from '../../analysis/sparse-histogram.ts';
import { command } from '../lab.js';
import { FOLDER, kept, recordedRuns, replaying } from '../recorded/recording.ts';
import { RUNS } from '../recorded/runs.js';

const folder = mkdtempSync(join(tmpdir(), 'recorded-'));
after(() => rmSync(folder, { recursive: true }));

/** Of which every sample is kept. */
const runs = recordedRuns()
  .map((name) => ({ name, files: kept(name) }))
  .filter(({ files }) => files['samples.csv'] !== undefined);

test('every run that is named is recorded', () => {
  assert.deepEqual(recordedRuns(), Object.keys(RUNS).sort());
});

for (const { name, files } of runs)
  test(`${name} is judged as it was`, async () => {
    const then = JSON.parse(files['run.json'] ?? '');
    const directory = join(folder, name, then.testid);
    mkdirSync(directory, { recursive: true });
    for (const file of ['plan.json', 'summary.json', 'host-watch.json', 'k6.log'])
      if (files[file] !== undefined) writeFileSync(join(directory, file), files[file]);
    const told = JSON.parse(files['told.json'] ?? '');
    const code = await replaying(JSON.parse(files['prometheus.json'] ?? ''), () =>
      judge({ directory, prometheus: 'http://127.0.0.1:9', streamedUntilS: null, print: () => {}, ...told }),
    );
    const now = JSON.parse(readFileSync(join(directory, 'run.json'), 'utf8'));
    assert.equal(code, then.verdict.exit_code);
    // That of this machine, and of this version.
    assert.deepEqual({ ...now, environment: then.environment }, then);
  });

/** @param {number[]} sorted @param {number} share */
const nearestRank = (sorted, share) => sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? 0;

test('the output lab counts what was counted', async (t) => {
  const env = { REPLAY_FROM: FOLDER, REPLAY_TO: folder };
  const replay = ['-C', 'xk6-mcp', 'test', '-count=1', '-run', '^TestReplay$', './lab'];
  const { code, output } = await command('go', replay, env);
  assert.equal(code, 0, output);
  for (const { name, files } of runs)
    await t.test(name, () => {
      const measured = readMeasured(join(folder, name));
      assert.ok(measured);
      const { phases } = JSON.parse(files['run.json'] ?? '');
      const durations = parse(files['samples.csv'] ?? '', { columns: true }).filter(
        (/** @type {any} */ row) => row.metric_name === 'mcp_request_duration',
      );
      for (const phase of phases.filter((/** @type {any} */ one) => one.measured)) {
        /** @type {any[]} */
        const groups = measured.groups.filter((group) => group.phase === phase.name);
        const sum = (/** @type {string} */ of) =>
          groups.reduce((total, group) => total + (group[of] ?? 0), 0);
        assert.equal(sum('requests'), phase.requests ?? 0, `${phase.name} requests`);
        assert.equal(sum('failed'), phase.failed ?? 0, `${phase.name} failed`);
        assert.equal(sum('dropped'), phase.dropped ?? 0, `${phase.name} dropped`);
        const exact = durations
          .filter((/** @type {any} */ row) => new URLSearchParams(row.extra_tags).get('phase') === phase.name)
          .map((/** @type {any} */ row) => Number(row.metric_value))
          .sort((/** @type {number} */ a, /** @type {number} */ b) => a - b);
        const counted = new SparseHistogram(...groups.map(({ duration }) => duration));
        assert.equal(counted.count, exact.length, `${phase.name} answered`);
        for (const share of exact.length > 0 ? [0.5, 0.95, 0.99, 1] : []) {
          const [is, was] = [counted.percentile(share) ?? 0, nearestRank(exact, share)];
          assert.ok(
            Math.abs(is / was - 1) <= 0.001,
            `${phase.name} p${share * 100}: ${is} ms, and not ${was}`,
          );
        }
      }
    });
});
