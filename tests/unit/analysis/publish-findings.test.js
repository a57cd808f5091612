import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { PbfReader } from 'pbf';
import { uncompress } from 'snappyjs';
import { Prometheus, PrometheusError } from '../../../analysis/collect/prometheus.ts';
import { note } from '../../../analysis/findings/note.ts';
import { judge } from '../../../analysis/judge/judge.ts';
import { findingSamples } from '../../../analysis/report/publish-findings.ts';
import { measuredDocument } from './build.js';

const STARTED = '2026-01-02T03:04:05.000Z';
const ENDED = '2026-01-02T03:06:05.250Z';
const seconds = (/** @type {string} */ time) => Date.parse(time) / 1000;

/** @param {Partial<import('../../../analysis/judge/run.ts').Run>} rest */
const run = (rest) =>
  /** @type {import('../../../analysis/judge/run.ts').Run} */ ({
    testid: 'spike-1',
    started: STARTED,
    ended: ENDED,
    phases: /** @type {any} */ ([{ name: 'spike', start: '2026-01-02T03:04:25.500Z' }]),
    findings: [],
    verdict: { outcome: 'fail', exit_code: 99, reasons: ['p99 of spike is 900 ms', 'another'] },
    headline: 'FAIL: p99 of spike is 900 ms; 1 more threshold missed.',
    ...rest,
  });

test('a finding is at the start of its phase, the others and the verdict at the end of the run', () => {
  const findings = [
    note('overload', 'spike took 10/s', { phase: 'spike', confidence: 'low' }),
    note('machine', 'this machine is small'),
    note('phase', 'recovery did not start', { phase: 'recovery' }),
  ];
  const at = (/** @type {string} */ time) => ({ value: seconds(time), timeS: seconds(time) });
  const labels = { testid: 'spike-1', kind: 'note', confidence: 'high' };
  assert.deepEqual(findingSamples(run({ findings })), [
    {
      name: 'mcp_finding',
      labels: {
        ...labels,
        subject: 'overload',
        phase: 'spike',
        confidence: 'low',
        statement: 'spike took 10/s',
      },
      ...at('2026-01-02T03:04:25.500Z'),
    },
    {
      name: 'mcp_finding',
      labels: { ...labels, subject: 'machine', statement: 'this machine is small' },
      ...at(ENDED),
    },
    {
      name: 'mcp_finding',
      labels: { ...labels, subject: 'phase', phase: 'recovery', statement: 'recovery did not start' },
      ...at(ENDED),
    },
    {
      name: 'mcp_verdict',
      labels: { testid: 'spike-1', outcome: 'fail', statement: run({}).headline },
      ...at(ENDED),
    },
  ]);
});

test('the time to recover is a series, unless it was not seen', () => {
  const recovery = (/** @type {number | null} */ recovery_s) => ({
    ...note('recovery', 'all was normal again', { phase: 'spike', figures: { recovery_s } }),
    kind: /** @type {const} */ ('recovery'),
  });
  const samples = findingSamples(run({ findings: [recovery(4.5), recovery(null)] }));
  assert.deepEqual(
    samples.filter(({ name }) => name === 'mcp_recovery_seconds'),
    [
      {
        name: 'mcp_recovery_seconds',
        labels: { testid: 'spike-1', phase: 'spike' },
        value: 4.5,
        timeS: seconds(ENDED),
      },
    ],
  );
});

test('twenty findings, a headline at most and one line each, and nothing of a run that did not begin', () => {
  const findings = Array.from({ length: 30 }, (_, index) => note('many', `${index}\n${'x'.repeat(400)}`));
  const samples = findingSamples(run({ findings }));
  assert.equal(samples.length, 21);
  for (const { labels } of samples) assert.match(labels.statement ?? '', /^[^\n]{1,240}$/);
  assert.match(samples[19]?.labels.statement ?? '', /^19 x+…$/);
  assert.deepEqual(findingSamples(run({ findings, started: null, ended: null })), []);
});

