/** Each shape of failures, and the same numbers by chance, which say nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureShapes, findingOf } from '../../../analysis/findings/failures.ts';
import { histogramOfValues, STARTED_MS } from './build.js';

/**
 * A call, or several that are alike.
 *
 * @typedef {object} Call
 * @property {number} at seconds after the start, with its fraction
 * @property {string} [operation]
 * @property {string} [failed] kind
 * @property {number} [ms]
 * @property {string[]} [alongside] operations that had a call in flight
 */

const PHASES = [
  { name: 'calm', fromS: 0, toS: 10, rps: 10 },
  { name: 'busy', fromS: 10, toS: 20, rps: 100 },
];
const START_S = STARTED_MS / 1000;

/** @param {number} at */
const phaseAt = (at) => PHASES.find(({ toS }) => at < toS)?.name ?? '';

/** @param {any} counts @param {Call} call */
function count(counts, { at, operation = 'a', failed, ms = 10, alongside = [] }) {
  counts.requests += 1;
  const outcome = failed ? (failed === 'timeout' ? 'unanswered' : 'failed') : 'ok';
  counts.values[outcome] = [...(counts.values[outcome] ?? []), [ms, 1]];
  if (!failed) counts.well.push([Math.floor((at % 1) * 10 + 1e-6) * 100 + 50, 1]);
  const beganMs = STARTED_MS + Math.round(at * 1000);
  if (failed) {
    counts.failed += 1;
    counts.failures[failed] = (counts.failures[failed] ?? 0) + 1;
    const [first = beganMs, last = beganMs] = counts.failedAt[failed] ?? [];
    counts.failedAt[failed] = [Math.min(first, beganMs), Math.max(last, beganMs)];
  }
  for (const other of alongside.length > 0 ? alongside : ['']) {
    const known = counts.overlaps[other] ?? { calls: 0, failed: 0, at: [beganMs, beganMs] };
    counts.overlaps[other] = {
      calls: known.calls + 1,
      failed: known.failed + (failed ? 1 : 0),
      at: [Math.min(known.at[0], beganMs), Math.max(known.at[1], beganMs)],
    };
  }
  return { ...counts, operation };
}

const none = () => ({
  well: [],
  requests: 0,
  failed: 0,
  failures: {},
  failedAt: {},
  values: {},
  overlaps: {},
});

/** @param {any} counts */
const written = ({ values, well, ...counts }) => ({
  ...counts,
  wellOffsets: histogramOfValues(well),
  durations: Object.fromEntries(
    Object.entries(values).map(([outcome, all]) => [outcome, histogramOfValues(/** @type {any} */ (all))]),
  ),
});

/**
 * @param {Call[]} calls
 * @param {Record<string, string>} [variables]
 * @param {any} [clients]
 * @param {number} [expired] sessions that were opened again
 * @param {any} [processes]
 */
function shapesOf(calls, variables, clients, expired = 0, processes = undefined) {
  /** @type {Map<string, any>} */
  const groups = new Map();
  /** @type {Map<string, any>} */
  const seconds = new Map();
  for (const call of calls) {
    const name = { phase: phaseAt(call.at), operation: call.operation ?? 'a' };
    const key = `${name.phase} ${name.operation}`;
    groups.set(key, { ...count(groups.get(key) ?? none(), call), ...name });
    const second = `${Math.floor(call.at)} ${key}`;
    seconds.set(second, { ...count(seconds.get(second) ?? none(), call), ...name, at: Math.floor(call.at) });
  }
  const names = [...new Set([...groups.values()].map(({ operation }) => operation))];
  const facts = {
    plan: {
      phases: PHASES.map(({ name }) => ({ name, max_vus: 40 })),
      operations: names.map((operation) => ({
        operation,
        method: 'tools/call',
        class: 'read',
        example: { name: operation, arguments: { id: 1 } },
      })),
    },
    phases: PHASES.map(({ name, fromS, toS, rps }) => ({
      name,
      measured: true,
      start: new Date(STARTED_MS + fromS * 1000).toISOString(),
      end: new Date(STARTED_MS + toS * 1000).toISOString(),
      achieved_rps: rps,
      failed: calls.filter((call) => call.failed && phaseAt(call.at) === name).length,
    })),
    groups: [
      ...[...groups.values()].map(written),
      { phase: 'calm', operation: '', metrics: { mcp_sessions_expired: { sum: expired } } },
    ],
    lines: [...seconds.values()].map(({ at, phase, operation, ...counts }) => ({
      second: { at: START_S + at, vus: 1, groups: { 0: written(counts) } },
      groups: new Map([['0', { phase, operation }]]),
    })),
    variables,
    clients,
    processes,
  };
  const known = /** @type {any} */ (facts);
  const { shapes, failed } = failureShapes(known);
  return shapes.map((shape) => findingOf(shape, failed, known));
}

