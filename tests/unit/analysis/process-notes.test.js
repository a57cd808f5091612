/** What is said of servers that are programs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invalidLines } from '../../../analysis/findings/notes/invalid-lines.ts';
import { oneAtATime } from '../../../analysis/findings/notes/one-at-a-time.ts';
import { processExits } from '../../../analysis/findings/notes/process-exits.ts';
import { processMemory } from '../../../analysis/findings/notes/process-memory.ts';
import { processStart } from '../../../analysis/findings/notes/process-start.ts';
import { histogramOfValues } from './build.js';

/** @param {Record<string, unknown>} process @param {Record<string, unknown>} [rest] */
const known = (process, rest = {}) =>
  /** @type {any} */ ({ groups: [], processes: [{ starts: 1, restarts: 0, exits: 0, ...process }], ...rest });

test('servers that ended are counted', () => {
  const [found] = processExits(known({ exits: 3, restarts: 2 }));
  assert.match(
    found?.statement ?? '',
    /^the server process exited 3 times during the run and was restarted 2 times/,
  );
  assert.deepEqual(processExits(known({})), []);
});

test('lines that are not messages are told, with what to do', () => {
  const groups = [{ metrics: { mcp_invalid_messages: { sum: 1200 } } }];
  const [found] = invalidLines(known({}, { groups }));
  assert.match(found?.statement ?? '', /^the server wrote 1,200 lines that are not JSON-RPC/);
  assert.match(found?.evidence.join() ?? '', /log to standard error/);
  assert.deepEqual(invalidLines(known({})), []);
});

/** Calls of 100 ms, of a process that works on one at a time. */
const SERIAL = { alone: 20, aloneMs: 2000, maxMs: 110, behind: 40, gapMs: 4000, overtook: 0 };

test('a process that works on one call at a time is told from one that works on several', () => {
  const saidOf = (/** @type {Partial<typeof SERIAL>} */ change) =>
    oneAtATime(known({ turns: { a: { ...SERIAL, ...change } } })).map(({ statement }) => statement);
  const serial = 'a server process handles one call at a time: at most 10/s with these calls';
  assert.deepEqual(saidOf({}), [serial]);
  // Calls of equal length at once: each ends soon after the one before.
  assert.deepEqual(saidOf({ gapMs: 2000 }), []);
  // Of any length: half of them overtake.
  assert.deepEqual(saidOf({ overtook: 40 }), []);
  assert.deepEqual(saidOf({ behind: 10, gapMs: 1000 }), []);
  assert.deepEqual(saidOf({ alone: 2, aloneMs: 200 }), []);
  // So short calls show the client's own time.
  assert.deepEqual(saidOf({ aloneMs: 20, gapMs: 40 }), []);
});

test('calls that were never alone show it by their order, if they take different times', () => {
  const saidOf = (/** @type {number} */ gapMs) => {
    const never = { ...SERIAL, alone: 0, aloneMs: 0 };
    return oneAtATime(known({ turns: { a: never, b: { ...never, gapMs } } })).map(
      ({ statement }) => statement,
    );
  };
  assert.match(saidOf(40_000).join(), /^a server process handles one call at a time: at most 1\.82\/s/);
  assert.deepEqual(saidOf(5000), []);
});

test('of several operations each counts as often as it waited', () => {
  const long = { ...SERIAL, aloneMs: 20_000, gapMs: 40_000 };
  assert.equal(oneAtATime(known({ turns: { a: SERIAL, b: long } })).length, 1);
  // The long ones wait and the short ones are never behind: their time alone does not matter.
  const short = { ...SERIAL, aloneMs: 20, behind: 0, gapMs: 0 };
  assert.equal(oneAtATime(known({ turns: { a: short, b: long } })).length, 1);
});

test('memory is told for each server that a client started', () => {
  const run = {
    plan: { target: { url: 'stdio:node server.js' } },
    phases: [{ name: 'a', measured: true }],
    server: { signals: [{ signal: 'memory', phase: 'a', max: 300e6 }] },
  };
  const statementOf = (/** @type {any} */ process, /** @type {any} */ rest = {}) =>
    processMemory(known(process, { ...run, ...rest })).map(({ statement }) => statement);
  assert.deepEqual(statementOf({ starts: 7, exits: 2 }), [
    '5 servers used 286 MiB of memory, 57.2 MiB each, including their child processes',
  ]);
  assert.deepEqual(statementOf({ starts: 1 }), [
    'the server used 286 MiB of memory, including its child processes',
  ]);
  assert.deepEqual(statementOf({ starts: 7 }, { variables: { PROCESSES: 'per-call' } }), []);
  assert.deepEqual(statementOf({ starts: 7 }, { server: { signals: [] } }), []);
});

test('the start of a process for each call is a part of what a client waits', () => {
  const groups = [
    {
      durations: { ok: histogramOfValues([[10, 50]]) },
      metrics: { mcp_process_start_duration: { values: histogramOfValues([[990, 50]]) } },
    },
  ];
  const [found] = processStart(known({}, { groups, variables: { PROCESSES: 'per-call' } }));
  assert.match(
    found?.statement ?? '',
    /^starting a process per call takes 991 ms \(p50\), 99 % of the client's/,
  );
  assert.deepEqual(processStart(known({}, { groups, variables: { PROCESSES: 'per-vu' } })), []);
});
