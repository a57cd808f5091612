import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runVariables } from '../../../cli/run/run-variables.ts';
import { ROOT } from '../../../cli/stack.ts';

test('a run keeps the variables that it was given, those of the reference target too, and no others', () => {
  const env = { PROFILE: 'smoke', RATE_SCALE: '0.1', POOL_SIZE: '1', SEED: '', PATH: '/bin', TESTID: 'mine' };
  assert.deepEqual(runVariables(env), { PROFILE: 'smoke', RATE_SCALE: '0.1', POOL_SIZE: '1' });
});

test('of secrets, and of what holds one, the name alone', () => {
  const env = {
    TARGET_TOKEN: 'tk-123456',
    TARGET_HEADERS: 'X-Key: abcdef',
    TARGET_URL: 'https://example.com/mcp?api=abc',
    ARGS: '{"token":"tk-123456"}',
    TOOL: 'echo',
  };
  const given = runVariables(env);
  assert.deepEqual(Object.keys(given).sort(), Object.keys(env).sort());
  assert.deepEqual(
    Object.entries(given).filter(([, value]) => value !== null),
    [['TOOL', 'echo']],
  );
});

test('a value that a document would shorten or change is not kept as another one', () => {
  const env = { ARGS: `{"text":"${'x'.repeat(600)}"}`, VALUES: '1\n2', FAULTS: 'latency packet-loss' };
  assert.deepEqual(runVariables(env), { ARGS: null, VALUES: null, FAULTS: 'latency packet-loss' });
});

test('a file of this project is named as make finds it', () => {
  const env = { WORKLOAD: `${ROOT}/workloads/own.json`, TARGET_CA: '/etc/ca.pem' };
  assert.deepEqual(runVariables(env), { WORKLOAD: 'workloads/own.json', TARGET_CA: '/etc/ca.pem' });
});
