/** The latency of a run is what its clients waited: with the calls that got no answer, and with the connections. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { reportOf, runTest } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { scratchFolder } from '../scratch.js';
import { documentOf, interrupt } from '../stack/interrupt.js';
import { UNDER_LOAD } from '../under-load.js';
import { makeCertificates } from './certificates.js';
import {
  startHanging,
  startHolding,
  startOneAtATime,
  startRefusing,
  startSlowHandshake,
} from './waiting-servers.js';

await ownStack({ up: 'observe' });

/** 17 calls/s, after a warm-up of 3 s at the same rate. */
const SHORT = { PROFILE: 'smoke', DURATION: '4s', RATE_SCALE: '0.1', THRESHOLDS: 'off', TOOL: 'look' };
const FIGURES = ['min', 'avg', 'p50', 'p75', 'p90', 'p95', 'p99', 'p999', 'max'];

/**
 * @param {string} scenario
 * @param {Promise<{url: string, close: () => Promise<void>}>} starting the server
 * @param {Record<string, string>} variables
 */
async function runAgainst(scenario, starting, variables) {
  const server = await starting;
  try {
    const run = await runTest(scenario, { TARGET_URL: server.url, ...SHORT, ...variables });
    assert.ok(run.document, run.output);
    return run;
  } finally {
    await server.close();
  }
}

/** @param {any} document @param {string} name */
function phaseOf(document, name) {
  const phase = document.phases.find((/** @type {any} */ one) => one.name === name);
  assert.ok(phase, name);
  return phase;
}

/** @param {any} document */
const connectionFindings = ({ findings }) =>
  findings.filter((/** @type {any} */ { kind }) => kind === 'connections');

test('a server that hangs: the calls without an answer are in the latency, and miss its objective', async () => {
  // 51 of the warm-up, and about half of the 119 that are measured; a p99 wants 100.
  const run = await runAgainst('sustained', startHanging(110), {
    DURATION: '7s',
    TARGET_TIMEOUT: '2s',
    // Nothing but the latency can be missed.
    THRESHOLDS: 'sustained.failure_rate=1,sustained.p99_ms=500',
  });
  const { latency_ms, outcomes, answered } = phaseOf(run.document, 'sustained');
  assert.ok(latency_ms.p99 >= 2000, JSON.stringify(latency_ms));
  assert.ok(latency_ms.at_least?.includes('p99'), JSON.stringify(latency_ms));
  assert.ok(answered > 0 && outcomes.unanswered.calls > 0, JSON.stringify(outcomes));
  assert.ok(outcomes.unanswered.latency_ms.min >= 2000, JSON.stringify(outcomes));
  const missed = run.document.thresholds.find((/** @type {any} */ one) => one.metric === 'p99_ms');
  assert.equal(missed.outcome, 'fail', JSON.stringify(missed));
  assert.equal(run.code, 99, run.output);
  assert.match(run.document.headline, />\s?2,0\d\d ms/);
  assert.match(reportOf(run), /(>|&gt;)\s?2,0\d\d/);
});

test('a server that refuses every second call: each outcome has its own latency', async () => {
  const { document } = await runAgainst('sustained', startRefusing(20), {});
  const { answered, outcomes } = phaseOf(document, 'sustained');
  assert.deepEqual(Object.keys(outcomes ?? {}).sort(), ['ok', 'rejected']);
  const { ok, rejected } = outcomes;
  for (const { calls, latency_ms } of [ok, rejected]) {
    assert.ok(Math.abs(calls - answered / 2) <= 5, `${calls} of ${answered}`);
    for (const figure of FIGURES) assert.ok(latency_ms[figure] >= 0, figure);
  }
  assert.equal(ok.calls + rejected.calls, answered);
  assert.ok(ok.latency_ms.min >= 19, JSON.stringify(ok));
  assert.ok(rejected.latency_ms.p50 < ok.latency_ms.p50, JSON.stringify(outcomes));
});

const HANDSHAKE_MS = 300;

test('a server that closes each connection: handshakes are in the latency, and a finding says so', async () => {
  const { serverKey, serverCert, ca } = makeCertificates(scratchFolder());
  const tls = { key: readFileSync(serverKey), cert: readFileSync(serverCert) };
  const variables = { TARGET_CA: ca, MAX_VUS: '20' };
  const { document } = await runAgainst('sustained', startSlowHandshake(HANDSHAKE_MS, tls, true), variables);
  const { latency_ms, parts, connections, answered } = phaseOf(document, 'sustained');
  // A timer of Node.js may come a millisecond early.
  assert.ok(latency_ms.p50 >= HANDSHAKE_MS - 2, JSON.stringify(latency_ms));

  const names = ['blocked', 'connecting', 'tls', 'sending', 'waiting', 'receiving'];
  assert.deepEqual(
    Object.keys(parts ?? {}).filter((name) => !names.includes(name)),
    [],
  );
  const shares = /** @type {number[]} */ (Object.values(parts ?? {}));
  const sum = shares.reduce((total, share) => total + share, 0);
  assert.ok(Math.abs(sum - 1) <= 0.02, JSON.stringify(parts));
  assert.ok(parts.tls >= 0.5, JSON.stringify(parts));

  assert.ok(connections.opened >= 0.9 * answered, JSON.stringify(connections));
  assert.ok(connections.opened_per_s > 0, JSON.stringify(connections));
  assert.ok(connections.reopened > 0, JSON.stringify(connections));
  assert.ok(connections.calls_per_connection <= 1.1, JSON.stringify(connections));

  const [finding] = connectionFindings(document);
  assert.ok(finding, JSON.stringify(document.findings));
  assert.match(finding.statement, /clos\w+ (each|every|the) connection/i);
  assert.match(finding.statement, /connecting|handshake/i);
  assert.match(finding.statement, /p95/);
  assert.match(finding.statement, /\d ?%/);
});

