/** What each test is judged by on the reference target and on any other server, as k6 itself has it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scriptOf, testNames } from '../../contract/tests.js';
import { command } from '../lab.js';
import { toolPath } from '../tool.js';

const REFERENCE = { REFERENCE_TARGET: '1' };
const k6 = toolPath('k6');

/** @param {string} name @param {Record<string, string>} [env] @returns {Promise<any>} the plan */
async function planOf(name, env = {}) {
  const args = ['inspect', '--include-system-env-vars', scriptOf(name)];
  const { code, output } = await command(k6, args, { TARGET_URL: 'http://127.0.0.1:1/mcp', ...env });
  assert.equal(code, 0, output);
  return JSON.parse(output).ext['mcp-load-lab'];
}

/** @param {any} plan @param {string} metric */
const limits = ({ objectives }, metric) =>
  objectives
    .filter((/** @type {any} */ one) => one.metric === metric)
    .map((/** @type {any} */ one) => [one.scope.phase, one.limit, one.relative_to?.phase]);

test('no other server is judged by the latency of a document, and all by their failures', async () => {
  for (const name of testNames()) {
    const plan = await planOf(name);
    const absolute = plan.objectives.filter(
      (/** @type {any} */ one) => one.metric.endsWith('_ms') && !one.relative_to,
    );
    assert.deepEqual(absolute, [], name);
    for (const phase of plan.phases.filter((/** @type {any} */ one) => one.measured && !one.overload)) {
      const failures = limits(plan, 'failure_rate').filter(
        (/** @type {any[]} */ [scope]) => scope === phase.name,
      );
      assert.deepEqual(failures, [[phase.name, 0.01, undefined]], `${name} ${phase.name}`);
    }
    assert.equal(plan.documents, false);
    assert.equal(plan.reference_machine, null);
  }
});

test('after a spike a server is compared with its own baseline; a soak with its first window', async () => {
  const spike = await planOf('spike', { PROFILE: 'quick' });
  assert.deepEqual(limits(spike, 'p99_ms'), [['recovered', 1.5, 'baseline']]);
  const slow = await planOf('spike', { PROFILE: 'quick', RATE_SCALE: '0.1' });
  assert.deepEqual(limits(slow, 'p95_ms'), [['recovered', 1.5, 'baseline']]);
  const soak = await planOf('soak');
  assert.equal(limits(soak, 'p99_ms').length, 11);
  assert.deepEqual(limits(soak, 'p99_ms')[0], ['window-02', 1.3, 'window-01']);
});

test('the documents are for the reference target, and for others by THRESHOLDS=documents', async () => {
  for (const name of ['spike', 'workflows', 'capacity', 'soak']) {
    const { objectives, documents } = await planOf(name, REFERENCE);
    assert.equal(documents, true);
    const asked = await planOf(name, { THRESHOLDS: 'documents' });
    assert.deepEqual(asked.objectives, objectives, name);
  }
  const changed = await planOf('spike', { THRESHOLDS: 'documents,baseline.p99_ms=120' });
  assert.deepEqual(limits(changed, 'p99_ms'), [
    ['baseline', 120, undefined],
    ['recovered', 85, undefined],
  ]);
});

test('the plan has the next longer profile, with its rate and its length', async () => {
  const smoke = await planOf('spike', { PROFILE: 'smoke', RATE_SCALE: '0.1' });
  const quick = await planOf('spike', { PROFILE: 'quick', RATE_SCALE: '0.1' });
  assert.deepEqual(
    [smoke.longer.profile, smoke.longer.peak_rps, smoke.longer.duration_s],
    ['quick', 200, quick.duration_s],
  );
  assert.deepEqual([quick.longer.profile, quick.longer.duration_s], ['full', 750]);
  assert.equal((await planOf('spike', { PROFILE: 'full' })).longer, undefined);
  assert.equal((await planOf('load', { PROFILE: 'smoke', REQUESTS: '400' })).longer, undefined);
  assert.equal((await planOf('capacity', { PROFILE: 'smoke', TRIAL: 'step-1' })).longer, undefined);
});
