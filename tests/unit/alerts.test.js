import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';
import { GENERATOR_CPU_LIMIT } from '../../analysis/trust-rules.js';
import { alertFiles, alerts } from '../../dashboards/alerts.js';

const [prometheusFile, grafanaFile] = alertFiles();
const committed = (/** @type {{file: string} | undefined} */ one) => readFileSync(one?.file ?? '', 'utf8');
const prometheus = parse(committed(prometheusFile));
const grafana = parse(committed(grafanaFile));
/** @type {any[]} */
const ofPrometheus = prometheus.groups[0].rules.filter((/** @type {any} */ { alert }) => alert);
/** @type {any[]} */
const ofGrafana = grafana.groups[0].rules;

/** @param {string} expr as a tree, so that blanks and brackets around the whole are no difference */
function tree(expr) {
  /** @type {string[]} */
  const nodes = [];
  parser.parse(expr).iterate({
    enter({ type, from, to, node }) {
      assert.ok(!type.isError, `${expr} at ${from}`);
      if (type.name !== 'ParenExpr') nodes.push(node.firstChild ? type.name : expr.slice(from, to));
    },
  });
  return nodes;
}

test('both files are as the code makes them', () => {
  for (const one of alertFiles())
    assert.equal(committed(one), one.text, `${one.file}: run node dashboards/build.js`);
});

test('Prometheus and Grafana have the same alerts: expression, limit, time, labels', () => {
  assert.equal(ofPrometheus.length, alerts.length);
  const SIGN = /** @type {Record<string, string>} */ ({ gt: '>', lt: '<' });
  assert.deepEqual(
    ofGrafana.map(({ title, for: time, labels, data: [query, threshold] }) => {
      const { evaluator } = threshold.model.conditions[0];
      const expr = `(${query.model.expr}) ${SIGN[evaluator.type]} ${evaluator.params[0]}`;
      return { alert: title, expr: tree(expr), for: time, labels };
    }),
    ofPrometheus.map(({ alert, expr, for: time, labels }) => ({
      alert,
      expr: tree(expr),
      for: time,
      labels,
    })),
  );
  assert.equal(prometheus.groups[0].interval, grafana.groups[0].interval);
});

test('they say the same, each with its own variable for the value', () => {
  ofGrafana.forEach(({ annotations }, index) => {
    const text = JSON.stringify(annotations);
    assert.equal(
      text.replaceAll('$values.A.Value', '$value'),
      JSON.stringify(ofPrometheus[index].annotations),
    );
    // Grafana replaces ${NAME} in the files that it is provisioned from.
    assert.ok(!text.includes('${'), text);
  });
});

test("the limits are those of the benchmark document, and the verdict's for the generator", () => {
  assert.deepEqual(
    alerts.map(({ name, beyond, limit }) => `${name} ${beyond} ${limit}`),
    [
      ...['ListSlow > 0.2', 'CreateSlow > 0.5', 'ListThroughputLow < 50', 'CreateThroughputLow < 10'],
      ...['ErrorRateHigh > 0.01', 'CertificateErrorRateHigh > 0.05', 'ConnectionErrors > 0.001'],
      ...['MemoryHigh > 500000000', 'MemoryGrowing > 10000000', 'PoolSaturated > 0.8'],
      `GeneratorSaturated > ${GENERATOR_CPU_LIMIT}`,
    ],
  );
});

test('every alert says what to do, and which dashboard to open', () => {
  const uids = readdirSync('provisioning/grafana/dashboards', { recursive: true })
    .map(String)
    .filter((path) => path.endsWith('.json'))
    .map((path) => path.replace(/^.*\/|\.json$/g, ''));
  for (const { name, summary, description, dashboard } of alerts) {
    assert.match(name, /^[A-Z][A-Za-z]+$/);
    assert.match(summary, /\{value\}/, name);
    assert.ok(!summary.endsWith('.'), name);
    assert.ok(description.endsWith('.') && description.length > 100, name);
    assert.ok(uids.includes(dashboard.uid), `${name}: ${dashboard.uid}`);
  }
});

/**
 * By Grafana's documentation of file provisioning and its reader, pkg/services/provisioning/alerting. It was not loaded
 * into a running Grafana: none is at hand.
 */
test("Grafana's file has what its provisioning wants", () => {
  assert.deepEqual(Object.keys(grafana), ['apiVersion', 'groups']);
  assert.equal(grafana.apiVersion, 1);
  assert.equal(grafana.groups.length, 1);
  const { orgId, name, folder, interval } = grafana.groups[0];
  assert.deepEqual({ orgId, name, folder }, { orgId: 1, name: 'alerts', folder: 'Alerts' });
  // A multiple of ten seconds, and no less.
  assert.match(interval, /^[1-9]0s$/);
  const uids = ofGrafana.map(({ uid }) => uid);
  assert.equal(new Set(uids).size, uids.length);
  for (const rule of ofGrafana) {
    assert.deepEqual(Object.keys(rule).sort(), [
      ...['annotations', 'condition', 'data', 'execErrState', 'for', 'isPaused', 'labels', 'noDataState'],
      ...['title', 'uid'],
    ]);
    assert.match(rule.uid, /^[a-z0-9-]{1,40}$/);
    assert.match(rule.for, /^\d+[sm]$/);
    assert.equal(rule.noDataState, 'OK');
    assert.equal(rule.execErrState, 'KeepLast');
    assert.equal(rule.isPaused, false);
    // Titles and labels are read with $NAME replaced, annotations are templates.
    assert.ok(!/\$/.test(rule.title + JSON.stringify(rule.labels)), rule.title);
    const [query, threshold, ...rest] = rule.data;
    assert.deepEqual(rest, []);
    for (const { refId, model, relativeTimeRange } of [query, threshold]) {
      assert.equal(model.refId, refId);
      assert.ok(relativeTimeRange.from > relativeTimeRange.to);
    }
    assert.deepEqual([query.datasourceUid, query.model.instant], ['prometheus', true]);
    assert.equal(threshold.datasourceUid, '__expr__');
    assert.deepEqual(
      [threshold.model.type, threshold.model.expression, rule.condition],
      ['threshold', query.refId, threshold.refId],
    );
  }
  const { datasources } = parse(readFileSync('provisioning/grafana/datasources/prometheus.yml', 'utf8'));
  assert.equal(datasources[0].uid, 'prometheus');
});

test('a folder of dashboards is a folder in Grafana', () => {
  const { providers } = parse(readFileSync('provisioning/grafana/dashboards/provider.yml', 'utf8'));
  const folders = readdirSync('provisioning/grafana/dashboards', { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `\${GRAFANA_DASHBOARDS_PATH}/${entry.name}`);
  assert.deepEqual(providers.map((/** @type {any} */ { options }) => options.path).sort(), folders.sort());
  for (const key of ['name', 'folder', 'folderUid'])
    assert.equal(new Set(providers.map((/** @type {any} */ one) => one[key])).size, providers.length, key);
});
