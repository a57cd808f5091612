/** Ctrl-C at any moment: k6 stops cleanly, what was measured is reported and marked, and nothing is left running. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ownStack } from '../own-stack.js';
import { UNDER_LOAD } from '../under-load.js';
import { documentOf, interrupt, isPartial, nothingIsLeft } from './interrupt.js';

await ownStack();

/** Long enough that nothing but the signal ends it. */
const SPIKE = ['scripts/run', 'spike', 'PROFILE=smoke', 'RATE_SCALE=0.2', 'THRESHOLDS=off', 'DURATION=40s'];
const LOADED = { at: UNDER_LOAD, afterMs: 1500 };

test('Ctrl-C under load', async () => isPartial(await interrupt(SPIKE, { ...LOADED, typed: true })));

test('Ctrl-C before k6 listens to it', async () => {
  const { code, output, id } = await interrupt(SPIKE, { at: /k6 starts/, typed: true });
  assert.equal(code, 105, `exit code ${code}: ${output}`);
  assert.match(documentOf(id).verdict.reasons[0], /\binterrupted (after|from outside)/);
  await nothingIsLeft(`TESTID=${id}`);
});

test('a terminal that is closed, under load', async () =>
  isPartial(await interrupt(SPIKE, { ...LOADED, signal: 'SIGHUP' })));

test('a signal to make alone, as a CI system sends it', async () => {
  const words = ['make', '--no-print-directory', ...SPIKE.slice(1)];
  const ended = await interrupt(words, { ...LOADED, signal: 'SIGTERM', alone: true });
  assert.match(ended.output, /^exit code 105 \(make itself exits with 2/m);
  await isPartial({ ...ended, code: 105 });
});

test('a signal to `make ci` alone: the run ends in order, and so does the pipeline', async () => {
  const words = ['make', '--no-print-directory', 'ci', ...SPIKE.slice(2)];
  const ended = await interrupt(words, { ...LOADED, signal: 'SIGTERM', alone: true });
  assert.match(ended.output, /^ci: exit code 143$/m);
  assert.match(ended.output, /^exit code 143 \(make itself exits with 2/m);
  await isPartial({ ...ended, code: 105 });
});

test('Ctrl-C in a test of several k6 runs', async () => {
  const words = [
    'scripts/run',
    'load',
    'PROFILE=smoke',
    'THRESHOLDS=off',
    'REQUESTS=200000',
    'CONCURRENCY=2',
  ];
  const ended = await interrupt(words, { at: /loading/, afterMs: 3000 });
  assert.equal(ended.code, 105, ended.output);
  await nothingIsLeft(`TESTID=${ended.id}`);
});

test('Ctrl-C twice: k6 leaves at once, and that is in the report', async () => {
  const { code, output, id } = await interrupt(SPIKE, { ...LOADED, againMs: 20 });
  assert.equal(code, 105, `exit code ${code}: ${output}`);
  assert.equal(documentOf(id).verdict.exit_code, code);
  await nothingIsLeft(`TESTID=${id}`);
});

test('Ctrl-C while the report is written: it is written', async () => {
  const ended = await interrupt([...SPIKE.slice(0, -1), 'DURATION=6s'], {
    at: /judging/,
  });
  assert.match(ended.output, /^the report is being written; press Ctrl-C again to quit/m);
  assert.equal(documentOf(ended.id).verdict.exit_code, ended.code);
  await nothingIsLeft(`TESTID=${ended.id}`);
});

test('Ctrl-C while a tool is built: nothing half made stays', async (t) => {
  const cache = mkdtempSync(join(tmpdir(), 'interrupted-'));
  t.after(() => rmSync(cache, { recursive: true, force: true }));
  const env = { MCP_LOAD_LAB_CACHE: cache };
  const ended = await interrupt(['scripts/setup', 'toxiproxy'], { at: /^set-up, once: toxiproxy/m, env });
  assert.equal(ended.code, 130, ended.output);
  assert.deepEqual(
    readdirSync(cache).filter((name) => name.startsWith('toxiproxy-')),
    [],
  );
  await nothingIsLeft(`MCP_LOAD_LAB_CACHE=${cache}`);
});

test('Ctrl-C before the load: exit 130, no results, and of a stack that was just started nothing', async (t) => {
  const base = mkdtempSync(join(tmpdir(), 'interrupted-'));
  t.after(() => rmSync(base, { recursive: true, force: true }));
  const env = { RUN_DIR: join(base, 'run'), RESULTS_DIR: join(base, 'results') };
  for (const alone of [false, true]) {
    const ended = await interrupt(SPIKE, { at: /^making a PostgreSQL cluster|^waiting for /m, alone, env });
    assert.equal(ended.code, 130, ended.output);
    assert.match(ended.output, /^interrupted$/m);
    assert.ok(ended.tookS < 30, `${ended.tookS} s`);
    assert.ok(!existsSync(env.RESULTS_DIR));
    await nothingIsLeft(`RUN_DIR=${env.RUN_DIR}`);
  }
});

test('a run that is killed takes k6 with it', async () => {
  const ended = await interrupt(SPIKE, { ...LOADED, signal: 'SIGKILL', alone: true });
  assert.equal(ended.signal, 'SIGKILL');
  await nothingIsLeft(`TESTID=${ended.id}`);
});
