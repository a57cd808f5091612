import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { listeners, parseStat, processes } from '../../../analysis/collect/host-watch-processes.ts';
import { COLUMNS, HostRecord } from '../../../analysis/collect/host-watch-record.ts';
import {
  heaviestOther,
  watchedIn,
  watchedOverTime,
  watchedWithin,
} from '../../../analysis/collect/host-watch-series.ts';

const START_S = 1_800_000_000;
/** Of the runs below: what a run starts has these ids. */
const [STACK, TARGET, K6, SHELL] = [10, 11, 20, 30];

/**
 * @param {number} pid
 * @param {number} own
 * @param {Partial<import('../../../analysis/collect/host-watch-processes.ts').Process>} [rest]
 */
const process_ = (pid, own, rest = {}) => ({
  pid,
  parent: 1,
  start: '1',
  comm: `program-${pid}`,
  own,
  children: 0,
  ...rest,
});

/** @type {import('../../../analysis/collect/host-watch-record.ts').Look['roots']} */
const ROOTS = new Map([
  [STACK, 'stack'],
  [TARGET, 'target'],
  [K6, 'ignored'],
]);

/**
 * @param {number} second
 * @param {import('../../../analysis/collect/host-watch-processes.ts').Process[]} all
 * @param {Partial<import('../../../analysis/collect/host-watch-record.ts').Look>} [rest]
 */
const look = (second, all, rest = {}) => ({
  wallS: START_S + second,
  processes: all,
  roots: ROOTS,
  ...rest,
});

/** @param {ReturnType<typeof look>[]} looks */
function recorded(looks) {
  const record = new HostRecord(2);
  for (const one of looks) record.look(one);
  return record.document();
}

/** @param {import('../../../analysis/collect/host-watch-record.ts').HostWatch} watch @param {typeof COLUMNS[number]} column */
const last = (watch, column) => watch.points.at(-1)?.[COLUMNS.indexOf(column)];

test('CPU counts for the group of the nearest root, and for others where there is none', () => {
  const at = (/** @type {number} */ factor) => [
    process_(STACK, factor),
    process_(TARGET, 2 * factor, { parent: STACK }),
    process_(12, 3 * factor, { parent: TARGET }),
    process_(K6, 4 * factor),
    process_(SHELL, 5 * factor),
  ];
  const watch = recorded([look(0, at(1)), look(1, at(2))]);
  assert.deepEqual(
    /** @type {const} */ (['stack', 'target', 'other']).map((column) => last(watch, column)),
    [1, 5, 5],
  );
  assert.equal(last(watch, 'db'), null, 'nothing of a database was seen');
});

test('who used most among the others is named, by its program alone', () => {
  const at = (/** @type {number} */ own) => [process_(SHELL, own, { comm: 'cc1' }), process_(31, own / 10)];
  const watch = recorded([look(0, at(0)), look(1, at(1)), look(2, at(2))]);
  assert.equal(heaviestOther(watch, START_S, START_S + 2), 'cc1');
  assert.equal(heaviestOther(watch, START_S + 5, START_S + 9), null);
});

test('what a process used is counted once, whoever waits for it in the end', () => {
  const shell = { comm: 'make' };
  const watch = recorded([
    look(0, [process_(SHELL, 0, shell), process_(31, 1, { parent: SHELL }), process_(32, 2, { parent: 31 })]),
    // Both have ended: the shell has the 4 s of the one, which had the 3 s of the other.
    look(1, [process_(SHELL, 0, { ...shell, children: 8 })]),
    // One that came and went between two looks is seen here alone.
    look(2, [process_(SHELL, 0, { ...shell, children: 8.5 })]),
  ]);
  assert.equal(last(watch, 'other'), 5.5);
});

test('what an orphan used before counts for nobody when init has waited for it', () => {
  const init = { comm: 'init', parent: 0 };
  const watch = recorded([
    // A supervisor, what it keeps, and a worker of that.
    look(0, [
      process_(1, 0, init),
      process_(SHELL, 0),
      process_(31, 1, { parent: SHELL }),
      process_(32, 40, { parent: 31 }),
    ]),
    // The one in the middle was killed: the supervisor waited for it, and init for the worker, which had used 0.5 s more by then.
    look(2, [process_(1, 0, { ...init, children: 40.5 }), process_(SHELL, 0, { children: 1 })]),
  ]);
  assert.equal(last(watch, 'other'), 0.5);
});

test('one whose parent ends stays what it was, and a reused number is another process', () => {
  const watch = recorded([
    look(0, [process_(STACK, 0), process_(12, 0, { parent: STACK }), process_(SHELL, 50)]),
    look(1, [process_(12, 1), process_(SHELL, 2, { start: '2' })]),
  ]);
  assert.equal(last(watch, 'stack'), 1);
  assert.equal(last(watch, 'other'), 2);
});

