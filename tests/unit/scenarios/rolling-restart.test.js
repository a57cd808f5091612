import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namesPort } from '../../../cli/run/own-server.ts';
import { switchConfig } from '../../../scenarios/rolling-restart/switch.ts';
import { statementsOf } from '../../statements.js';
import { runOf, STARTED_MS, summary } from '../analysis/build.js';
import { rowsOf } from './rows-of.js';

const SWITCHED_MS = STARTED_MS + 25_000;
const RESULT = {
  beganMs: SWITCHED_MS,
  endedMs: SWITCHED_MS + 2500,
  takeover: { readyMs: 800, stoppingMs: SWITCHED_MS + 2000 },
};

/** @param {{expired?: number, failures?: Record<string, number>, held?: [number, number][], closed?: [number, number][]}} [how]
 * held: seconds after the switch, and how many from then on; closed: when, and how many */
const rolling = ({ expired = 0, failures = {}, held = [], closed = [] } = {}) => {
  const phases = ['baseline', 'fault', 'after'].map((part) => ({
    ...{ name: `rolling-${part}`, labels: { part }, offered_rps: 50 },
    figures: { iterations: 1000, requests: 1000, p99: 10, failures: part === 'fault' ? failures : {} },
  }));
  const metrics = { 'mcp_sessions_expired{phase:rolling-fault}': { values: { count: expired } } };
  const points = held.map(([s, count]) => ({ at: SWITCHED_MS + s * 1000, count }));
  const ends = closed.flatMap(([s, count]) =>
    Array.from({ length: count }, () => ({
      ...{ asked: STARTED_MS, held: 20, openedMs: 2, ageMs: SWITCHED_MS + s * 1000 - STARTED_MS },
      ...{ silentMs: 1000, messages: 0, status: 200 },
    })),
  );
  return runOf({
    summary: {
      ...summary({ plan: { test: 'rolling-restart' }, phases, metrics }),
      streams: [{ asked: 20, opened: 20, lost: ends.length, messages: 0, held: points, ends }],
    },
    trials: { trials: [], error: null, result: RESULT },
  });
};

/** @param {Awaited<ReturnType<typeof rolling>>} run */
const textOf = ({ findings }) => statementsOf(findings, 'rolling-restart');

test('nothing lost: no call, no session and no stream', async () => {
  const run = await rolling({ held: [[-20, 20]] });
  assert.match(textOf(run), /^no call failed during or after the replacement \(2,000 calls\)$/m);
  assert.match(textOf(run), /^all 20 streams stayed open$/m);
  assert.doesNotMatch(textOf(run), /sessions/);
  assert.deepEqual(
    rowsOf(run.tables[0]).map(({ part, calls }) => [part, calls]),
    [
      ['before the replacement', 1000],
      ['during the replacement', 1000],
      ['after the replacement', 1000],
    ],
  );
});

test('sessions that the new server did not know, and calls that failed, by kind', async () => {
  const text = textOf(await rolling({ expired: 150, failures: { connect: 20, http_5xx: 10 } }));
  assert.match(
    text,
    /^the new server did not know the old server's sessions: 150 sessions had to be re-opened$/m,
  );
  assert.match(text, /^30 of 2,000 calls failed during and after the replacement: 20 connect, 10 http_5xx$/m);
});

/** @type {[string, [number, number][], [number, number][], RegExp][]} */
const STREAMS = [
  [
    'that close and are opened again',
    [
      [-20, 20],
      [2.5, 0],
      [3.6, 15],
      [4.5, 20],
      [35, 0],
    ],
    [[2.5, 20]],
    /^20 of 20 streams closed; all were open again 2 s after the replacement$/m,
  ],
  [
    'of two servers that stop one after the other',
    [
      [-20, 20],
      [3, 10],
      [4, 20],
      [6.5, 10],
      [7.5, 20],
      [35, 0],
    ],
    [
      [3, 10],
      [6.5, 10],
      [35, 20],
    ],
    /^20 of 20 streams closed; all were open again 5 s after the replacement$/m,
  ],
  [
    'that close and are not opened again',
    [
      [-20, 20],
      [2.5, 4],
      [35, 0],
    ],
    [[2.5, 16]],
    /^16 of 20 streams closed; not all of them were re-opened before the load ended$/m,
  ],
  [
    'that are closed again and again',
    [[-20, 20]],
    [
      [3, 20],
      [6, 20],
    ],
    /^20 streams closed 40 times; /m,
  ],
  [
    'that the clients close at the end of the load',
    [
      [-20, 20],
      [34.8, 0],
    ],
    [[34.8, 20]],
    /^all 20 streams stayed open$/m,
  ],
];
for (const [what, held, closed, says] of STREAMS)
  test(`streams ${what}`, async () => assert.match(textOf(await rolling({ held, closed })), says));

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
