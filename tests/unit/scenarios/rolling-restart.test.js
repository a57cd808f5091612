import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namesPort } from '../../../cli/run/own-server.ts';
import { switchConfig } from '../../../scenarios/rolling-restart/switch.ts';
import { runOf, STARTED_MS, summary } from '../analysis/build.js';
import { rowsOf } from './rows-of.js';

const SWITCHED_MS = STARTED_MS + 25_000;
const RESULT = {
  readyMs: 800,
  switchedMs: SWITCHED_MS,
  endingMs: SWITCHED_MS + 2000,
  endedMs: SWITCHED_MS + 2500,
};

/** @param {{expired?: number, failures?: Record<string, number>, held?: [number, number][]}} [how] held: seconds after the switch, and how many from then on */
const rolling = ({ expired = 0, failures = {}, held = [] } = {}) => {
  const phases = ['baseline', 'fault', 'after'].map((part) => ({
    ...{ name: `rolling-${part}`, labels: { part }, offered_rps: 50 },
    figures: { iterations: 1000, requests: 1000, p99: 10, failures: part === 'fault' ? failures : {} },
  }));
  const metrics = { 'mcp_sessions_expired{phase:rolling-fault}': { values: { count: expired } } };
  const points = held.map(([s, count]) => ({ at: SWITCHED_MS + s * 1000, count }));
  return runOf({
    summary: {
      ...summary({ plan: { test: 'rolling-restart' }, phases, metrics }),
      streams: [{ asked: 20, opened: 20, lost: 0, messages: 0, held: points }],
    },
    trials: { trials: [], error: null, result: RESULT },
  });
};

/** @param {Awaited<ReturnType<typeof rolling>>} run */
const textOf = ({ findings }) =>
  findings
    .filter(({ subject }) => subject === 'rolling-restart')
    .map(({ statement }) => statement)
    .join('\n');

test('nothing lost: no call, no session and no stream', async () => {
  const run = await rolling({ held: [[-20, 20]] });
  assert.match(textOf(run), /^no call failed while the server was replaced \(2,000 calls\)$/m);
  assert.match(textOf(run), /^none of 20 streams ended$/m);
  assert.doesNotMatch(textOf(run), /sessions/);
  assert.deepEqual(
    rowsOf(run.tables[0]).map(({ part, calls }) => [part, calls]),
    [
      ['before', 1000],
      ['while it is replaced', 1000],
      ['after', 1000],
    ],
  );
});

test('sessions that the new server did not know, and calls that failed, by kind', async () => {
  const text = textOf(await rolling({ expired: 150, failures: { connect: 20, http_5xx: 10 } }));
  assert.match(text, /^the new server did not know the sessions of the old one: 150 sessions had to be/m);
  assert.match(text, /^30 of 2,000 calls failed while .*: 20 connect, 10 http_5xx$/m);
});

/** @type {[string, [number, number][], RegExp][]} */
const STREAMS = [
  [
    'that ended and came back',
    [
      [-20, 20],
      [2.5, 0],
      [3.6, 15],
      [4.5, 20],
      [35, 0],
    ],
    /^20 of 20 streams ended with the old server; all were held again 2 s after it had ended$/m,
  ],
  [
    'that ended and did not come back',
    [
      [-20, 20],
      [2.5, 4],
      [35, 0],
    ],
    /^16 of 20 streams ended with the old server; not all of them came back in time$/m,
  ],
  [
    'that end with the load',
    [
      [-20, 20],
      [34.8, 0],
    ],
    /^none of 20 streams ended$/m,
  ],
];
for (const [what, held, says] of STREAMS)
  test(`streams ${what}`, async () => assert.match(textOf(await rolling({ held })), says));

test('HAProxy listens on loopback alone, and the second server waits for its turn', () => {
  const config = switchConfig(1, '/tmp/x/admin', ['127.0.0.1:3', '[::1]:4']);
  assert.deepEqual(
    [...config.matchAll(/^ {2}bind (.*)$/gm)].map(([, address]) => address),
    ['127.0.0.1:1'],
  );
  assert.match(config, /^ {2}server first 127\.0\.0\.1:3\n {2}server second \[::1\]:4 disabled$/m);
});

/** @type {[string, string, boolean][]} */
const COMMANDS = [
  ['exec node server.js --port=3001', '3001', true],
  ['PORT=3001 npx server', '3001', true],
  ['exec node server.js 13001', '3001', false],
  ['exec node server.js', '', false],
];
for (const [command, port, expected] of COMMANDS)
  test(`a second server with another port: ${command}: ${expected ? '' : 'not '}possible`, () =>
    assert.equal(namesPort(command, port), expected));
