import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statementsOf } from '../../statements.js';
import { runOf, signal, summary, trend } from '../analysis/build.js';
import { rowsOf } from './rows-of.js';

const MIB = 1024 ** 2;
const WAVES = [1, 2, 3];

/** @param {string} name @param {number} clients @param {Record<string, string | number>} labels @param {number} p99 */
const phase = (name, clients, labels, p99) => ({
  ...{ name, duration_s: 20, labels: { clients, ...labels } },
  figures: { iterations: 400, requests: 400, p99 },
});

/**
 * Half of 200 clients leave three times, each time in the same way.
 *
 * @param {string} leaving
 * @param {{keptMib?: number, backP99?: number, known?: number}} [how] keptMib: of the server, for each wave; backP99: of others' calls; known: sessions of 20
 */
function disconnects(leaving, { keptMib = 0, backP99 = 10, known = 0 } = {}) {
  const waves = WAVES.flatMap((wave) => [
    phase(`${leaving}-${wave}-here`, 200, { part: 'here', leaving, wave }, 10),
    phase(`${leaving}-${wave}-gone`, 100, { part: 'gone', leaving, wave }, 10),
  ]);
  const phases = [
    phase('half', 100, { part: 'half' }, 10),
    ...waves,
    phase('later-1', 100, { part: 'later' }, 10),
    phase('back', 200, { part: 'back' }, backP99),
  ];
  return runOf(
    {
      summary: summary({
        plan: { test: 'disconnects' },
        phases,
        metrics: {
          'mcp_stream_opening_duration{phase:half}': { values: trend(20, 100) },
          'mcp_stream_opening_duration{phase:back}': { values: trend(200, 100) },
          [`mcp_sessions_kept{phase:${leaving}-3-here}`]: { values: { passes: known, fails: 20 - known } },
        },
      }),
    },
    {
      signals: WAVES.flatMap((wave) => [
        signal('memory', `${leaving}-${wave}-gone`, (100 + wave * keptMib + (wave === 2 ? 0.001 : 0)) * MIB),
      ]),
    },
  );
}

/** @param {Awaited<ReturnType<typeof disconnects>>} run */
const textOf = ({ findings }) => statementsOf(findings, 'disconnects');

test('memory that each wave leaves is what a client leaves, with its interval', async () => {
  const run = await disconnects('reset', { keptMib: 4 });
  assert.match(textOf(run), /^a client that resets its connections leaves the server with 41 KiB of memory/m);
  const [row] = rowsOf(run.tables.find(({ title }) => title === 'What remains of a client'));
  assert.deepEqual([row?.each, row?.phases], ['41 KiB', 3]);
  assert.doesNotMatch(textOf(await disconnects('reset')), /leaves the server with/);
});

test('sessions that the server still knows are said with the time since they were left', async () => {
  assert.match(
    textOf(await disconnects('close', { known: 15 })),
    /^40 s after clients had closed their connections the server still knew 15 of 20 sessions$/m,
  );
});

test('the return of all is compared with clients that come one after the other', async () => {
  const text = textOf(await disconnects('delete'));
  assert.match(text, /^100 clients reconnected within a second: .* p95 180 ms, one at a time 18 ms$/m);
  assert.match(text, /^other clients' calls were not slower/m);
});

test('calls of others that take longer when all come back', async () => {
  const text = textOf(await disconnects('delete', { backP99: 100 }));
  assert.match(
    text,
    /^other clients' calls took 10 times as long while clients reconnected: p95 9 ms -> 90 ms$/m,
  );
});
