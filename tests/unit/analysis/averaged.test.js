import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isAveraged } from '../../../analysis/report/averaged.ts';

const RULES = new URL('../../../provisioning/prometheus/rules/', import.meta.url);

test('the charts say of every signal whether it looks back, as its recording rule does', () => {
  /** @type {Map<string, boolean>} */
  const looksBack = new Map();
  for (const file of readdirSync(RULES).filter((name) => name.endsWith('.yml'))) {
    const [, ...rules] = readFileSync(new URL(file, RULES), 'utf8').split('- record: ');
    for (const rule of rules) {
      const [, name, unit] = /^signal:(\w+):(\w+)\n/.exec(rule) ?? [];
      const key = `${name}:${unit}`;
      if (name) looksBack.set(key, (looksBack.get(key) ?? false) || rule.includes('[6s]'));
    }
  }
  assert.ok(looksBack.size > 50, String(looksBack.size));
  for (const [key, isSo] of looksBack) {
    const [name = '', unit = ''] = key.split(':');
    assert.equal(isAveraged(name, unit), isSo, key);
  }
});
