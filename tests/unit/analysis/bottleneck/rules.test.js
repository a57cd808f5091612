/** The rules as data: complete, free of circles, and readable. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DERIVED } from '../../../../analysis/bottleneck/derived.ts';
import { RESOURCES } from '../../../../analysis/bottleneck/resources.ts';
import { rulesTable } from '../../../../analysis/bottleneck/rules-table.ts';

const IDS = RESOURCES.map(({ id }) => id);
const CAUSES = RESOURCES.flatMap(({ id, causes }) => causes.map((cause) => ({ resource: id, ...cause })));

test('every resource and cause has a name of its own, and every edge leads to a resource', () => {
  assert.equal(new Set(IDS).size, IDS.length);
  for (const { causes } of RESOURCES) assert.equal(new Set(causes.map(({ id }) => id)).size, causes.length);
  for (const { explains = [], leadsTo = [], slows = [] } of CAUSES)
    for (const id of [...explains, ...leadsTo, ...slows]) assert.ok(IDS.includes(id), id);
});

test('every cause can hold: it has readings, each with a limit', () => {
  for (const { resource, id, any = [], all = [], topConsumer } of CAUSES) {
    assert.ok(any.length > 0 || topConsumer, `${resource}: ${id}`);
    for (const { least, times, more, fallen, share } of [...any, ...all])
      assert.ok([least, times, more, fallen, share].some((limit) => limit !== undefined));
  }
});

test('no two causes explain each other away: then neither would be named', () => {
  for (const a of CAUSES) {
    for (const b of CAUSES) {
      if (a.resource >= b.resource) continue;
      const explains = (/** @type {typeof a} */ one, /** @type {typeof a} */ other) =>
        one.explains?.includes(other.resource) || (one.slows?.includes(other.resource) && !other.isRootCause);
      assert.ok(!(explains(a, b) && explains(b, a)), `${a.resource} (${a.id}) and ${b.resource} (${b.id})`);
    }
  }
});

test('what a derived series is made of leads to signals', () => {
  for (const [name, { from }] of Object.entries(DERIVED)) assert.ok(!from.includes(name));
});

test('the table of the docs has a row for every cause', () => {
  const rows = rulesTable().split('\n').slice(2);
  assert.equal(rows.length, CAUSES.length);
  for (const row of rows) assert.equal(row.split(' | ').length, 5, row);
  assert.match(rulesTable(), /`pool_utilization` >= 95 % and >= baseline \+ 5 %/);
  assert.match(rulesTable(), /`db_query_duration` >= 2 x baseline and >= baseline \+ 5 ms/);
});
