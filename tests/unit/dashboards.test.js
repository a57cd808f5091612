import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as units from '@grafana/grafana-foundation-sdk/units';
import { parser } from '@prometheus-io/lezer-promql';
import { GENERATOR_CPU_LIMIT } from '../../analysis/verdict.js';
import { dashboards, fileOf, toJson } from '../../dashboards/build.js';
import { loadTest } from '../../dashboards/load-test.js';
import { queriesOf, substitute } from '../stack/panel-queries.js';

/** Panel types that Grafana has, of those that show a query. `graph`, `singlestat` and `table-old` are gone. */
const PANEL_TYPES = ['bargauge', 'gauge', 'heatmap', 'stat', 'state-timeline', 'table', 'timeseries'];
const COLUMNS = 24;
/** Below this a legend or a title is cut off on a screen of 1280 pixels. */
const MIN_COLUMNS = { stat: 4, default: 6 };

/** Functions through which a counter, or a native histogram, may be read. */
const COUNTER_FUNCTIONS = ['rate', 'increase', 'last_over_time'];
/** k6's cumulative sinks: a percentile or a share of the whole run so far, which looks like one of the moment. */
const CUMULATIVE = /^k6_.*_(p\d+|avg|med|min|max|rate)$/;

/** @param {string} expr */
const withValues = (expr) => substitute(expr, { testid: 'spike-1', rangeS: 900, stepS: 2 });

/**
 * Reads what a query is made of.
 *
 * @param {string} expr without Grafana's variables
 * @returns {{error: string | null, selectors: {metric: string, functions: string[]}[], calls: {name: string, inside: string[]}[]}}
 *   functions and inside: what is wrapped around it, from the outside in
 */
function parse(expr) {
  /** @type {string[]} */
  const around = [];
  /** @type {{metric: string, functions: string[]}[]} */
  const selectors = [];
  /** @type {{name: string, inside: string[]}[]} */
  const calls = [];
  /** @type {string | null} */
  let error = null;
  /** @param {{from: number, to: number}} node */
  const text = (node) => expr.slice(node.from, node.to);
  parser.parse(expr).iterate({
    enter({ node, type }) {
      if (type.isError) error = `syntax error at ${node.from}: ${expr.slice(node.from, node.from + 20)}`;
      if (type.name === 'VectorSelector') {
        const name = node.getChild('Identifier');
        selectors.push({ metric: name ? text(name) : '', functions: [...around] });
      }
      const called = type.name === 'FunctionCall' || type.name === 'AggregateExpr' ? node.firstChild : null;
      if (called) {
        calls.push({ name: text(called), inside: [...around] });
        around.push(text(called));
      }
    },
    leave({ type }) {
      if (type.name === 'FunctionCall' || type.name === 'AggregateExpr') around.pop();
    },
  });
  return { error, selectors, calls };
}

/**
 * @param {string} expr with Grafana's variables
 * @returns {string[]} which of the rules it breaks
 */
