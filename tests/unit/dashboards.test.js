import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { TRUST } from '../../analysis/limits.ts';
import { SATURATING } from '../../contract/signals.js';
import { dashboards, FOLDER, toJson } from '../../dashboards/build.ts';
import { dashboard } from '../../dashboards/dashboard.ts';
import { signal, timeSeries } from '../../dashboards/panels.ts';
import { objective, percentile } from '../../dashboards/queries.ts';
import { firstOption } from '../grafana.js';
import { lint, queryProblems } from './dashboard-lint.js';

const WHERE = { uid: 'mcp-overview', panel: 1, type: 'timeseries' };
const DURATION = 'k6_mcp_request_duration_seconds{testid="$testid"}';

describe('the lint of queries', () => {
  /** @type {Record<string, [expr: string, problem: RegExp, where?: Partial<typeof WHERE>]>} */
  const bad = {
    'a counter as it is': ['k6_mcp_requests_total{testid="$testid"}', /counter outside of/],
    'a counter in a sum': ['sum(k6_mcp_requests_total{testid="$testid"})', /counter outside of/],
    'a scraped counter by its last value': [
      'last_over_time(node_cpu_seconds_total[$__range])',
      /counter outside of rate, increase/,
      { uid: 'mcp-server' },
    ],
    'an averaged percentile': [
      `avg(histogram_quantile(0.99, rate(${DURATION}[$__rate_interval])))`,
      /a percentile inside avg/,
    ],
    'an averaged percentile over time': [
      `avg_over_time(histogram_quantile(0.99, rate(${DURATION}[$__rate_interval]))[5m:])`,
      /a percentile inside avg_over_time/,
    ],
    "k6's cumulative percentile": ['k6_mcp_request_duration_p99{testid="$testid"}', /cumulative/],
    "k6's cumulative share": ['k6_mcp_request_failed_rate{testid="$testid"}', /cumulative/],
    'a histogram as it is': [`sum(rate(${DURATION}[$__rate_interval]))`, /histogram outside of/],
    "a server's own metric": [
      'rate(request_duration_seconds_count[$__rate_interval])',
      /no series that mcp-overview may name/,
    ],
    'an exporter on a dashboard about something else': [
      'pg_up',
      /no series that mcp-server may name/,
      { uid: 'mcp-server' },
    ],
    "a process that is not k6's": ['process_resident_memory_bytes', /not k6's/, { uid: 'mcp-generator' }],
    'a fixed window': ['rate(k6_mcp_requests_total{testid="$testid"}[5m])', /rate over 5m/],
    'all runs at once': ['sum(rate(k6_mcp_requests_total[$__rate_interval]))', /of any run/],
    'all generators at once': ['signal:generator_cpu:ratio', /of any run/],
    'all servers at once': ['signal:pool_utilization:ratio', /of any server/],
    'a syntax error': ['sum(rate(k6_mcp_requests_total{testid="$testid"}[$__rate_interval])', /syntax error/],
  };
  for (const [name, [expr, problem, where]] of Object.entries(bad)) {
    it(`finds ${name}`, () => {
      assert.match(queryProblems(expr, { ...WHERE, ...where }).join('\n'), problem);
    });
  }

  it('lets the usual ones pass', () => {
    for (const [expr, where] of /** @type {[string, Partial<typeof WHERE>?][]} */ ([
      ['sum by (kind) (rate(k6_mcp_failures_total{testid="$testid"}[$__rate_interval]))'],
      [`histogram_quantile(0.99, sum(rate(${DURATION}[$__rate_interval])))`],
      ['signal:pool_utilization:ratio{server=~"$server|"}'],
      [`sum(rate(${DURATION}[$__rate_interval]))`, { type: 'heatmap' }],
      ['rate(process_cpu_seconds_total{job="k6"}[$__rate_interval])', { uid: 'mcp-generator' }],
      ['sort_desc(max by (testid) (k6_mcp_started_seconds))', { panel: 'variable' }],
    ])) {
      assert.deepEqual(queryProblems(expr, { ...WHERE, ...where }), [], expr);
    }
  });

  it('knows every variable', () => {
    assert.throws(() => queryProblems('up{job="$job"}', WHERE), /the query has \$job/);
  });
});

describe('the lint of dashboards', () => {
  // Panels share parts, such as the data source.
  /** @returns {any} */
  const good = () => JSON.parse(toJson(example()));
  const example = () =>
    dashboard({
      uid: 'mcp-example',
      title: 'Example',
      description: 'One that keeps every rule.',
      panels: [
        timeSeries({
          title: 'Latency',
          description: 'Percentiles.',
          unit: 's',
          width: 12,
          height: 9,
          lines: [
            { expr: percentile(0.99, 'mcp_request_duration_seconds'), legend: 'p99' },
            { expr: objective('p99'), legend: 'limit' },
          ],
        }),
        signal('pool_utilization:ratio', { width: 12, height: 9 }),
      ],
    });

  it('lets a good one pass', () => assert.deepEqual(lint(good()), []));

  /** @type {Record<string, [spoil: (dashboard: any, panel: any) => void, problem: RegExp]>} */
  const bad = {
    'a panel without a title': [(_, panel) => delete panel.title, /no title/],
    'a panel without a description': [(_, panel) => delete panel.description, /no description/],
    'a description that does not end': [(_, panel) => (panel.description = 'Latency'), /full stop/],
    'a unit that Grafana has not': [
      (_, panel) => (panel.fieldConfig.defaults.unit = 'secs'),
      /the unit is secs/,
    ],
    'nothing to say without data': [
      (_, panel) => delete panel.fieldConfig.defaults.noValue,
      /no text for no data/,
    ],
    'a panel type that is gone': [(_, panel) => (panel.type = 'graph'), /the type is graph/],
    'an override that the lint does not know': [
      (_, panel) =>
        panel.fieldConfig.overrides.push({ properties: [{ id: 'custom.gradientMode', value: 'hue' }] }),
      /overrides custom.gradientMode/,
    ],
    'a transformation that the lint does not know': [
      (_, panel) => (panel.transformations = [{ id: 'joinByField', options: {} }]),
      /transforms by joinByField/,
    ],
    'a mapping that the lint does not know': [
      (_, panel) => (panel.fieldConfig.defaults.mappings = [{ type: 'regex', options: {} }]),
      /maps by regex/,
    ],
    'a panel too narrow': [(_, panel) => (panel.gridPos.w = 5), /5 columns wide/],
    'a title too long': [(_, panel) => (panel.title = 'x'.repeat(80)), /cut off/],
    "another panel's data source": [(_, panel) => (panel.targets[0].datasource.uid = 'abc'), /data source/],
    'two queries of one name': [(_, panel) => (panel.targets[1].refId = 'A'), /expected each once/],
    'a line without a name': [(_, panel) => delete panel.targets[0].legendFormat, /has no name/],
    'a p99 without its objective': [(_, panel) => panel.targets.pop(), /p99 without its objective/],
    'a signal without its thresholds': [
      ({ panels }) => delete panels[1].fieldConfig.defaults.thresholds,
      /signal:pool_utilization:ratio without its thresholds/,
    ],
    'a panel without a query': [(_, panel) => (panel.targets = []), /no query/],
    'a bad query': [(_, panel) => (panel.targets[0].expr = 'up'), /up is no series/],
    'panels on each other': [(_, panel) => (panel.gridPos.x = 6), /lies on/],
    'a hole in the grid': [({ panels }) => (panels[1].gridPos.h = 8), /hole/],
    'two ids alike': [({ panels }) => (panels[1].id = 1), /expected each once/],
    'two titles alike': [({ panels }) => (panels[1].title = panels[0].title), /two panels are called/],
    'a uid that may change': [(one) => (one.uid = 'c1f2'), /the uid is c1f2/],
    'an id of one Grafana': [(one) => (one.id = 7), /has the id/],
    'no crosshair': [(one) => (one.graphTooltip = 0), /no crosshair/],
    'no tag': [(one) => (one.tags = []), /the tags are/],
    'links that lose the run': [(one) => (one.links[0].includeVars = false), /no links/],
    'no data source to choose': [(one) => one.templating.list.shift(), /no variable datasource/],
    'no run to choose': [(one) => one.templating.list.splice(1, 1), /no variable testid/],
    "signals of no one's": [(one) => one.templating.list.splice(2, 1), /no hidden variable server/],
  };
  for (const [name, [spoil, problem]] of Object.entries(bad)) {
    it(`finds ${name}`, () => {
      const spoilt = good();
      spoil(spoilt, spoilt.panels[0]);
      assert.match(lint(spoilt).join('\n'), problem);
    });
  }

  it('finds a share of failures without a threshold', () => {
    const spoilt = good();
    spoilt.panels[1].targets[0].expr =
      '(sum(rate(k6_mcp_failures_total{testid="$testid"}[$__rate_interval])) or vector(0)) / sum(rate(k6_mcp_requests_total{testid="$testid"}[$__rate_interval]))';
    delete spoilt.panels[1].fieldConfig.defaults.thresholds;
    assert.match(lint(spoilt).join('\n'), /failures without a threshold/);
  });

  it('finds a table with more columns than 1280 pixels have room for', () => {
    const spoilt = good();
    spoilt.panels[0].type = 'table';
    spoilt.panels[0].targets = Array.from({ length: 12 }, () => spoilt.panels[0].targets[0]);
    assert.match(lint(spoilt).join('\n'), /too many columns/);
  });
});

for (const build of dashboards) {
  const made = build();
  describe(`the dashboard "${made.title}"`, () => {
    it('is committed as the code makes it', () => {
      assert.equal(
        readFileSync(new URL(`${made.uid}.json`, FOLDER), 'utf8'),
        toJson(made),
        'make dashboards-build',
      );
    });

    it('keeps the rules', () => assert.deepEqual(lint(JSON.parse(toJson(made))), []));

    it('finds what it lets choose in the answers of Prometheus', () => {
      /** @type {any[]} */
      const variables = made.templating?.list ?? [];
      const labels = {
        __name__: 'x',
        testid: 'a-b',
        server: 'reference',
        operation: 'get_user',
      };
      for (const variable of variables.filter(({ type, name }) => type === 'query' && name in labels)) {
        const known = /** @type {Record<string, string>} */ (labels);
        const first = firstOption(variable, [{ labels, value: 12 }]);
        assert.equal(first, known[variable.name], variable.name);
      }
    });
  });
}

it('dashboards have different uids and titles', () => {
  const all = dashboards.map((build) => build());
  assert.equal(new Set(all.map(({ uid }) => uid)).size, all.length);
  assert.equal(new Set(all.map(({ title }) => title)).size, all.length);
});

it('the dashboards and the verdict distrust a generator from the same CPU on', () => {
  /** @type {any[]} */
  const panels = dashboards.flatMap((build) => build().panels ?? []);
  const ofGenerator = panels.filter(({ targets = [] }) =>
    targets.some((/** @type {any} */ { expr }) => expr.startsWith('signal:generator_cpu:ratio')),
  );
  assert.ok(ofGenerator.length > 0);
  for (const { title, fieldConfig } of ofGenerator) {
    const distrusted = fieldConfig.defaults.thresholds.steps.filter(
      (/** @type {any} */ { color }) => color === 'purple',
    );
    assert.deepEqual(
      distrusted.map((/** @type {any} */ { value }) => value),
      [TRUST.maxGeneratorCpu],
      title,
    );
  }
});

it('the server dashboard says at which rate each resource with a limit is full', () => {
  const server = dashboards.map((build) => build()).find(({ uid }) => uid === 'mcp-server');
  /** @type {any} */
  const panel = server?.panels?.find(({ title }) => title === 'Rate at which each resource saturates');
  const [{ expr }] = panel.targets;
  assert.deepEqual(
    SATURATING.filter((name) => !expr.includes(`signal:${name}:ratio`)),
    [],
  );
});

it('the shift of two runs is read whether the base began before or after', () => {
  const compare = dashboards.map((build) => build()).find(({ uid }) => uid === 'mcp-compare');
  /** @type {any} */
  const shift = compare?.templating?.list?.find(({ name }) => name === 'shift');
  for (const [value, text] of /** @type {const} */ ([
    [3600, '3600'],
    [-90, '-90'],
    [1, '1'],
  ])) {
    assert.equal(firstOption(shift, [{ labels: {}, value }]), text);
  }
});

it('a signal that the catalogue has not is refused with those that it has', () => {
  assert.throws(() => signal('nope:ratio'), /the signal is nope:ratio.*pool_utilization:ratio/);
});

it('Grafana is provisioned with these alone', () => {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
  assert.deepEqual(files.sort(), dashboards.map((build) => `${build().uid}.json`).sort());
});
