/** What is said if no resource was at its limit, at the limits of each statement. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  awayFound,
  awayIn,
  concurrencyFound,
  machineFound,
  nothingFound,
} from '../../../../analysis/bottleneck/no-suspect.ts';
import { answering } from './synthetic.js';

/** @typedef {import('../../../../analysis/bottleneck/bottleneck.ts').Case} Case */
/** @typedef {import('../../../../analysis/judge/phases.ts').Phase} Phase */

const OBSERVATION = {
  series: 'client.p99',
  unit: 'milliseconds',
  from: 30,
  to: 900,
  threshold: 39,
  at: null,
};

/** 40/s for calls of 250 ms. */
const CAPACITY = answering(40, 10);

/**
 * @param {object} [difference]
 * @param {Record<string, number>} [difference.levels] of the series, in all three points
 * @param {Partial<Phase>} [difference.phase]
 * @param {boolean} [difference.failing]
 * @param {Case['capacity']} [difference.capacity]
 * @param {Case['parts']} [difference.parts]
 */
const caseOf = ({ levels = {}, phase = {}, failing = true, capacity = null, parts = null } = {}) =>
  /** @type {Case} */ (
    /** @type {unknown} */ ({
      breakage: {
        phase: { name: 'busy', ...phase },
        baseline: { name: 'calm' },
        statement: 'p99 was 900 ms',
        observation: OBSERVATION,
        failing,
        normal: { first: 0, last: -1 },
        broken: { first: 0, last: 2 },
      },
      reader: {
        series: (/** @type {string} */ name) =>
          name in levels ? { unit: 'ratio', values: Array(3).fill(levels[name]) } : null,
      },
      capacity,
      parts,
    })
  );

test('the target was away if 90 % of the failures found no connection or timed out', () => {
  const away = (/** @type {Partial<Phase>} */ phase) =>
    awayIn(/** @type {Phase} */ ({ name: 'busy', ...phase }), 'busy failed', OBSERVATION);
  const finding = away({ requests: 1000, failed: 100, failures: { connect: 20, tool: 10, timeout: 70 } });
  assert.equal(
    finding?.statement,
    'the target was unreachable or did not respond in busy: of 1,000 requests, 70 timed out (timeout), 20 failed to connect or lost the connection (connect)',
  );
  assert.deepEqual(finding?.figures, { timeout: 70, connect: 20, requests: 1000 });
  assert.equal(away({ requests: 1000, failed: 100, failures: { connect: 19, tool: 11, timeout: 70 } }), null);
  assert.equal(away({ requests: 1000, failed: 0, failures: {} }), null);
});

test('a server that answered while calls waited is there, up to 90 % of failures without a connection', () => {
  const subject = (/** @type {number} */ connect, /** @type {Parameters<typeof caseOf>[0]} */ more = {}) => {
    const failures = { connect, timeout: 100 - connect };
    return awayFound(caseOf({ phase: { requests: 1000, failed: 100, failures }, ...more }))?.subject;
  };
  assert.equal(subject(90, { capacity: CAPACITY }), 'target away');
  assert.equal(subject(89, { capacity: CAPACITY }), undefined);
  assert.equal(subject(0), 'target away');
  assert.equal(subject(90, { failing: false }), undefined);
  const one = { requests: 1000, failed: 1, failures: { timeout: 1 } };
  assert.equal(awayFound(caseOf({ phase: one, capacity: CAPACITY })), null);
});

test('a machine is full from 85 % on, and who took half of that or more is named', () => {
  const found = (/** @type {Record<string, number>} */ levels) => machineFound(caseOf({ levels }));
  assert.equal(found({ host_cpu: 0.84, server_cpu: 0.8 }), null);
  assert.equal(found({ server_cpu: 0.8 }), null);
  const server = found({
    host_cpu: 0.9,
    server_cpu: 0.45,
    generator_cpu: 0.05,
    db_cpu: 0.1,
    cache_cpu: 0.04,
  });
  assert.equal(
    server?.statement,
    "the target CPU limited the run in busy (machine): 90 % of the machine's CPU was in use: the server 45 %, the database 10 %, k6 5 %",
  );
  assert.deepEqual(server?.figures, { host_cpu_ratio: 0.9 });
  assert.match(server?.evidence.at(-1) ?? '', /profile what a request computes/);
  const shared = found({ host_cpu: 0.85, server_cpu: 0.42 });
  assert.equal(
    shared?.statement,
    "the host CPU limited the run in busy (shared): 85 % of the machine's CPU was in use: the server 42 %",
  );
  assert.match(shared?.evidence.at(-1) ?? '', /run k6 on another machine/);
  assert.match(found({ host_cpu: 0.85 })?.statement ?? '', /85 % of the machine's CPU was in use$/);
});

test('the concurrency is named from one call at a time on, if its interval is no wider than its value', () => {
  const subject = (/** @type {number} */ value, /** @type {number} */ low, /** @type {number} */ high) =>
    concurrencyFound(caseOf({ capacity: { ...CAPACITY, parallelism: { value, low, high } } }))?.subject;
  assert.equal(subject(4, 2, 6), "server's concurrency");
  assert.equal(subject(4, 2, 6.1), undefined);
  assert.equal(subject(0.9, 0.8, 1), "server's concurrency");
  assert.equal(subject(0.9, 0.8, 0.99), "server's concurrency");
  assert.equal(subject(0.7, 0.5, 0.9), undefined);
  assert.equal(concurrencyFound(caseOf({ capacity: { ...CAPACITY, parallelism: null } })), null);
  assert.equal(concurrencyFound(caseOf()), null);
});

test('what the concurrency is read from', () => {
  const finding = concurrencyFound(caseOf({ capacity: CAPACITY }));
  assert.equal(
    finding?.statement,
    "the server's concurrency limited the run in busy: it answers at most 40/s, about 10 calls at a time; no monitored resource was at its limit",
  );
  assert.deepEqual(finding?.figures, { answers_per_s: 40, service_ms: 250, parallelism: 10 });
  assert.deepEqual(finding?.evidence.slice(0, -1), [
    'p99 was 900 ms',
    "a call took 250 ms in calm without waiting; by Little's law, 40/s is about 10 calls at a time",
  ]);
});

test('inconclusive, with the time that was added in milliseconds and the number of signals without samples', () => {
  const parts = { addedS: 0.19, shares: {} };
  const finding = nothingFound(caseOf({ parts, levels: { host_cpu: 0.4 } }), ['request']);
  assert.deepEqual(finding.figures, { added_ms: 190, missing_signals: 1 });
  assert.match(finding.statement, /set TARGET_METRICS/);
  assert.deepEqual(finding.evidence, [
    'p99 was 900 ms',
    'utilization: host cpu 40 %',
    'a request took 190 ms longer on average',
    'no samples of request',
  ]);
  const complete = nothingFound(caseOf(), []);
  assert.deepEqual(complete.figures, { added_ms: null, missing_signals: 0 });
  assert.equal(
    complete.statement,
    'the bottleneck in busy is inconclusive: no monitored resource was at its limit',
  );
  assert.deepEqual(complete.evidence, ['p99 was 900 ms']);
});
