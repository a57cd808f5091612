import assert from 'node:assert/strict';
import { test } from 'node:test';
import { near, runOf, signal, summary, trend } from '../analysis/build.js';
import { rowsOf } from './rows-of.js';

/** @typedef {import('../../../scenarios/connections/trials.ts').ConnectionsResult} Result */

const MIB = 1024 ** 2;

/** @type {Result} */
const RESULT = {
  idle: [0, 1000, 2000].map((size) => ({ phase: `idle-${size}`, size })),
  active: [{ trial: 'active-1000', size: 1000 }],
  abandoned: { after_s: 20, left: 0 },
};

/**
 * @param {{result?: Partial<Result>, memory?: (number | null)[], p99?: number, known?: number | null, opened?: number, streams?: any[]}} [how] memory: MiB of
 *   the idle steps; known: sessions of 20 that nobody used; opened: in each idle step
 */
const connections = ({
  result = {},
  memory = [300, 400, 500],
  p99 = 8,
  known = /** @type {number | null} */ (0),
  opened = 1000,
  streams = [],
} = {}) => {
  const names = [...RESULT.idle.map(({ phase }) => phase), 'active-1000', 'churn', 'abandoned'];
  const phases = names.map((name) => ({
    name,
    vus: 5,
    offered_rps: null,
    figures: { iterations: 1000, requests: 1000, p99 },
  }));
  const times = { type: 'trend', contains: 'time' };
  const metrics = Object.fromEntries([
    ...['churn', 'abandoned'].map((name) => [
      `mcp_session_duration{phase:${name}}`,
      { ...times, values: trend(30, 1000) },
    ]),
    ...['idle-1000', 'idle-2000'].map((name) => [
      `mcp_stream_opening_duration{phase:${name}}`,
      { ...times, values: trend(60, opened) },
    ]),
    ...(known === null
      ? []
      : [['mcp_sessions_kept{phase:abandoned}', { values: { passes: known, fails: 20 - known } }]]),
  ]);
  return runOf(
    {
      summary: { ...summary({ plan: { test: 'connections' }, phases, metrics }), streams },
      trials: { trials: [], error: null, result: { ...RESULT, ...result } },
    },
    {
      signals: [
        ...memory.flatMap((mib, index) =>
          mib === null ? [] : [signal('memory', RESULT.idle[index]?.phase ?? '', mib * MIB)],
        ),
        signal('generator_memory', 'idle-1000', 100 * MIB),
        signal('memory', 'active-1000', 600 * MIB),
        signal('sessions', 'abandoned', 400),
      ],
    },
  );
};

test('idle ones with their memory at rest, active ones with that under load, in the zones of the document', async () => {
  const { tables } = await connections();
  const [, idle, , active] = rowsOf(tables[0]);
  const same = { number: 1000, messages: 50, p99: 8, CPU: null, 'host CPU': null, status: 'safe' };
  near(idle, { ...same, sessions: 'idle', memory: 400 * MIB, generator: 100 * MIB });
  near(active, { ...same, sessions: 'active', memory: 600 * MIB, generator: null });
  const zones = await Promise.all([12, 20].map((p99) => connections({ p99 })));
  near(
    zones.map((run) => rowsOf(run.tables[0])[0]?.status),
    ['warning', 'danger'],
  );
});

test('what an idle session costs is the slope, where there is one', async () => {
  const { tables, findings } = await connections();
  assert.equal(rowsOf(tables[1])[0]?.steps, 3);
  assert.ok(findings.some(({ statement }) => /each uses 102 KiB of server memory/.test(statement)));

  const unclear = await connections({ memory: [300, 500, 400] });
  assert.equal(rowsOf(unclear.tables[1])[0]?.from, 0);
  assert.ok(unclear.findings.some(({ statement }) => /inconclusive/.test(statement)));
  const unknown = await connections({ memory: [null, null, null] });
  assert.ok(unknown.findings.some(({ statement }) => /is unknown/.test(statement)));
});

test('how sessions come and go, and whether they are given back', async () => {
  const { tables, thresholds, verdict } = await connections();
  near(
    rowsOf(tables[2]).map(({ sessions, ...figures }) => figures),
    [
      { number: 1000, handshakes: null, p50: 30, p95: 54, p99: 60 },
      { number: 1000, handshakes: 50, p50: 15, p95: 27, p99: 30 },
      { number: 1000, handshakes: 50, p50: 15, p95: 27, p99: 30 },
    ],
  );
  assert.ok(thresholds.some(({ metric, outcome }) => metric === 'sessions_kept' && outcome === 'pass'));
  assert.equal(verdict.outcome, 'pass');

  const kept = await connections({ known: 20 });
  assert.equal(kept.verdict.outcome, 'fail');
  assert.match(kept.verdict.reasons.join(), /unused sessions .* was 20/);
});

test('another server is asked, and not judged: when it gives sessions back is its own to say', async () => {
  const abandoned = { after_s: 20, left: null };
  const { thresholds, findings } = await connections({ result: { abandoned }, known: 20 });
  assert.ok(!thresholds.some(({ metric }) => metric === 'sessions_kept'));
  assert.ok(findings.some(({ statement }) => /the server still knew 20/.test(statement)));
});

test('fewer than were asked for, and why', async () => {
  const ends = [{ detail: 'EMFILE' }];
  const { tables, findings } = await connections({ opened: 700, streams: [{ held: [], ends }] });
  assert.match(tables[0]?.notes.join() ?? '', /Idle sessions: 1,400 of 2,000 were opened \(EMFILE\)/);
  assert.ok(findings.some(({ statement }) => /1,400 of 2,000 were opened \(EMFILE\)/.test(statement)));
});

test('a server that gives no session an id keeps none, and none is asked for', async () => {
  const { findings, thresholds } = await connections({ known: null });
  assert.ok(
    findings.some(({ statement }) => statement === 'the server keeps no sessions: it returned no session id'),
  );
  assert.ok(!thresholds.some(({ metric }) => metric === 'sessions_kept'));
});