test('what a root that is found late has started is of its group from then on', () => {
  const at = (/** @type {number} */ used) => [process_(40, 0), process_(41, used, { parent: 40 })];
  const found = new Map([...ROOTS, /** @type {const} */ ([40, 'target'])]);
  const watch = recorded([look(0, at(1)), look(1, at(2)), look(2, at(5), { roots: found })]);
  assert.deepEqual([last(watch, 'other'), last(watch, 'target')], [1, 3]);
});

test("a phase's means hold nothing of its neighbours, unless it has no two looks of its own", () => {
  // A spike from second 9 on: what was seen of it until 10 is in the look at 10.
  const used = (/** @type {number} */ second) => (second <= 8 ? 0.1 * second : 0.8 + second - 8);
  const watch = recorded(
    Array.from({ length: 11 }, (_, index) => look(2 * index, [process_(SHELL, used(2 * index))])),
  );
  assert.equal(watchedWithin(watch, START_S + 1, START_S + 9).other_cpu, 0.05);
  assert.ok((watchedIn(watch, START_S + 1, START_S + 9).other_cpu ?? 0) > 0.1);
  assert.equal(watchedWithin(watch, START_S + 13, START_S + 15.5).other_cpu, 0.5);
  assert.deepEqual(watchedWithin(watch, START_S + 15, START_S + 25), {}, 'not seen to its end');
  assert.deepEqual(
    watchedWithin(watch, START_S + 5, START_S + 22),
    {},
    'nor this one, though most of it was',
  );
});

test('a day is no more than some thousand points, and its means are exact all the same', () => {
  const record = new HostRecord(2);
  const seconds = 86_400;
  for (let second = 0; second <= seconds; second += 1)
    record.look(look(second, [process_(STACK, second / 4), process_(SHELL, second, { comm: 'cc1' })]));
  const watch = record.document();
  assert.ok(watch.points.length > 1800 && watch.points.length <= 3600, String(watch.points.length));
  assert.ok(JSON.stringify(watch).length < 1e6);
  const { stack_cpu, other_cpu } = watchedIn(watch, START_S + 1000.5, START_S + 80_000.25);
  assert.deepEqual([stack_cpu, other_cpu], [0.125, 0.5]);
  const othersS = watch.others.flat().reduce((sum, [, used]) => sum + used, 0);
  assert.ok(Math.abs(othersS - seconds) < 64, `${othersS} s have a name`);
});

test('series on the grid of a timeline, where there was a watcher', () => {
  const watch = recorded(
    Array.from({ length: 21 }, (_, second) => look(second, [process_(SHELL, second > 10 ? second - 10 : 0)])),
  );
  const grid = { start_s: START_S, step_s: 2, count: 12, window_s: 6 };
  assert.deepEqual(watchedOverTime(grid, [watch]), {
    other_cpu: { unit: 'ratio', values: [null, 0, 0, 0, 0, 0, 0.166667, 0.333333, 0.5, 0.5, 0.5, null] },
  });
  assert.deepEqual(watchedOverTime(grid, []), {});
});

test('a phase that nobody watched has no means', () => {
  const watch = recorded([look(0, []), look(10, [])]);
  assert.deepEqual(watchedIn(watch, START_S - 5, START_S + 5), {});
  assert.deepEqual(watchedIn(watch, START_S + 5, START_S + 15), {});
});

test('a line of /proc, also of a program with brackets in its name', () => {
  const fields = (/** @type {number} */ flags) =>
    `7 (a (b) c) S 3 7 7 0 -1 ${flags} 0 0 0 0 150 50 25 75 20 0 1 0 4242 0`;
  assert.deepEqual(parseStat(fields(4194304)), {
    pid: 7,
    parent: 3,
    start: '4242',
    comm: 'a (b) c',
    own: 2,
    children: 1,
  });
  assert.equal(parseStat(fields(0x00200040)), null, 'a thread of the kernel');
  assert.equal(parseStat(''), null);
});

const linux = { skip: process.platform !== 'linux' && 'there is no /proc here' };

test('this machine: our own processes, what they used, and who listens', linux, async () => {
  const server = createServer().listen(0, '127.0.0.1');
  const child = spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' });
  try {
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const all = processes();
    const own = all.find(({ pid }) => pid === process.pid);
    const busy = all.find(({ pid }) => pid === child.pid);
    assert.ok(own && own.own > 0);
    assert.deepEqual([busy?.parent, busy?.comm], [process.pid, 'sh']);
    assert.ok((busy?.own ?? 0) > 0.05, `${busy?.own} s`);
    const address = /** @type {import('node:net').AddressInfo} */ (server.address());
    assert.deepEqual(listeners(address.port), [process.pid]);
  } finally {
    child.kill('SIGKILL');
    server.close();
  }
});