function problems(expr) {
  const { error, selectors, calls } = parse(withValues(expr));
  const found = error ? [error] : [];
  for (const { metric, functions } of selectors) {
    const timestampOnly = functions.includes('timestamp');
    if (!/^(k6_|signal:)/.test(metric)) found.push(`${metric} is neither k6's nor a signal`);
    if (CUMULATIVE.test(metric)) found.push(`${metric} is cumulative`);
    if (/^k6_.*_(total|seconds)$/.test(metric) && !timestampOnly) {
      if (!COUNTER_FUNCTIONS.some((name) => functions.includes(name))) {
        found.push(`${metric} is a counter outside of ${COUNTER_FUNCTIONS.join(', ')}`);
      }
    }
    if (
      metric.endsWith('_seconds') &&
      metric.startsWith('k6_') &&
      !functions.includes('histogram_quantile')
    ) {
      found.push(`${metric} is a histogram outside of histogram_quantile`);
    }
  }
  for (const { name, inside } of calls) {
    if (name === 'histogram_quantile' && inside.length > 0)
      found.push(`a percentile inside ${inside.join(', ')}`);
  }
  if (/\[\d+[smh]\]/.test(expr) && /\b(rate|increase)\(/.test(expr)) found.push('a rate over a fixed window');
  return found;
}

/** @param {any} panel @returns {string[]} its own and those of its columns */
function unitsOf({ fieldConfig }) {
  const properties = fieldConfig.overrides.flatMap((/** @type {any} */ override) => override.properties);
  const columns = properties.filter((/** @type {any} */ { id }) => id === 'unit');
  return [fieldConfig.defaults.unit, ...columns.map((/** @type {any} */ { value }) => value)];
}

/** @param {string} unit */
function isUnit(unit) {
  return /** @type {string[]} */ (Object.values(units)).includes(unit) || /^time:\S+$/.test(unit);
}

describe('the lint of queries', () => {
  const bad = {
    'a counter as it is': 'k6_mcp_requests_total{testid="$testid"}',
    'a counter in a sum': 'sum(k6_mcp_requests_total)',
    'an averaged percentile':
      'avg(histogram_quantile(0.99, rate(k6_mcp_request_duration_seconds[$__rate_interval])))',
    'an averaged percentile over time':
      'avg_over_time(histogram_quantile(0.99, rate(k6_mcp_request_duration_seconds[$__rate_interval]))[5m:])',
    "k6's cumulative percentile": 'k6_mcp_request_duration_p99',
    "k6's cumulative share": 'k6_mcp_request_failed_rate',
    "a server's own metric": 'rate(request_duration_seconds_count[$__rate_interval])',
    'a fixed window': 'rate(k6_mcp_requests_total[5m])',
    'a syntax error': 'sum(rate(k6_mcp_requests_total[$__rate_interval])',
  };
  for (const [name, expr] of Object.entries(bad)) {
    it(`finds ${name}`, () => {
      assert.notDeepEqual(problems(expr), []);
    });
  }

  it('lets the usual ones pass', () => {
    assert.deepEqual(
      problems('sum by (kind) (rate(k6_mcp_failures_total{testid="$testid"}[$__rate_interval]))'),
      [],
    );
    assert.deepEqual(
      problems('histogram_quantile(0.99, sum(rate(k6_mcp_request_duration_seconds[$__rate_interval])))'),
      [],
    );
    assert.deepEqual(problems('signal:pool_used:ratio'), []);
  });

  it('knows every variable', () => {
    assert.throws(() => withValues('up{job="$job"}'), /the query has \$job/);
  });
});

for (const build of dashboards) {
  /** @type {any} the SDK's types leave what a panel type adds open */
  const dashboard = build();
  const panels = dashboard.panels.filter((/** @type {any} */ { type }) => type !== 'row');

  describe(`the dashboard "${dashboard.title}"`, () => {
    it('is committed as the code makes it', () => {
      assert.equal(readFileSync(fileOf(dashboard.uid), 'utf8'), toJson(dashboard));
    });

    it('has a uid, no id of one Grafana, a description and a crosshair that panels share', () => {
      assert.match(dashboard.uid, /^[a-z][a-z-]{1,39}$/);
      assert.equal(dashboard.id, undefined);
      assert.ok(dashboard.description);
      assert.equal(dashboard.graphTooltip, 1);
      assert.equal(dashboard.editable, false);
    });

    it('lets its user choose the data source and one run of the time range', () => {
      const variables = Object.fromEntries(
        dashboard.templating.list.map((/** @type {any} */ variable) => [variable.name, variable]),
      );
      assert.equal(variables.datasource.type, 'datasource');
      assert.equal(variables.datasource.query, 'prometheus');
      assert.equal(variables.testid.multi, false);
      assert.equal(variables.testid.refresh, 2, 'refreshed when the time range changes');
      assert.match(variables.testid.definition, /\$__range/);
      const [, testid] =
        new RegExp(variables.testid.regex.slice(1, -1)).exec('{testid="a-b"} 12 1700000000000') ?? [];
      assert.equal(testid, 'a-b');
    });

    it('has different ids and titles', () => {
      const ids = dashboard.panels.map((/** @type {any} */ { id }) => id);
      assert.ok(ids.every((/** @type {unknown} */ id) => Number.isInteger(id) && Number(id) > 0));
      assert.equal(new Set(ids).size, ids.length);
      const titles = panels.map((/** @type {any} */ { title }) => title);
      assert.equal(new Set(titles).size, titles.length);
    });

    it('fills its columns without an overlap', () => {
      const taken = new Map();
      for (const { title, gridPos } of dashboard.panels) {
        assert.ok(gridPos.x + gridPos.w <= COLUMNS, `${title} is wider than the dashboard`);
        for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
          for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
            assert.equal(taken.get(`${x},${y}`), undefined, `${title} lies on ${taken.get(`${x},${y}`)}`);
            taken.set(`${x},${y}`, title);
          }
        }
      }
      const height = Math.max(
        ...dashboard.panels.map((/** @type {any} */ { gridPos }) => gridPos.y + gridPos.h),
      );
      assert.equal(taken.size, height * COLUMNS, 'there is a hole in the grid');
    });

    for (const panel of panels) {
      it(`"${panel.title}" says what it is, in a unit, with a word for no data`, () => {
        assert.ok(PANEL_TYPES.includes(panel.type), `panel type ${panel.type}`);
        assert.ok(panel.title);
        assert.match(panel.description, /\.$/);
        for (const unit of unitsOf(panel)) assert.ok(isUnit(unit), `unit ${unit}`);
        assert.ok(panel.fieldConfig.defaults.noValue);
        assert.ok(panel.gridPos.w >= (panel.type === 'stat' ? MIN_COLUMNS.stat : MIN_COLUMNS.default));
        assert.ok(panel.targets.length > 0);
        for (const { datasource } of [panel, ...panel.targets]) {
          assert.deepEqual(datasource, { type: 'prometheus', uid: '$datasource' });
        }
        assert.equal(
          new Set(panel.targets.map((/** @type {any} */ { refId }) => refId)).size,
          panel.targets.length,
        );
      });
    }

    it('names every line', () => {
      for (const { title, type, targets } of panels) {
        if (type === 'table') continue;
        for (const { legendFormat } of targets) assert.ok(legendFormat, title);
      }
    });

    for (const { title, refId, expr } of queriesOf(dashboard)) {
      it(`asks well for "${title}" ${refId}`, () => {
        assert.deepEqual(problems(expr), [], expr);
        // Signals are the machine's, everything else is the run's; the variable is what lists the runs.
        const ofAll = title === 'testid' || /^signal:(?!generator)/.test(expr);
        assert.equal(expr.includes('testid="$testid"'), !ofAll);
      });
    }
  });
}

