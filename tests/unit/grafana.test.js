/** The part of Grafana that executes the dashboards' queries in the tests. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtIn, firstOption, queryOf, stepsOf, substitute } from '../grafana.js';

test('a step is whole seconds, two at least; a rate looks back over four scrapes, or a step and one scrape more', () => {
  assert.deepEqual(stepsOf({ fromS: 1001, toS: 1901 }), { fromS: 1000, toS: 1900, stepS: 2 });
  assert.equal(stepsOf({ fromS: 0, toS: 6000 }).stepS, 10);
  assert.equal(builtIn({ fromS: 0, toS: 900 }, 2).__rate_interval, '8s');
  const values = builtIn({ fromS: 0, toS: 900 }, 10);
  assert.deepEqual([values.__rate_interval, values.__range], ['12s', '900s']);
});

test('variables: the longest name, with and without braces, formats; a value can not leave its string', () => {
  const values = { testid: 'a.b', testid2: 'b', v: 'b"} or vector(1) #' };
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is Grafana's template
  assert.equal(substitute('$testid2 ${testid} ${testid:regex} $1', values), 'b a.b a\\.b $1');
  assert.equal(substitute('x{a="$v"}', values), 'x{a="b\\"} or vector(1) #"}');
  assert.throws(() => substitute('$none', values), /the query has \$none, known are \$testid/);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is Grafana's template
  assert.throws(() => substitute('${v:csv}', values), /valid formats are raw and regex/);
});

test('a query variable: its PromQL, and the first choice of the answer', () => {
  assert.equal(queryOf({ type: 'query', query: { query: 'query_result(sort(up))' } }), 'sort(up)');
  assert.equal(queryOf({ type: 'query', query: { query: 'label_values(up, job)' } }), null);
  /** @type {{labels: Record<string, string>, value: number}[]} */
  const samples = [
    { labels: { other: 'c' }, value: 0 },
    { labels: { testid: 'b' }, value: 1 },
  ];
  assert.equal(firstOption({ regex: '/testid="([^"]+)"/' }, samples), 'b');
  assert.equal(firstOption({ regex: '/^\\{\\} (-?\\d+)/' }, [{ labels: {}, value: -90 }]), '-90');
  assert.equal(firstOption({ regex: '/x="(.)"/' }, samples), '');
});
