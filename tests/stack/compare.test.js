/** Comparing, keeping and following runs, on the real stack, as a user does it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startOffering } from '../k6/offering-server.js';
import { assertMeasured, command, envFile, runTest } from '../lab.js';
import { ownStack } from '../own-stack.js';

await ownStack();

/** Enough answers for a p99, and no more load than that. */
const FEW = { PROFILE: 'smoke', REQUESTS: '400', CONCURRENCY: '4' };

const folder = mkdtempSync(join(tmpdir(), 'mcp-load-lab-compare-'));
after(() => rmSync(folder, { recursive: true }));
const places = { RESULTS_DIR: join(folder, 'results'), BASELINES_DIR: join(folder, 'baselines') };

/** A run that was really made. @type {any} */
let real;
before(async () => {
  const result = await runTest('load', { ...FEW, THRESHOLDS: 'off' });
  assertMeasured(result);
  real = result.document;
});

/**
 * Runs as that one was, with other latencies; each is called valid, for whether this machine was quiet is not the question.
 *
 * @param {string} name
 * @param {number} count
 * @param {number} factor
 * @param {number} [day] on which the first of them was
 */
function store(name, count, factor, day = 1) {
  for (let number = 1; number <= count; number += 1) {
    const run = structuredClone(real);
    run.testid = `${name}-${number}`;
    run.started = new Date(Date.UTC(2026, 0, day + number)).toISOString();
    run.verdict = { outcome: 'pass', exit_code: 0, reasons: ['measured'] };
    for (const { latency_ms } of [...run.phases, ...run.operations]) {
      for (const figure of Object.keys(latency_ms ?? {})) latency_ms[figure] *= factor * (1 + 0.002 * number);
    }
    mkdirSync(join(places.RESULTS_DIR, run.testid), { recursive: true });
    writeFileSync(join(places.RESULTS_DIR, run.testid, 'run.json'), JSON.stringify(run));
  }
}

/** @param {string} output @returns {string} the folder that a comparison was written to */
const written = (output) => /^results: (.*)$/m.exec(output)?.[1] ?? '';

test('compare and baseline-save on runs of the lab', async () => {
  store('old', 8, 1);
  store('new', 8, 1.3, 20);
  const found = await command('scripts/compare', ['BASE=old-*', 'HEAD=new-*'], places);
  assert.equal(found.code, 99, found.output);
  assert.match(found.output, /^p99 in load .* worse/m);
  assert.match(found.output, /^throughput in load .* same/m);
  const results = written(found.output);
  assert.deepEqual(readdirSync(results).sort(), [
    'comparison.html',
    'comparison.json',
    'comparison.md',
    'junit.xml',
  ]);
  assert.equal(JSON.parse(readFileSync(join(results, 'comparison.json'), 'utf8')).verdict.exit_code, 99);

  const saved = await command('scripts/baseline-save', ['NAME=main', 'BASE=old-*'], places);
  assert.equal(saved.code, 0, saved.output);
  const file = join(places.BASELINES_DIR, 'main.json');
  const { TARGET_TOKEN = 'x' } = envFile('secrets.env');
  assert.ok(!readFileSync(file, 'utf8').includes(TARGET_TOKEN));
  for (const [head, code] of /** @type {const} */ ([
    ['new-*', 99],
    ['new-1', 98],
  ])) {
    const kept = await command('scripts/compare', ['BASE=main', `HEAD=${head}`, 'METRICS=p99'], places);
    assert.equal(kept.code, code, kept.output);
    assert.match(kept.output, /^base {2}main \(8 runs\)$/m);
  }
  // The same twice: what was one run's is given to both.
  store('again', 8, 1, 40);
  const same = await command('scripts/compare', ['BASE=main', 'HEAD=again-*'], places);
  assert.equal(same.code, 0, same.output);
});

test('a run that is invalid is refused, and named', async () => {
  store('fine', 1, 1);
  const path = join(places.RESULTS_DIR, 'busy');
  mkdirSync(path, { recursive: true });
  const verdict = { outcome: 'invalid', exit_code: 98, reasons: ['the generator was busy'] };
  writeFileSync(join(path, 'run.json'), JSON.stringify({ ...real, testid: 'busy', verdict }));
  const { code, output } = await command('scripts/compare', ['BASE=fine-1', 'HEAD=busy'], places);
  assert.equal(code, 98, output);
  assert.match(output, /^- busy: invalid: the generator was busy$/m);
  assert.match(output, /no runs are left to compare in HEAD \(busy\)/);
});

