/** What the analysis publishes, in a Prometheus with the stack's configuration: read as a dashboard's annotation reads it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Prometheus } from '../../analysis/collect/prometheus.ts';
import { note } from '../../analysis/findings/note.ts';
import { findingSamples } from '../../analysis/report/publish-findings.ts';
import { freePort } from '../lab.js';
import { provideConfig } from '../prometheus-config.js';
import { toolPath } from '../tool.js';

const HOUR = 3600;
const folder = mkdtempSync(join(tmpdir(), 'findings-'));
const port = await freePort();
const program = toolPath('prometheus');
provideConfig('prometheus', program, join(folder, 'prometheus.yml'));
cpSync('provisioning/prometheus/rules', join(folder, 'rules'), { recursive: true });
const server = spawn(
  program,
  [
    `--config.file=${folder}/prometheus.yml`,
    `--storage.tsdb.path=${folder}/data`,
    `--web.listen-address=127.0.0.1:${port}`,
    '@provisioning/prometheus/flags',
  ],
  { stdio: ['ignore', 'ignore', 'pipe'] },
);
let said = '';
server.stderr.on('data', (chunk) => {
  said += chunk;
});
after(async () => {
  server.kill();
  if (server.exitCode === null) await once(server, 'exit');
  rmSync(folder, { recursive: true });
});
const url = `http://127.0.0.1:${port}`;
for (let left = 100; !(await fetch(`${url}/-/ready`).catch(() => null))?.ok; left--) {
  assert.ok(left > 0 && server.exitCode === null, said);
  await sleep(100);
}
const prometheus = new Prometheus(url);

/**
 * @param {string} testid
 * @param {{startedS: number, endedS: number}} when
 */
function run(testid, { startedS, endedS }) {
  const time = (/** @type {number} */ at) => new Date(at * 1000).toISOString();
  return /** @type {import('../../analysis/judge/run.ts').Run} */ ({
    testid,
    started: time(startedS),
    ended: time(endedS),
    phases: /** @type {any} */ ([{ name: 'spike', start: time(startedS + 20) }]),
    findings: [
      note('overload', `"spike" took 1,234/s of {2000}, 5 % of its requests failed: naïve \\d+`, {
        phase: 'spike',
      }),
      note('machine', 'this machine is small'),
    ],
    verdict: { outcome: 'pass', exit_code: 0, reasons: ['5 thresholds held'] },
    headline: 'PASS: 5 thresholds held.',
  });
}

/**
 * @param {string} metric
 * @param {string} testid
 * @param {number} fromS
 * @param {number} toS
 */
async function annotations(metric, testid, fromS, toS) {
  const range = `${Math.round(toS - fromS)}s`;
  const query = `1000 * max_over_time(${metric}{testid="${testid}"}[${range}] offset -${range})`;
  const series = await prometheus.queryRange(query, fromS, toS, 60);
  return series.map(({ labels, points }) => ({
    labels,
    times: [...new Set(points.map(([, value]) => value))],
  }));
}

const now = Math.floor(Date.now() / 1000);
for (const [name, startedS, endedS] of /** @type {[string, number, number][]} */ ([
  ['a run of a minute ago', now - 65, now - 5],
  ['a run that ended more than an hour ago', now - 3 * HOUR, now - 2 * HOUR],
  ['a soak of a day', now - 24 * HOUR - 5, now - 5],
])) {
  test(`${name}: its findings are where they belong, once, with no other labels`, async () => {
    const testid = name.replaceAll(' ', '-');
    const published = run(testid, { startedS, endedS });
    await prometheus.write(findingSamples(published));
    // As when a run is judged again.
    await prometheus.write(findingSamples(published));
    const [overload, machine] = published.findings;
    const common = { testid, kind: 'note', confidence: 'high' };
    assert.deepEqual(await annotations('mcp_finding', testid, startedS, endedS), [
      {
        labels: { ...common, phase: 'spike', subject: 'overload', statement: overload?.statement },
        times: [(startedS + 20) * 1000],
      },
      {
        labels: { ...common, subject: 'machine', statement: machine?.statement },
        times: [endedS * 1000],
      },
    ]);
    assert.deepEqual(await annotations('mcp_verdict', testid, startedS, endedS), [
      { labels: { testid, outcome: 'pass', statement: 'PASS: 5 thresholds held.' }, times: [endedS * 1000] },
    ]);
    // Zoomed in on the phase, what belongs to the run's end is not shown.
    const phase = await annotations('mcp_finding', testid, startedS + 10, startedS + 40);
    assert.deepEqual(
      phase.map(({ labels }) => labels.subject),
      ['overload'],
    );
    // One sample each: nothing was made up between.
    const [count] = await prometheus.query(
      `sum(count_over_time(mcp_finding{testid="${testid}"}[2d]))`,
      now + 1,
    );
    assert.equal(count?.value, 2);
  });
}

test('no series is there but those that were written', async () => {
  const range = '{__name__=~"(mcp|otel|target)_.+|scope_.+"}[2d]';
  const names = await prometheus.query(`count by (__name__) (last_over_time(${range}))`, now + 1);
  assert.deepEqual(names.map(({ labels }) => labels.__name__).sort(), ['mcp_finding', 'mcp_verdict']);
});
