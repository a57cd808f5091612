import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryLine } from '../../../scenarios/connections/table.ts';
import { near, runOf, signal, summary, trend } from '../analysis/build.js';
import { rowsOf } from './rows-of.js';

/** @typedef {import('../../../scenarios/connections/trials.ts').ConnectionsResult} Result */

const MIB = 1024 ** 2;

/** @param {number} size @param {number | null} memory @returns {Result['idle'][number]} */
const step = (size, memory) => ({
  trial: `idle-${size}`,
  size,
  streams: size,
  lost: 0,
  opened: size,
  handshakes_per_s: 500,
  handshake_p50_ms: 20,
  handshake_p95_ms: 40,
  handshake_p99_ms: 60,
  memory_bytes: memory,
  holder_bytes: 50 * MIB,
});

/** @param {number} known */
const abandonedOf = (known) => ({ probes: 20, known, after_s: 20, before: 30, most: 400, left: 0 });

/** @type {Result} */
const RESULT = {
  idle: [step(0, 300 * MIB), step(1000, 400 * MIB), step(2000, 500 * MIB)],
  stopped: null,
  active: [{ trial: 'active-1000', size: 1000 }],
  abandoned: abandonedOf(0),
};

/** @param {Partial<Result>} [change] @param {number} [p99] */
const connections = (change = {}, p99 = 8) => {
  const result = { ...RESULT, ...change };
  const names = [
    ...result.idle.map(({ trial }) => trial),
    ...result.active.map(({ trial }) => trial),
    'churn',
    'abandoned',
  ];
  const phases = names.map((name) => ({
    name,
    vus: 5,
    offered_rps: null,
    figures: { iterations: 1000, requests: 1000, p99 },
  }));
  const session = (/** @type {string} */ phase) => ({
    [`mcp_session_duration{phase:${phase}}`]: { type: 'trend', contains: 'time', values: trend(30, 1000) },
  });
  return runOf(
    {
      summary: summary({
        plan: { test: 'connections' },
        phases,
        metrics: { ...session('churn'), ...session('abandoned') },
      }),
      trials: { trials: [], error: null, result },
    },
    {
      signals: [
        signal('generator_memory', 'idle-1000', 100 * MIB),
        signal('memory', 'active-1000', 600 * MIB),
      ],
    },
  );
};

test('idle ones with their memory at rest, active ones with that under load, in the zones of the document', async () => {
  const { tables } = await connections();
  const [, idle, , active] = rowsOf(tables[0]);
  const same = { number: 1000, messages: 50, p99: 8, CPU: null, 'host CPU': null, status: 'safe' };
  near(idle, { ...same, sessions: 'idle', memory: 400 * MIB, generator: 150 * MIB });
  near(active, { ...same, sessions: 'active', memory: 600 * MIB, generator: null });
  const zones = await Promise.all([12, 20].map((p99) => connections({}, p99)));
  near(
    zones.map((run) => rowsOf(run.tables[0])[0]?.status),
    ['warning', 'danger'],
  );
});

test('what an idle session costs is the slope, where there is one', async () => {
  assert.equal(Math.round(memoryLine(RESULT)?.slope ?? 0), Math.round(100 * 1.024 * 1.024 * 1000));
  const { tables, findings } = await connections();
  assert.equal(rowsOf(tables[1])[0]?.steps, 3);
  assert.ok(findings.some(({ statement }) => /one costs the server 102 KiB/.test(statement)));

  const noise = [step(0, 300 * MIB), step(1000, 500 * MIB), step(2000, 400 * MIB)];
  const unclear = await connections({ idle: noise });
  assert.equal(rowsOf(unclear.tables[1])[0]?.from, 0);
  assert.ok(unclear.findings.some(({ statement }) => /not enough to tell/.test(statement)));
  const unknown = await connections({ idle: [step(0, null), step(1000, null)] });
  assert.ok(unknown.findings.some(({ statement }) => /is not known/.test(statement)));
});

test('how sessions come and go, and whether they are given back', async () => {
  const { tables, thresholds, verdict } = await connections();
  near(
    rowsOf(tables[2]).map(({ sessions, ...figures }) => figures),
    [
      { handshakes: 500, p50: 20, p95: 40, p99: 60, 'sessions so far': 2000 },
      { handshakes: 50, p50: 15, p95: 27, p99: 30, 'sessions so far': 1000 },
      { handshakes: 50, p50: 15, p95: 27, p99: 30, 'sessions so far': 1000 },
    ],
  );
  assert.ok(thresholds.some(({ metric, outcome }) => metric === 'sessions_kept' && outcome === 'pass'));
  assert.equal(verdict.outcome, 'pass');

  const kept = await connections({ abandoned: abandonedOf(20) });
  assert.equal(kept.verdict.outcome, 'fail');
  assert.match(kept.verdict.reasons.join(), /sessions that nobody used .* was 20/);
});

test('another server is asked, and not judged: when it gives sessions back is its own to say', async () => {
  const abandoned = { probes: 20, known: 20, after_s: 20, before: null, most: null, left: null };
  const { thresholds, findings } = await connections({ abandoned });
  assert.ok(!thresholds.some(({ metric }) => metric === 'sessions_kept'));
  assert.ok(findings.some(({ statement }) => /the server still knew 20/.test(statement)));
});

test('why there were not more is said', async () => {
  const { tables, findings } = await connections({ stopped: 'EMFILE' });
  assert.match(tables[0]?.notes.join() ?? '', /not held: EMFILE/);
  assert.ok(findings.some(({ statement }) => /then no more: EMFILE/.test(statement)));
});