/** Each phase at its rate. @param {(at: number, index: number) => Partial<Call>} of @returns {Call[]} */
function load(of) {
  let index = 0;
  return PHASES.flatMap(({ fromS, toS, rps }) =>
    Array.from({ length: (toS - fromS) * rps }, (_, turn) => {
      const at = fromS + turn / rps;
      return { at, ...of(at, index++) };
    }),
  );
}

/** The same numbers in another order. @param {Call[]} calls @param {(call: Call) => boolean} may fail */
function byChance(calls, may = () => true) {
  const kinds = calls.flatMap(({ failed }) => failed ?? []);
  const able = calls.filter(may);
  // Multiples of the golden ratio: evenly spread, and in step with nothing.
  const order = able.map((_, index) => (index * 0.6180339887) % 1);
  const chosen = new Set(
    able
      .map((call, index) => ({ call, rank: order[index] ?? 0 }))
      .sort((a, b) => a.rank - b.rank)
      .slice(0, kinds.length)
      .map(({ call }) => call),
  );
  let next = 0;
  return calls.map((call) => {
    const { failed: _, ...rest } = call;
    return chosen.has(call) ? { ...rest, failed: kinds[next++] ?? '' } : rest;
  });
}

/** @param {ReturnType<typeof shapesOf>} found */
const keysOf = (found) =>
  found.map(({ subject, operation = null, failure_kind = null, figures }) => [
    subject,
    operation,
    failure_kind,
    figures.explained,
  ]);

const OPERATIONS = ['a', 'b', 'c'];
const mixed = (/** @type {number} */ index) => ({ operation: OPERATIONS[index % 3] ?? 'a' });

test('a run without failures, or with a few, has no shape', () => {
  assert.deepEqual(shapesOf(load((_, index) => mixed(index))), []);
  assert.deepEqual(
    shapesOf(load((_, index) => ({ ...mixed(index), ...(index % 300 === 0 && { failed: 'tool' }) }))),
    [],
  );
});

const broken = load((_, index) => ({ ...mixed(index), ...(index % 3 === 1 && { failed: 'http_5xx' }) }));
test('an operation that never answers well is broken, not overloaded', () => {
  const [found, ...others] = shapesOf(broken, { TARGET_URL: 'http://127.0.0.1:1/mcp', PROFILE: 'smoke' });
  assert.deepEqual(others, []);
  assert.deepEqual(keysOf([/** @type {any} */ (found)]), [['operation', 'b', 'http_5xx', 367]]);
  assert.equal(
    found?.statement,
    'b always failed (367 of 367, HTTP 5xx): broken, not overloaded; the other operations succeeded (733 requests)',
  );
  assert.deepEqual(found?.evidence, [
    `to reproduce: make load TARGET_URL=http://127.0.0.1:1/mcp TOOL=b ARGS='{"id":1}' REQUESTS=10 CONCURRENCY=1`,
  ]);
});