/** @param {Buffer} body of a remote write @returns {any} its WriteRequest */
function readWriteRequest(body) {
  /** @type {(tag: number, series: any[], reader: PbfReader) => void} */
  const readSeries = (tag, series, reader) => {
    assert.equal(tag, 1);
    series.push(reader.readMessage(readSeriesField, { labels: [], samples: [] }));
  };
  /** @type {(tag: number, series: {labels: any[], samples: any[]}, reader: PbfReader) => void} */
  const readSeriesField = (tag, { labels, samples }, reader) => {
    if (tag === 1)
      labels.push(reader.readMessage((at, pair) => (pair[at - 1] = reader.readString()), ['', '']));
    else samples.push(reader.readMessage(readSampleField, {}));
  };
  /** @type {(tag: number, sample: any, reader: PbfReader) => void} */
  const readSampleField = (tag, sample, reader) => {
    if (tag === 1) sample.value = reader.readDouble();
    else sample.timeMs = reader.readVarint(true);
  };
  return new PbfReader(uncompress(new Uint8Array(body))).readFields(readSeries, []);
}

test('they are sent by remote write, with sorted labels and without empty ones', async () => {
  /** @type {any[]} */
  const got = [];
  let status = 204;
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    const body = readWriteRequest(Buffer.concat(await request.toArray()));
    got.push({ method, url, headers, body });
    response.writeHead(status).end(status === 204 ? '' : 'out of bounds\n');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const prometheus = new Prometheus(`http://127.0.0.1:${port}`, { tries: 2, pauseMs: 1 });
  const long = 'naïve "λ" '.repeat(30);
  try {
    await prometheus.write([
      {
        name: 'a',
        labels: { z: long, empty: '', B: 'c "d"', __name__: 'x' },
        value: 1.5,
        timeS: 1767323045.25,
      },
      { name: 'a', labels: { z: long }, value: -2, timeS: 0 },
    ]);
    const [{ headers, ...request }] = got;
    assert.deepEqual(request, {
      method: 'POST',
      url: '/api/v1/write',
      body: [
        {
          labels: Object.entries({ B: 'c "d"', __name__: 'a', z: long }),
          samples: [{ value: 1.5, timeMs: 1767323045250 }],
        },
        { labels: Object.entries({ __name__: 'a', z: long }), samples: [{ value: -2, timeMs: 0 }] },
      ],
    });
    assert.equal(headers['content-type'], 'application/x-protobuf');
    assert.equal(headers['content-encoding'], 'snappy');
    assert.equal(headers['x-prometheus-remote-write-version'], '0.1.0');
    status = 400;
    await assert.rejects(prometheus.write([]), (error) => {
      assert.ok(error instanceof PrometheusError);
      assert.match(error.message, /answered 400: out of bounds$/);
      return true;
    });
    assert.equal(got.length, 2, 'what was refused is not sent again');
  } finally {
    server.close();
  }
});

test('where they can not be sent, the verdict stays, and the log has one line', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'publish-'));
  after(() => rmSync(folder, { recursive: true }));
  writeFileSync(
    join(folder, 'measured.json'),
    JSON.stringify(measuredDocument({ phases: [{ name: 'a', figures: {} }] })),
  );
  for (const RUN_LOG of [join(folder, 'run.log'), join(folder, 'no such folder', 'run.log')]) {
    process.env.RUN_LOG = RUN_LOG;
    t.after(() => delete process.env.RUN_LOG);
    const prometheus = 'http://someone:hunter22@127.0.0.1:1';
    const run = { directory: folder, k6Exit: 0, prometheus, server: '', settings: '', k6Version: null };
    assert.equal(await judge({ ...run, print: () => {} }), 0);
  }
  const log = readFileSync(join(folder, 'run.log'), 'utf8');
  assert.match(
    log,
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ the dashboards will not show the findings: Prometheus .*\n$/,
  );
  assert.ok(!log.includes('hunter22'));
});
