/** The output lab in k6: what it says of each end of a run, and that its figures are those of k6's own samples. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { readMeasured } from '../../analysis/collect/measured.ts';
import { SparseHistogram } from '../../analysis/collect/sparse-histogram.ts';
import { holdsByFigures } from '../../analysis/judge/k6-threshold.ts';
import { validator } from '../../analysis/schemas.ts';
import { percentile } from '../../analysis/statistics/percentile.ts';
import { startCommand } from '../lab.js';
import { scratchFolder } from '../scratch.js';
import { setUp, toolPath } from '../tool.js';
import { listen } from './listen.js';

setUp('k6');

/** @type {Awaited<ReturnType<typeof listen>>} */
let server;
before(async () => {
  server = await listen(
    createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      await setTimeout(Math.random() * 20);
      const { id } = JSON.parse(body);
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } }));
    }),
  );
});
after(() => server.close());

let count = 0;
/**
 * @param {Record<string, string>} env
 * @param {{script?: string, args?: string[], limit?: string, meanwhile?: (k6: import('node:child_process').ChildProcess) => Promise<void>}} [how]
 *   limit: on what the process may write, as `ulimit` has it
 */
async function run(env, { script = 'lab-output', args = [], limit, meanwhile } = {}) {
  count += 1;
  const folder = join(scratchFolder(), `lab-${count}`);
  const command = [toolPath('k6'), 'run', '--quiet', '--address', '', '--summary-mode=disabled'];
  command.push('-o', `lab=${folder}`, ...args, `tests/k6/${script}.js`);
  const words = limit ? ['bash', '-c', `${limit}; exec "$@"`, 'bash', ...command] : command;
  const { child, ended } = startCommand(words[0] ?? '', words.slice(1), { URL: server.url, ...env });
  await meanwhile?.(child);
  const { code, output } = await ended;
  return { code, output, folder, measured: readMeasured(folder) };
}

/** @param {Awaited<ReturnType<typeof run>>['measured']} measured @param {string} phase @param {string} [operation] */
const groupOf = (measured, phase, operation = '') =>
  measured?.groups.find((one) => one.phase === phase && one.operation === operation);

/** @type {[name: string, code: number, reason: string, outcomes: string][]} */
const ENDS = [
  ['passes', 0, 'finished', 'pass pass'],
  ['fails', 99, 'finished', 'fail'],
  ['aborts', 99, 'threshold', 'fail'],
  ['trend', 99, 'finished', 'fail pass fail'],
  ['empty', 0, 'finished', 'invalid invalid'],
  ['throws in set-up', 107, 'exception', ''],
  ['stops', 108, 'abort', ''],
  ['is marked as failed', 110, 'error', ''],
];

describe('ends of a run', { concurrency: 2 }, () => {
  for (const [name, expected, reason, outcomes] of ENDS) {
    test(`a script that ${name}`, async () => {
      const { code, measured, output } = await run({ CASE: name });
      assert.equal(code, expected, output);
      assert.ok(measured, output);
      assert.deepEqual([measured.end.exitCode, measured.end.reason], [expected, reason]);
      const outcomeOf = ({ hasSamples = false, passed = false }) =>
        hasSamples ? (passed ? 'pass' : 'fail') : 'invalid';
      assert.equal(measured.thresholds.map(outcomeOf).join(' '), outcomes);
      for (const one of measured.thresholds.filter(({ hasSamples }) => hasSamples))
        assert.equal(holdsByFigures(one) ?? one.passed, one.passed, one.threshold);
    });
  }

  test('a script that throws before it has begun leaves nothing', async () => {
    const { code, measured, output } = await run({ CASE: 'throws in init' });
    assert.equal(code, 107, output);
    assert.equal(measured, null);
  });

  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
    test(`${signal}`, async () => {
      const meanwhile = async (/** @type {import('node:child_process').ChildProcess} */ k6) => {
        await setTimeout(1500);
        k6.kill(signal);
      };
      const { code, measured, output } = await run({ LASTS: '20s' }, { meanwhile });
      assert.equal(code, 105, output);
      assert.deepEqual(measured && [measured.end.exitCode, measured.end.reason], [105, 'signal']);
      assert.ok((groupOf(measured, 'calls')?.iterations ?? 0) > 10);
    });
  }

  test('a second Ctrl-C ends k6 at once, and what is there of the run is not taken for whole', async () => {
    const meanwhile = async (/** @type {import('node:child_process').ChildProcess} */ k6) => {
      await setTimeout(1500);
      k6.kill('SIGINT');
      await setTimeout(200);
      k6.kill('SIGINT');
    };
    const { code, measured, folder } = await run({ CASE: 'lingers', LASTS: '20s' }, { meanwhile });
    assert.equal(code, 105);
    assert.ok(measured === null || measured.end.reason === 'signal');
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.endsWith('.part')),
      [],
    );
  });

  test('a disk that is full ends the run, and leaves no document', async () => {
    const { code, output, measured } = await run({ LASTS: '20s' }, { limit: 'ulimit -f 2' });
    assert.notEqual(code, 0, output);
    assert.match(output, /output lab: .*file too large/);
    assert.equal(measured, null);
  });
});

