import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { measureCollections } from '../../target/garbage-collections.js';

test('each garbage collection counts, also of those between two turns of the event loop', async () => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  measureCollections(registry);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  for (let count = 0; count < 5; count += 1) collect();
  await sleep(50);
  const text = await registry.metrics();
  const count = /^nodejs_gc_duration_seconds_count\{kind="major"\} (\d+)$/m.exec(text)?.[1];
  assert.ok(Number(count) >= 5, text.match(/^nodejs_gc.*_count.*$/gm)?.join('\n'));
  assert.equal(text.match(/# TYPE nodejs_gc_duration_seconds histogram/g)?.length, 1);
});
