import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectionsFinding } from '../../../analysis/findings/connections-finding.ts';

/** @param {object} connections @param {object} [more] @returns {any} a measured phase of 100 calls with a p95 of 300 ms */
const phase = (connections, more = {}) => ({
  name: 'baseline',
  measured: true,
  calls: 100,
  latency_ms: { p95: 300 },
  parts: { blocked: 0, connecting: 0.1, tls: 0.6, sending: 0, waiting: 0.3, receiving: 0 },
  connections: {
    opened: 20,
    opened_per_s: 2,
    calls_per_connection: 5,
    follow_ups: 80,
    reopened: 0,
    closed_by_server: 0,
    until_connected_p95_ms: 10,
    ...connections,
  },
  ...more,
});

/** @param {any[]} phases */
const said = (...phases) => connectionsFinding({ phases }).map(({ statement }) => statement);

test('connecting is named from a third of p95 on', () => {
  assert.deepEqual(said(phase({ until_connected_p95_ms: 99 })), []);
  assert.deepEqual(said(phase({ until_connected_p95_ms: 100 })), [
    'connecting took 100 ms at p95 in baseline, 33.3 % of the p95 latency (300 ms)',
  ]);
  // Fast enough for anybody.
  assert.deepEqual(said(phase({ until_connected_p95_ms: 0.5 }, { latency_ms: { p95: 0.9 } })), []);
});

test('a server that closes each connection is named, whether it says so or not', () => {
  assert.match(said(phase({ closed_by_server: 100 })).join(), /closes the connection .*Connection: close/);
  assert.match(said(phase({ reopened: 78 })).join(), /^the server closes the connection after each answer$/);
  assert.deepEqual(said(phase({ reopened: 60 })), []);
  assert.match(
    said(phase({ closed_by_server: 100, until_connected_p95_ms: 290 })).join(),
    /closes the connection .*: connecting took 290 ms at p95/,
  );
});

test('too few calls say nothing, and neither does a run in which nobody looked', () => {
  const few = { calls: 19 };
  assert.deepEqual(said(phase({ until_connected_p95_ms: 300, closed_by_server: 19 }, few)), []);
  assert.deepEqual(said(phase({ follow_ups: 19, reopened: 19 })), []);
  assert.deepEqual(said({ ...phase({}), connections: undefined }), []);
});

test('of several phases the one in which connecting took longest', () => {
  const spike = phase({ until_connected_p95_ms: 250 }, { name: 'spike' });
  const [finding, ...others] = connectionsFinding({
    phases: [phase({ until_connected_p95_ms: 200 }), spike],
  });
  assert.equal(finding?.phase, 'spike');
  assert.equal(others.length, 0);
  assert.match(finding?.evidence.join('; ') ?? '', /TLS 60 %/);
});