test('a process that stops answering after an overlap, be it in the warm-up', () => {
  const silent = { processes: 1, unanswered: 40, since: STARTED_MS - 3000, overlapAt: STARTED_MS - 2500 };
  const overlap = { ...silent, open: 2, openMs: 1, operation: 'a' };
  const turns = { a: { alone: 9, aloneMs: 45, maxMs: 8, behind: 0, gapMs: 0, overtook: 0 } };
  const calls = Array.from({ length: 40 }, (_, index) => ({ at: index / 2, failed: 'timeout' }));
  const statementsOf = (/** @type {any} */ process) =>
    shapesOf(calls, undefined, undefined, 0, [{ starts: 1, restarts: 0, exits: 0, turns, ...process }]).map(
      ({ statement }) => statement,
    );
  assert.deepEqual(statementsOf({ silent: overlap }), [
    'the process stopped answering before the first phase, when 2 calls were open at once: 40 calls since then got no answer',
  ]);
  const late = { ...overlap, since: STARTED_MS + 1500, overlapAt: STARTED_MS + 2000 };
  assert.deepEqual(statementsOf({ starts: 3, silent: late }), [
    '1 of 3 processes stopped answering at 00:02.0, when 2 calls were open at once: 40 calls since then got no answer',
  ]);
  // It was silent before the second call came: the first one had taken as long as never before.
  assert.deepEqual(statementsOf({ silent: { ...overlap, openMs: 900 } }), [
    'the process stopped answering before the first phase: 40 calls since then got no answer',
  ]);
  assert.match(statementsOf({ silent: { ...overlap, unanswered: 2 } }).join(), /^all calls failed/);
});

test('calls without an answer that a process lost, and those that it answered late', () => {
  const calls = load((_, index) => (index % 5 === 0 ? { failed: 'timeout' } : {}));
  const statementsOf = (/** @type {any} */ process) =>
    shapesOf(calls, undefined, undefined, 0, [{ starts: 1, restarts: 0, exits: 0, ...process }]).map(
      ({ statement }) => statement,
    );
  const answered = { alone: 30, overlap: 800 };
  assert.deepEqual(statementsOf({ lost: { alone: 0, overlap: 220 }, answered }), [
    '220 calls got no answer before the end of the run, although later calls did: only calls that overlapped another call; all 30 other calls were answered',
  ]);
  assert.deepEqual(statementsOf({ lost: { alone: 3, overlap: 217 }, answered }), [
    '220 calls got no answer before the end of the run, although later calls did',
  ]);
  assert.deepEqual(statementsOf({ late: 200, lost: { alone: 0, overlap: 20 }, answered }), [
    'the server was overloaded, not broken: it answered 200 of the 220 timed-out calls after the client had stopped waiting',
  ]);
});

test('an operation that fails now and then, while the others do not', () => {
  const calls = load((_, index) => ({ ...mixed(index), ...(index % 30 === 1 && { failed: 'tool' }) }));
  const [found] = shapesOf(calls);
  assert.equal(found?.operation, 'b');
  assert.equal(found?.figures.explained, 37);
});

test('since a moment: all that begins later fails, of one operation', () => {
  const calls = load((at, index) => ({
    operation: index % 40 === 0 ? 'tools/list' : 'a',
    ...(index % 40 === 0 && at >= 12 && { failed: 'jsonrpc' }),
  }));
  const [found, ...others] = shapesOf(calls);
  assert.deepEqual(others, []);
  assert.deepEqual(keysOf([/** @type {any} */ (found)]), [['since', 'tools/list', 'jsonrpc', 20]]);
  assert.ok(Math.abs((found?.figures.since_s ?? 0) - 12) < 1, String(found?.figures.since_s));
  assert.match(
    found?.statement ?? '',
    /^since 00:12\.\d every call of tools\/list failed \(20 of 20, a JSON-RPC error\); 8 earlier calls succeeded/,
  );
  assert.notEqual(shapesOf(byChance(calls))[0]?.subject, 'since');
});

test('a stretch: what begins in it fails, and what begins later does not', () => {
  const calls = load((at) => (at >= 10.2 && at < 11 ? { failed: 'timeout' } : {}));
  const [found, ...others] = shapesOf(calls);
  assert.deepEqual(others, []);
  assert.deepEqual(keysOf([/** @type {any} */ (found)]), [['window', null, 'timeout', 80]]);
  assert.match(
    found?.statement ?? '',
    /between 00:10\.2 and 00:11\.0 failed \(80 of 80, no answer in time\)/,
  );
  assert.notEqual(shapesOf(byChance(calls))[0]?.subject, 'window');
});