test('a server that keeps connections: there is no such finding', async () => {
  const { serverKey, serverCert, ca } = makeCertificates(scratchFolder());
  const tls = { key: readFileSync(serverKey), cert: readFileSync(serverCert) };
  const variables = { TARGET_CA: ca, MAX_VUS: '2' };
  const { document } = await runAgainst('sustained', startSlowHandshake(HANDSHAKE_MS, tls, false), variables);
  const { connections } = phaseOf(document, 'sustained');
  assert.deepEqual(connectionFindings(document), []);
  assert.ok(connections.opened <= 2 && connections.reopened === 0, JSON.stringify(connections));
  assert.ok(connections.calls_per_connection >= 10, JSON.stringify(connections));
});

/** @param {string} folder of a run @returns {{named: Map<string, any>, seconds: any[]}} named: the groups, by number */
function readSeconds(folder) {
  const lines = readFileSync(`${folder}/seconds.jsonl`, 'utf8').trim().split('\n');
  const parsed = lines.map((line) => JSON.parse(line));
  const groups = parsed.filter(({ group }) => group !== undefined);
  return {
    named: new Map(groups.map((group) => [String(group.group), group])),
    seconds: parsed.filter(({ at }) => at !== undefined),
  };
}

test('an overload: a call counts where it began, an answer where it came', async () => {
  // 60/s for 4 s against a server that does 20/s: answers go on for 8 s after it.
  const run = await runAgainst('spike', startOneAtATime(50), {
    DURATION: '24s',
    RATE_SCALE: '0.15',
    TARGET_TIMEOUT: '30s',
  });
  const spike = phaseOf(run.document, 'spike');
  assert.equal(spike.offered_rps, 60);
  assert.ok(spike.achieved_rps > 5 && spike.achieved_rps <= 1.25 * 20, `${spike.achieved_rps}/s`);

  const { named, seconds } = readSeconds(run.folder);
  const end = Date.parse(spike.end) / 1000;
  const late = { requests: 0, answered: 0 };
  let requests = 0;
  /** @type {Map<number, number>} */
  const answeredAt = new Map();
  for (const { at, groups } of seconds) {
    for (const [number, counts] of Object.entries(/** @type {Record<string, any>} */ (groups ?? {}))) {
      const { phase, operation } = named.get(number);
      // Only tools/call waits for its turn.
      const answered = operation === 'look' ? (counts.answered?.ok ?? 0) : 0;
      answeredAt.set(at, (answeredAt.get(at) ?? 0) + answered);
      if (phase !== 'spike') continue;
      requests += counts.requests ?? 0;
      if (at < end + 1) continue;
      late.requests += counts.requests ?? 0;
      late.answered += answered;
    }
  }
  assert.equal(requests, spike.requests);
  assert.equal(late.requests, 0, 'its calls began before its end');
  assert.ok(late.answered > 20, `${late.answered} answers came after it`);
  // Ten more than it does in a second: those of a generator that stood still for half of one.
  const most = Math.max(...answeredAt.values());
  assert.ok(most > 0 && most <= 30, `${most} answers in a second`);
});

test('calls that are open when the run is interrupted are counted, and named in the report', async () => {
  const server = await startHolding(5);
  try {
    const variables = { TARGET_URL: server.url, ...SHORT, DURATION: '30s', TARGET_TIMEOUT: '60s' };
    const words = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
    const ended = await interrupt(['scripts/run', 'sustained', ...words], { at: UNDER_LOAD, afterMs: 6000 });
    assert.equal(ended.code, 105, ended.output);
    const { interrupted, start, end } = phaseOf(documentOf(ended.id), 'sustained');
    assert.ok(interrupted?.calls >= 1, JSON.stringify(interrupted));
    const since = Date.parse(interrupted.since);
    assert.ok(since >= Date.parse(start) && since <= Date.parse(end), `${start} ${interrupted.since} ${end}`);
    const report = readFileSync(`${process.env.RESULTS_DIR}/${ended.id}/report.md`, 'utf8');
    assert.match(report, /\d+ calls? (was|were) still open/);
  } finally {
    await server.close();
  }
});
