import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metricsOf, readRules } from '../../analysis/collect/signal-rules.ts';
import { signalStates } from '../../cli/commands/signals.ts';
import { SIGNALS } from '../../contract/signals.js';

test('every signal that is recorded has its place in the catalogue', () => {
  for (const { name } of readRules()) {
    if (name.startsWith('signal:')) assert.ok(SIGNALS[name.slice('signal:'.length)], name);
  }
});

test('the metrics of an expression: names and patterns, without the steps between', () => {
  const expr = `sum by (server) (rate({__name__=~"a_(b|c)_total", job="custom"}[6s]) and on (server) watched:server:info)
    / sum(d{job="custom"}) + 0 * group(up{job="custom"})`;
  assert.deepEqual(metricsOf(expr), ['a_(b|c)_total', 'd']);
});

test('of a signal that several sources give one is shown and the others named; the rules of one without data are all named', () => {
  const rule = (/** @type {string} */ source, /** @type {string} */ server = '') => ({
    ...{
      name: 'signal:cpu:ratio',
      file: `signals-${source || server}.yml`,
      about: '',
      labels: [],
      expr: '',
      metrics: ['m'],
    },
    ...{ source, server },
  });
  const rules = [rule('process'), rule('cadvisor'), rule('', 'reference')];
  const sample = (/** @type {string} */ source, /** @type {number} */ value) => ({
    labels: { __name__: 'signal:cpu:ratio', server: 'a:1', source },
    value,
  });
  const [both] = signalStates(rules, [sample('cadvisor', 0.5), sample('process', 0.25)], 'a:1');
  assert.equal(both?.value, 0.25);
  assert.deepEqual(
    both?.from.map(({ source }) => source),
    ['process'],
  );
  assert.deepEqual(both?.also, ['cadvisor']);
  const [none] = signalStates(rules, [sample('process', 0.25)], 'b:1');
  assert.equal(none?.value, null);
  assert.equal(none?.from.length, 3);
});