test('a burst of which some fail is no stretch in which all do', () => {
  const calls = [
    ...load(() => ({})).filter(({ at }) => at < 10 || at > 11),
    ...Array.from({ length: 200 }, (_, index) => ({
      at: 10.301 + index * 0.0002,
      ...(index % 10 === 3 && { failed: 'connect' }),
    })),
  ].sort((a, b) => a.at - b.at);
  assert.deepEqual(
    shapesOf(calls).filter(({ subject }) => subject === 'window'),
    [],
  );
});

test('one in so many, whatever the load; with more load more of them is no such share', () => {
  const calls = load((_, index) => (index % 50 === 7 ? { failed: 'stalled' } : {}));
  const [found] = shapesOf(calls);
  assert.deepEqual(keysOf([/** @type {any} */ (found)]), [['share', null, 'stalled', 22]]);
  assert.match(found?.statement ?? '', /^1 in 50 calls failed \(22 of 1,100, the answer stalled\)/);
  const underLoad = load((at, index) => (at >= 10 && index % 10 === 7 ? { failed: 'stalled' } : {}));
  assert.deepEqual(shapesOf(underLoad), []);
});

test('calls fail while those of another operation run', () => {
  const calls = load((at, index) => {
    const slow = at % 4 < 1;
    const alongside = [...(slow ? ['slow'] : []), ...(index % 2 ? ['fast'] : [])];
    return index % 20 === 0
      ? { operation: 'slow', alongside: ['fast'] }
      : { operation: 'fast', alongside, ...(slow && { failed: 'timeout' }) };
  });
  const [found, ...others] = shapesOf(calls);
  assert.deepEqual(others, []);
  assert.equal(found?.subject, 'overlap');
  assert.equal(found?.operation, 'fast');
  assert.match(found?.statement ?? '', /^fast failed only while a call of slow was in flight: /);
  assert.equal(found?.figures.alone_failed, 0);
  const scattered = shapesOf(byChance(calls, ({ operation }) => operation === 'fast'));
  assert.deepEqual(
    scattered.filter(({ subject }) => subject === 'overlap'),
    [],
  );
});

test('under load everything is in flight together, which explains nothing', () => {
  const calls = load((at, index) => ({
    ...mixed(index),
    alongside: at >= 10 ? OPERATIONS : [],
    ...(at >= 10 && index % 3 === 1 && index % 2 && { failed: 'timeout' }),
  }));
  assert.deepEqual(
    shapesOf(calls).filter(({ subject }) => subject === 'overlap'),
    [],
  );
});

test('no answer any more once two calls were in flight', () => {
  const calls = load((at) => ({ alongside: at >= 7 ? ['a'] : [], ...(at >= 7 && { failed: 'timeout' }) }));
  const [found] = shapesOf(calls);
  assert.equal(found?.subject, 'overlap');
  assert.match(
    found?.statement ?? '',
    /^since 00:07\.0 every call failed .*, when two calls first overlapped; 70 earlier calls, one at a time, succeeded/,
  );
  // Pings, of which a discovered workload has few, go on.
  const pings = calls.map((call, index) =>
    index % 25 === 0 ? { at: call.at, operation: 'ping', alongside: call.alongside } : call,
  );
  const [withPings] = shapesOf(pings);
  assert.equal(withPings?.subject, 'overlap');
  assert.match(
    withPings?.statement ?? '',
    /^since 00:07\.\d every call of a failed .*; the other operation succeeded \(\d\d requests\)/,
  );
  // A load that is too much: the first that overlap are answered.
  const overload = load((at) => ({
    alongside: at >= 10 ? ['a'] : [],
    ...(at >= 10.4 && { failed: 'timeout' }),
  }));
  assert.equal(shapesOf(overload)[0]?.subject, 'since');
  // They were together long before.
  const early = load((at) => ({ alongside: at >= 2 ? ['a'] : [], ...(at >= 7 && { failed: 'timeout' }) }));
  assert.equal(shapesOf(early)[0]?.subject, 'since');
});