test('a script without the module, and a folder that is missing, are refused in one line', async () => {
  const { code, output } = await run({}, { args: ['-o', 'lab'] });
  assert.notEqual(code, 0);
  assert.match(output, /expected a folder, -o lab=FOLDER/);
});

test('the figures are those of the samples that k6 writes itself', async () => {
  const csv = join(scratchFolder(), 'samples.csv');
  const { measured, folder, output } = await run({ LASTS: '4s' }, { args: ['--out', `csv=${csv}`] });
  assert.ok(measured, output);
  const lines = readFileSync(csv, 'utf8').trim().split('\n');
  const durations = lines
    .filter((line) => line.startsWith('mcp_request_duration,'))
    .map((line) => Number(line.split(',')[2]))
    .sort((a, b) => a - b);
  const group = groupOf(measured, 'calls', 'call');
  assert.equal(group?.requests, durations.length);
  assert.equal(groupOf(measured, 'calls')?.iterations, durations.length);
  const histogram = new SparseHistogram(group?.durations?.ok);
  assert.equal(histogram.count, durations.length);
  for (const share of [0.5, 0.9, 0.95]) {
    const [found, exact] = [histogram.percentile(share) ?? 0, percentile(durations, share)];
    assert.ok(Math.abs(found / exact - 1) < 0.001, `p${share}: ${found}, ${exact}`);
  }

  const validate = validator('../contract/seconds.schema.json');
  const seconds = readFileSync(join(folder, 'seconds.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const line of seconds) assert.equal(validate(line), null);
  const { group: number } = seconds.find(({ operation }) => operation === 'call');
  const texts = seconds.flatMap(({ groups }) => groups?.[number]?.durations?.ok ?? []);
  const added = new SparseHistogram(...texts);
  assert.ok(texts.length >= 4);
  assert.equal(added.count, histogram.count);
  for (const share of [0.01, 0.5, 0.99]) assert.equal(added.percentile(share), histogram.percentile(share));
  assert.ok(!existsSync(join(folder, 'measured.json.part')));
});

test('iterations that started, and those that no VU was free for, add up to the planned ones', async () => {
  const { measured, code, output } = await run({}, { script: 'dropped-iterations' });
  assert.equal(code, 0, output);
  for (const [phase, planned, maxInterrupted] of /** @type {const} */ ([
    ['load', 150, 0],
    ['ramp', 130, 2],
  ])) {
    const { started = 0, iterations = 0, dropped = 0 } = groupOf(measured, phase) ?? {};
    const all = JSON.stringify({ phase, started, iterations, dropped });
    assert.ok(started >= iterations && started <= iterations + maxInterrupted, all);
    // At 60 ms or more an iteration, two VUs begin 34 of 50 a second at most.
    assert.ok(dropped > 0.2 * (started + dropped) && started + dropped <= planned + 1, all);
    assert.equal(groupOf(measured, phase, 'call')?.started, undefined);
  }
});
