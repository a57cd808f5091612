/** The tables of the stack's parts, as the scripts read them. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

/** @param {string} script after common.sh @returns {string[]} its lines */
const lines = (script) =>
  execFileSync('bash', ['-c', `set -euo pipefail; . scripts/common.sh; ${script}`], {
    encoding: 'utf8',
    env: { ...process.env, RUN_DIR: '/nonexistent' },
  })
    .trim()
    .split('\n');

test('every component has its place, a port variable and a signal', () => {
  const all = lines('components');
  assert.deepEqual(
    [...lines('components observe'), ...lines('components reference')].toSorted(),
    all.toSorted(),
  );
  assert.deepEqual([...lines('components all 1'), ...lines('components all 2')].toSorted(), all.toSorted());
  for (const name of all) {
    const [port, signal = ''] = lines(`port_variable ${name}; stop_signal ${name}`);
    assert.equal(port, `${name.toUpperCase()}_PORT`);
    assert.match(signal, /^(INT|TERM)$/);
  }
  assert.deepEqual(lines('port_variable target_admin; port_variable supervisor'), [
    'TARGET_ADMIN_PORT',
    'SUPERVISOR_PORT',
  ]);
  assert.deepEqual(lines('ports_of target'), [
    'target TARGET_PORT 8000',
    'target_admin TARGET_ADMIN_PORT 8002',
  ]);
});

test('a component is known by its name each time that it is asked for', () => {
  // A pipe that is closed early made it unknown in one of fifteen.
  assert.deepEqual(lines('for i in {1..150}; do component_name redis; done | sort | uniq -c'), ['150 redis']);
  assert.deepEqual(lines('component_name postgres-exporter; is_component redis observe || echo no'), [
    'postgres_exporter',
    'no',
  ]);
});

test('settings: the environment goes before what the target has, and default takes it back', () => {
  assert.deepEqual(
    lines(
      `WORKERS=default POOL_SIZE=3 merge_settings 'WORKERS=4 CACHE_TTL=9 TARGET_FAULTS={"slow_query":0.5}'`,
    ),
    ['POOL_SIZE=3 CACHE_TTL=9 TARGET_FAULTS={"slow_query":0.5}'],
  );
});