test('two times, independently of the load: a timeout behind the server', () => {
  const slow = (/** @type {number} */ index) => index % 8 === 0;
  const calls = load((_, index) => ({ ms: slow(index) ? 4500 + (index % 7) : 18 + (index % 5) }));
  const [found, ...others] = shapesOf(calls);
  assert.deepEqual(others, []);
  assert.equal(found?.subject, 'modes');
  assert.match(
    found?.statement ?? '',
    /^answers have one of two latencies: 20.* ms, or 4,50\d ms \(12.5 % of them\), independently of the load: /,
  );
  // A queue makes all times in between, and more of the long ones under load.
  assert.deepEqual(shapesOf(load((at, index) => ({ ms: at < 10 ? 20 : 20 + (index % 100) * 45 }))), []);
  assert.deepEqual(shapesOf(load((at, index) => ({ ms: at >= 10 && slow(index) ? 4500 : 20 }))), []);
});

test('sessions that are refused right after they were opened: replicas', () => {
  const calls = load((_, index) => {
    const operation = ['initialize', 'notifications/initialized', 'a'][index % 3] ?? '';
    return { operation, ...(index % 3 > 0 && index % 2 && { failed: 'http_4xx' }) };
  });
  const [found, ...others] = shapesOf(calls, undefined, undefined, 400);
  assert.deepEqual(others, []);
  assert.equal(found?.subject, 'replicas');
  // A server that refuses clients refuses them at the door, and opens nothing again.
  const refusing = calls.map((call, index) => (index % 2 ? { ...call, failed: 'http_4xx' } : call));
  for (const [made, again] of /** @type {[Call[], number][]} */ ([
    [refusing, 400],
    [calls, 0],
  ]))
    assert.notEqual(shapesOf(made, undefined, undefined, again)[0]?.subject, 'replicas');
});

test('some clients fail always, and the others never', () => {
  const calls = load((_, index) => ({
    ...mixed(index),
    ...((index * 7) % 20 === 3 && { failed: 'http_5xx' }),
  }));
  const total = (
    /** @type {number} */ clients,
    /** @type {number} */ made,
    /** @type {number} */ failed,
  ) => ({
    clients,
    calls: made,
    failed,
  });
  const clients = { none: total(19, 1045, 0), some: total(0, 0, 0), all: total(1, 55, 55) };
  const [found, ...others] = shapesOf(calls, undefined, clients);
  assert.deepEqual(others, []);
  assert.equal(found?.subject, 'clients');
  assert.match(found?.statement ?? '', /^1 of 20 clients always failed \(55 calls, HTTP 5xx\), 19 never/);
  const mixture = { none: total(8, 400, 0), some: total(11, 600, 40), all: total(1, 15, 15) };
  assert.equal(shapesOf(calls, undefined, mixture)[0]?.subject, 'share');
  const short = { none: total(1045, 1045, 0), some: total(0, 0, 0), all: total(55, 55, 55) };
  assert.equal(shapesOf(calls, undefined, short)[0]?.subject, 'share');
});

test('of several at once each is told, by its kind or by its operation', () => {
  const kinds = load((at, index) => ({
    ...mixed(index),
    ...(index % 3 === 1 && { failed: 'http_5xx' }),
    ...(index % 3 === 2 && at >= 12 && { failed: 'timeout' }),
  }));
  assert.deepEqual(keysOf(shapesOf(kinds)), [
    ['operation', 'b', 'http_5xx', 367],
    ['since', 'c', 'timeout', 266],
  ]);
  const alike = kinds.map((call) => ({ ...call, ...(call.failed && { failed: 'tool' }) }));
  const found = shapesOf(alike);
  assert.deepEqual(keysOf(found), [
    ['operation', 'b', 'tool', 367],
    ['since', 'c', 'tool', 266],
  ]);
  assert.match(found[0]?.statement ?? '', /; 266 of 733 other requests failed$/);
});
