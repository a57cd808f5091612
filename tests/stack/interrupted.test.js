/** Ctrl-C at any moment: k6 stops cleanly, what was measured is reported and marked, and nothing is left running. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { processesWith } from '../process-tree.js';

/** Long enough that nothing but the signal ends it. */
const SPIKE = ['scripts/run', 'spike', 'PROFILE=smoke', 'RATE_SCALE=0.2', 'OBJECTIVES=off', 'DURATION=40s'];
const UNDER_LOAD = { at: /^running \(/m, afterMs: 1500 };

/**
 * Runs a command as a terminal does, in a session of its own, and sends it a signal when it has said something.
 *
 * @param {string[]} words the command
 * @param {object} how
 * @param {RegExp} how.at in what it says, or in the run's log
 * @param {number} [how.afterMs] so long after it
 * @param {NodeJS.Signals} [how.signal]
 * @param {boolean} [how.alone] to the command alone; otherwise to all of its process group, as Ctrl-C
 * @param {boolean} [how.typed] on a terminal, where Ctrl-C is typed
 * @param {number} [how.againMs] the same again, so many ms later
 * @param {Record<string, string>} [how.env]
 * @returns {Promise<{code: number | null, signal: string | null, output: string, tookS: number, id: string}>}
 *   tookS: from the first signal to the end
 */
async function interrupt(
  words,
  { at, afterMs = 0, signal = 'SIGINT', alone = false, typed = false, againMs, env = {} },
) {
  count += 1;
  const id = `interrupted-${process.pid}-${count}`;
  // It becomes the command: a shell in between would get the Ctrl-C as well, and end with a code of its own.
  const [file = '', ...args] = typed ? ['script', '-qefc', `exec ${words.join(' ')}`, '/dev/null'] : words;
  const child = spawn(file, args, {
    detached: true,
    stdio: 'pipe',
    env: { ...process.env, TESTID: id, ...env },
  });
  if (!typed) child.stdin.end();
  const pid = /** @type {number} */ (child.pid);
  let output = '';
  let sentAt = 0;
  const send = () => {
    sentAt ||= Date.now();
    if (typed) child.stdin.write('\x03');
    else process.kill(alone ? pid : -pid, signal);
  };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const log = join(folderOf(id), 'run.log');
  const watching = setInterval(() => {
    if (!at.test(output + (existsSync(log) ? readFileSync(log, 'utf8') : ''))) return;
    clearInterval(watching);
    setTimeout(send, afterMs);
    if (againMs !== undefined) setTimeout(send, afterMs + againMs);
  }, 20);
  const [code, by] = await new Promise((resolve) => child.on('close', (...how) => resolve(how)));
  clearInterval(watching);
  assert.ok(sentAt > 0, `it never said ${at}:\n${output}`);
  return { code, signal: by, output, tookS: (Date.now() - sentAt) / 1000, id };
}
let count = 0;

/** @param {string} needle */
async function nothingIsLeft(needle) {
  const commands = () => processesWith(needle).map(({ command }) => command);
  let left = commands();
  // What was told to end needs a moment.
  for (let tries = 0; left.length > 0 && tries < 20; tries += 1) {
    await sleep(100);
    left = commands();
  }
  assert.deepEqual(left, []);
}

/** @param {string} id */
const folderOf = (id) => join(process.env.RESULTS_DIR ?? 'results', id);
/** @param {string} id */
const documentOf = (id) => JSON.parse(readFileSync(join(folderOf(id), 'run.json'), 'utf8'));

/** @param {Awaited<ReturnType<typeof interrupt>>} ended */
async function isPartial({ id, output, code, tookS }) {
  assert.equal(code, 105, `exit code ${code}: ${output}`);
  assert.ok(tookS < 15, `${tookS} s`);
  const { verdict, partial, phases } = documentOf(id);
  assert.deepEqual([verdict.outcome, verdict.exit_code], ['error', 105]);
  assert.match(
    verdict.reasons[0],
    /^interrupted after [\d.]+ s of [\d.]+ (s|min).*: what is reported was measured/,
  );
  assert.ok(partial.ran_s >= 1 && partial.ran_s < partial.planned_s, JSON.stringify(partial));
  assert.ok(phases[0].start, 'its phases are in it');
  assert.match(output, /partial: [\d.]+ s of/);
  for (const file of ['report.html', 'report.md']) {
    assert.match(readFileSync(join(folderOf(id), file), 'utf8'), /partial: [\d.]+ s of/, file);
  }
  for (const file of ['junit.xml', 'summary.csv', 'summary.json', 'timeline.json', 'run.log']) {
    assert.ok(existsSync(join(folderOf(id), file)), file);
  }
  await nothingIsLeft(`TESTID=${id}`);
  const registered = readdirSync(join(process.env.RUN_DIR ?? '.run', 'prometheus/targets'));
  assert.deepEqual(
    registered.filter((file) => file.includes(id)),
    [],
    'Prometheus scrapes it no more',
  );
}

test('Ctrl-C under load', async () => isPartial(await interrupt(SPIKE, { ...UNDER_LOAD, typed: true })));

test('Ctrl-C before k6 listens to it', async () => {
  const { code, output, id } = await interrupt(SPIKE, { at: /k6 starts/, typed: true });
  assert.equal(code, 105, `exit code ${code}: ${output}`);
  assert.match(documentOf(id).verdict.reasons[0], /\binterrupted (after|from outside)/);
  await nothingIsLeft(`TESTID=${id}`);
});

test('a terminal that is closed, under load whose samples are in Prometheus alone', async () => {
  const ended = await interrupt([...SPIKE, 'SAMPLES=stream'], { ...UNDER_LOAD, signal: 'SIGHUP' });
  await isPartial(ended);
  assert.ok(documentOf(ended.id).streamed);
});

test('a signal to make alone, as a CI system sends it', async () => {
  const words = ['make', '--no-print-directory', ...SPIKE.slice(1)];
  const ended = await interrupt(words, { ...UNDER_LOAD, signal: 'SIGTERM', alone: true });
  assert.match(ended.output, /^exit code 105 \(make itself ends with 2/m);
  await isPartial({ ...ended, code: 105 });
});

test('Ctrl-C in a test of several k6 runs', async () => {
  const words = [
    'scripts/run',
    'load',
    'PROFILE=smoke',
    'OBJECTIVES=off',
    'REQUESTS=200000',
    'CONCURRENCY=2',
  ];
  const ended = await interrupt(words, { at: /loading/, afterMs: 3000 });
  assert.equal(ended.code, 105, ended.output);
  await nothingIsLeft(`TESTID=${ended.id}`);
});

test('Ctrl-C twice: k6 leaves at once, and that is in the report', async () => {
  const { code, output, id } = await interrupt(SPIKE, { ...UNDER_LOAD, againMs: 20 });
  assert.equal(code, 105, `exit code ${code}: ${output}`);
  assert.equal(documentOf(id).verdict.exit_code, code);
  await nothingIsLeft(`TESTID=${id}`);
});

test('Ctrl-C while the report is written: it is written', async () => {
  const ended = await interrupt([...SPIKE.slice(0, -1), 'DURATION=6s'], {
    at: /k6 ended|^running \(0*[89]/m,
    afterMs: 1000,
  });
  assert.match(ended.output, /^the report is being written; once more to leave/m);
  assert.equal(documentOf(ended.id).verdict.exit_code, ended.code);
  await nothingIsLeft(`TESTID=${ended.id}`);
});

test('Ctrl-C while a tool is built: nothing half made stays', async (t) => {
  const cache = mkdtempSync(join(tmpdir(), 'interrupted-'));
  t.after(() => rmSync(cache, { recursive: true, force: true }));
  const env = { MCP_LOAD_LAB_CACHE: cache };
  const ended = await interrupt(['scripts/setup', 'compose-go'], { at: /^building compose-go/m, env });
  assert.equal(ended.signal, 'SIGINT', ended.output);
  assert.deepEqual(
    readdirSync(cache).filter((name) => !name.endsWith('.log')),
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
  const ended = await interrupt(SPIKE, { ...UNDER_LOAD, signal: 'SIGKILL', alone: true });
  assert.equal(ended.signal, 'SIGKILL');
  await nothingIsLeft(`TESTID=${ended.id}`);
});
