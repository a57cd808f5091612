/** What a run says of a server that dies, stands still again and again, or is called too rarely to be judged. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runTest } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { startDying, startPausing } from './waiting-servers.js';

await ownStack({ up: 'observe' });

const COMMON = { PROFILE: 'smoke', TOOL: 'look', MAX_BACKGROUND_CPU: '1' };

/** @param {string} scenario @param {Promise<{url: string, close: () => Promise<void>}>} starting @param {Record<string, string>} variables */
async function runAgainst(scenario, starting, variables) {
  const server = await starting;
  try {
    const run = await runTest(scenario, { ...COMMON, TARGET_URL: server.url, ...variables });
    assert.ok(run.document, run.output);
    return run;
  } finally {
    await server.close();
  }
}

/** @param {any} document @param {string} kind */
const findingOf = ({ findings }, kind) => findings.find((/** @type {any} */ one) => one.kind === kind);

test('a server that a spike has killed fails, however few calls could still be made', async () => {
  const { code, document, output } = await runAgainst('spike', startDying(20), {
    TARGET_TIMEOUT: '2s',
    MAX_VUS: '60',
    THRESHOLDS: 'recovered.p95_ms=500',
  });
  assert.equal(code, 99, output);
  assert.match(document.headline, /^FAIL: /);
  const recovered = document.phases.find((/** @type {any} */ { name }) => name === 'recovered');
  assert.equal(recovered.failure_rate, 1);
  assert.match(findingOf(document, 'recovery').statement, /^did not recover within/);
});

test('a server that stands still again and again: how often, and for how long', async () => {
  const { document, output } = await runAgainst('sustained', startPausing(5000, 500), {
    DURATION: '25s',
    RATE_SCALE: '0.6',
  });
  const stall = findingOf(document, 'episode');
  assert.equal(stall?.subject, 'stall', output);
  assert.ok(stall.figures.episodes >= 3, stall.statement);
  assert.ok(stall.figures.stall_s >= 0.4 && stall.figures.stall_s <= 0.7, stall.statement);
  assert.ok(stall.figures.period_s >= 4 && stall.figures.period_s <= 6, stall.statement);
  assert.match(document.headline, /Stood still \d times for 0\.\d s every [\d.]+ s in sustained/);
});

test('too few calls are known before, and the default is judged by a lower percentile', async () => {
  const { code, document, output } = await runAgainst('spike', startPausing(1e9, 0), {
    RATE_SCALE: '0.2',
    THRESHOLDS: 'documents',
  });
  assert.ok([0, 99].includes(code ?? -1), output);
  const metrics = document.thresholds.map((/** @type {any} */ { metric }) => metric);
  assert.ok(metrics.includes('p95_ms') && !metrics.includes('p99_ms'), metrics.join());
});
