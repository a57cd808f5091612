/** `make rbac`, on the reference target and on another server; and that a server which lets the wrong user in fails it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { runTest } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { Services, TOKEN } from '../target/services.js';

await ownStack();

const services = new Services();
/** @type {Awaited<ReturnType<Services['startTarget']>>} */
let target;

before(async () => {
  await services.start();
  target = await services.startTarget();
});
after(() => services.stop());

/** @param {any} document @param {string} title @returns {any[][]} */
const rowsOf = ({ tables }, title) => tables.find((/** @type {any} */ table) => table.title === title).rows;

test('every denial holds under load; the goals and the CSV are as documented', async () => {
  const { code, exitCode, output, folder, document } = await runTest('rbac', {
    PROFILE: 'smoke',
    DURATION: '16s',
  });
  assert.equal(exitCode, document.verdict.exit_code, output);
  // On a slow or busy machine a goal may be missed, and then the run must say so.
  assert.ok(code === 0 || code === 99, output);
  assert.equal(document.target.dialect, 'rest');
  assert.ok(
    document.signals.some((/** @type {any} */ { signal }) => signal === 'pool_utilization'),
    'it is watched',
  );

  assert.match(rowsOf(document, 'Performance goals').join('\n'), /RPS >= 20: (PASS|FAIL)/);
  const denials = rowsOf(document, 'Denials');
  assert.deepEqual(
    denials.map(([user, tool]) => `${user} ${tool}`),
    ['guest_user list_files', 'guest_user list_users', 'dev_user list_users'],
  );
  for (const [user, tool, calls, refused, allowed] of denials) {
    assert.ok(calls > 5, `${user} ${tool}`);
    assert.deepEqual([refused, allowed], [calls, 0], `${user} ${tool}`);
  }
  const [header = '', row = ''] = readFileSync(`${folder}/rbac_benchmark.csv`, 'utf8').split('\n');
  const csv = Object.fromEntries(
    header.split(',').map((name, index) => [name, Number(row.split(',')[index])]),
  );
  const [, benchmark] = document.phases;
  assert.equal(csv.total_requests, benchmark.requests);
  assert.equal(csv.p95_latency_ms, benchmark.latency_ms.p95);
  const [measurement] = document.measurements;
  assert.equal(measurement.workload_id, 'rbac/rbac/benchmark');
  assert.equal(measurement.transport, 'http_rest');
  assert.equal(measurement.latency_p95_us, Math.round(benchmark.latency_ms.p95 * 1000));
});

test('another server, which lets a guest do what only a dev may: the run fails and says so', async () => {
  const database = new pg.Client(services.databaseUrl);
  await database.connect();
  await database.query("UPDATE accounts SET role = 'dev' WHERE id = 'guest_user'");
  await database.end();
  const { code, output, document } = await runTest('rbac', {
    PROFILE: 'smoke',
    DURATION: '5s',
    TARGET_URL: target.origin,
    TARGET_TOKEN: TOKEN,
  });
  assert.equal(code, 99, output);
  assert.match(document.verdict.reasons.join('\n'), /wrongly allowed calls of list_files by guest_user/);
  const [files, users] = rowsOf(document, 'Denials');
  assert.deepEqual([files?.[3], files?.[4]], [0, files?.[2]], 'all of them');
  assert.deepEqual([users?.[3], users?.[4]], [users?.[2], 0], 'what only an admin may is refused');
});