it('the overview and the verdict distrust a generator from the same CPU on', () => {
  /** @type {any[]} */
  const panels = loadTest().panels ?? [];
  const limits = panels.flatMap(({ fieldConfig }) => fieldConfig?.defaults.thresholds?.steps ?? []);
  const distrusted = limits.filter(({ color }) => color === 'purple').map(({ value }) => value);
  assert.deepEqual(distrusted, [GENERATOR_CPU_LIMIT, GENERATOR_CPU_LIMIT]);
});

describe('dashboards/build.js', () => {
  const script = fileURLToPath(new URL('../../dashboards/build.js', import.meta.url));

  it('has written every file that Grafana is provisioned with', () => {
    const written = readdirSync(new URL('../../provisioning/grafana/dashboards/', import.meta.url));
    assert.deepEqual(
      written.filter((name) => name.endsWith('.json')).sort(),
      dashboards.map((build) => `${build().uid}.json`).sort(),
    );
    assert.equal(spawnSync(process.execPath, [script, '--check']).status, 0);
  });

  it('refuses an option that it does not know', () => {
    const { status, stderr } = spawnSync(process.execPath, [script, '--write'], { encoding: 'utf8' });
    assert.equal(status, 2);
    assert.match(stderr, /got --write; valid is nothing or --check\n$/);
  });
});