/** @type {[string, string[], RegExp][]} */
const WRONG_USE = [
  ['compare', [], /BASE is empty; valid: testids/],
  [
    'compare',
    ['BASE=nope', 'HEAD=nope'],
    /there is no baseline "nope"; create it with: make baseline-save NAME=nope/,
  ],
  ['compare', ['BASE=only-1', 'HEAD=only-1'], /only-1 is given twice; valid: each run once/],
  ['compare', ['BASE=only-1', 'HEAD=only-2', 'METRICS=p98'], /METRICS has "p98"; valid: throughput/],
  ['compare', ['BASES=x'], /got "BASES"; valid: NAME=value with a NAME of BASE, HEAD/],
  ['baseline-save', ['NAME=../main', 'BASE=only-1'], /NAME is "\.\.\/main"; valid: up to 64 letters/],
  ['baseline-save', ['NAME=main'], /BASE is empty; valid: testids/],
  ['compare-ab', ['TEST=nope', 'A=WORKERS=1'], /TEST is "nope"; valid: .*spike/],
  ['compare-ab', ['RUNS=0', 'A=WORKERS=1'], /RUNS is "0"; valid: a whole number above 0/],
  [
    'compare-ab',
    ['RUNS=4', 'A=WORKERS=1'],
    /RUNS is 4: 4 runs against 4 cannot show that anything is worse; valid: 5 or more, or RUNS=1 ALLOW_SINGLE_RUN=1/,
  ],
  ['compare-ab', ['A=WORKERS=1', 'B=WORKERS=1'], /A and B are the same; valid: two sides that differ/],
  ['compare-ab', ['A=NOPE=1'], /got "NOPE"; valid: NAME=value with a NAME of make help-all, such as/],
  ['compare-ab', ["A=WORKERS='1"], /A is "WORKERS='1"; valid: NAME=value words, quoted as in a shell/],
  ['compare-ab', ['A=WORKERS=x'], /A has WORKERS=x; valid: /],
  ['compare-ab', ['A=DURATION=x'], /A: DURATION is "x"; valid: a duration/],
  ['compare-ab', ['A=RESULTS_DIR=/tmp/x'], /A has RESULTS_DIR; valid: RESULTS_DIR for both/],
];

for (const [script, args, message] of WRONG_USE) {
  test(`scripts/${script} ${args.join(' ')}: exit 2 and one line`, async () => {
    store('only', 2, 1);
    const { code, output } = await command(`scripts/${script}`, args, places);
    assert.equal(code, 2, output);
    assert.match(output, message);
    assert.equal(output.trim().split('\n').length, 1, output);
  });
}

test('compare-ab runs both sides in turn, on a target of each side, which gets its own settings back', async () => {
  const settings = { CACHE_TTL: '77' };
  assert.equal((await command('scripts/up', [], settings)).code, 0);
  try {
    const { code, output } = await command(
      'scripts/compare-ab',
      [
        'TEST=load',
        'RUNS=1',
        'ALLOW_SINGLE_RUN=1',
        'A=WORKERS=1 CACHE_TTL=60',
        'B=WORKERS=2',
        ...Object.entries(FEW).map(([name, value]) => `${name}=${value}`),
      ],
      places,
    );
    // One run each says nothing about which side is faster; on a busy machine both are invalid.
    assert.ok(code === 0 || code === 98 || code === 99, output);
    const made = [...output.matchAll(/^\d of 2: ([AB]) .* (load-[\w-]+)/gm)];
    assert.deepEqual(made.map(([, side]) => side).sort(), ['A', 'B']);
    for (const [, side, testid = ''] of made) {
      const path = join(places.RESULTS_DIR, testid, 'run.json');
      const { target, objectives_off } = JSON.parse(readFileSync(path, 'utf8'));
      assert.equal(target.settings.WORKERS, side === 'A' ? '1' : '2');
      assert.equal(
        target.settings.CACHE_TTL,
        side === 'A' ? '60' : '77',
        "the target's own where a side says nothing",
      );
      assert.equal(objectives_off, true);
    }
    assert.match(output, /^base {2}A: WORKERS=1 CACHE_TTL=60 \(\d runs?\)$/m);
    assert.ok(existsSync(join(written(output), 'comparison.html')));
    assert.equal(envFile('stack.env').TARGET_SETTINGS, 'CACHE_TTL=77');
  } finally {
    await command('scripts/up', [], { CACHE_TTL: 'default' });
  }
});

test('compare-ab loads two servers by their addresses', async () => {
  const tools = [{ name: 'look', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }];
  const [fast, slow] = await Promise.all(
    [5, 50].map((ms) => startOffering({ tools }, () => sleep(ms, { content: [] }))),
  );
  after(() => Promise.all([fast?.close(), slow?.close()]));
  const { code, output } = await command(
    'scripts/compare-ab',
    [`A=TARGET_URL=${fast?.url}`, `B=TARGET_URL=${slow?.url}`, 'TEST=load', 'RUNS=1', 'ALLOW_SINGLE_RUN=1'],
    { ...places, ...FEW, METRICS: 'p50', MAX_BACKGROUND_CPU: '1' },
  );
  assert.equal(code, 99, output);
  assert.match(output, /^p50 in load .* worse/m);
  assert.match(output, /^base {2}A: TARGET_URL=http:.* \(1 run\)$/m);
});

test('compare-ab that is interrupted gives the target its settings back', async () => {
  const files = () => readdirSync(places.RESULTS_DIR, { recursive: true, encoding: 'utf8' });
  const before = new Set(files());
  const child = spawn('scripts/compare-ab', [], {
    env: {
      ...process.env,
      ...places,
      TEST: 'load',
      A: 'CACHE_TTL=61',
      B: 'CACHE_TTL=62',
      ...FEW,
      REQUESTS: '100000',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk) => (output += chunk));
  const ended = new Promise((resolve) => child.once('close', resolve));
  // k6 writes it once it loads.
  const loads = () => files().some((file) => !before.has(file) && file.endsWith('seconds.jsonl'));
  while (!loads() && child.exitCode === null) await sleep(100);
  assert.match(envFile('stack.env').TARGET_SETTINGS ?? '', /CACHE_TTL=6[12]/);
  child.kill('SIGTERM');
  assert.equal(await ended, 105, output);
  assert.match(output, /^interrupted$/m);
  assert.equal(envFile('stack.env').TARGET_SETTINGS ?? '', '');
});
