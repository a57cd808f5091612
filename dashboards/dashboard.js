/**
 * What every dashboard is: the choice of a run, the marks of its phases, findings and alerts, and the way to the
 * other dashboards.
 */
import {
  AnnotationQueryBuilder,
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
  VariableHide,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DATASOURCE } from './panels.js';
import { phaseStarts, placed, saidByRun } from './queries.js';

/** On every dashboard of the lab: what the links look for. */
const TAG = 'mcp-load-lab';

/** The folders below provisioning/grafana/dashboards, and in Grafana. */
export const FOLDERS = ['runs', 'resources'];

/** Grafana's number for a variable that takes a query's result. */
const QUERY_RESULT = 3;

/**
 * @typedef {object} VariableOptions
 * @property {string} name
 * @property {string} label
 * @property {string} description
 * @property {string} query PromQL; a series is one choice, in the order of the answer
 * @property {string} regex what of a series is the choice: its first group, found in `name{label="value"} 1 1700000000000`
 * @property {boolean} [hidden] nothing to choose: it follows from the others
 */

/**
 * @param {VariableOptions} options
 * @returns {QueryVariableBuilder} one choice; the first, where nobody chose
 */
export function queryVariable({ name, label, description, query, regex, hidden = false }) {
  // label_values() would offer every series that is still in the head block, and by name, not by age.
  const definition = `query_result(${query})`;
  return new QueryVariableBuilder(name)
    .label(label)
    .description(description)
    .datasource(DATASOURCE)
    .query({ qryType: QUERY_RESULT, query: definition, refId: name })
    .definition(definition)
    .regex(regex)
    .hide(hidden ? VariableHide.HideVariable : VariableHide.DontHide)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.Disabled)
    .multi(false)
    .includeAll(false);
}

const testid = () =>
  queryVariable({
    name: 'testid',
    label: 'Run',
    description: 'The runs in the time range, the newest first',
    query: 'sort_desc(max_over_time(max by (testid) (timestamp(k6_mcp_requests_total))[$__range:10s]))',
    regex: '/testid="([^"]+)"/',
  });

const server = () =>
  queryVariable({
    name: 'server',
    label: 'Server',
    description: 'Whose signals are those of the run: the value of their label `server`',
    query: saidByRun('mcp_started_seconds'),
    regex: '/server="([^"]*)"/',
    hidden: true,
  });

/**
 * @param {{name: string, color: string, expr: string, title: string, text: string, tags: string, timed?: boolean}} options
 *   timed: the series' values are the times
 */
function annotation({ name, color, expr, title, text, tags, timed = false }) {
  return new AnnotationQueryBuilder()
    .name(name)
    .datasource(DATASOURCE)
    .enable(true)
    .iconColor(color)
    .expr(expr)
    .useValueForTime(timed)
    .titleFormat(title)
    .textFormat(text)
    .tagKeys(tags);
}

/**
 * @typedef {object} DashboardOptions
 * @property {string} uid
 * @property {string} title
 * @property {'runs' | 'resources'} folder
 * @property {string} description
 * @property {QueryVariableBuilder[]} [variables] besides those that every dashboard has
 * @property {(RowBuilder | ReturnType<typeof import('./panels.js')[keyof Pick<typeof import('./panels.js'), 'stat' | 'gauge' | 'barGauge' | 'timeSeries' | 'table' | 'heatmap'>]>)[]} panels
 *   rows and what is below them, in reading order
 * @property {{from: string, to: string}} [time]
 * @property {string} [refresh] how often it is drawn anew
 *
 * @param {DashboardOptions} options
 * @returns {import('@grafana/grafana-foundation-sdk/dashboard').Dashboard} its second tag is its folder
 */
export function dashboard({
  uid,
  title,
  folder,
  description,
  variables = [],
  panels,
  time = { from: 'now-15m', to: 'now' },
  refresh = '5s',
}) {
  const builder = new DashboardBuilder(title)
    .uid(uid)
    .description(description)
    .tags([TAG, folder])
    .readonly()
    .tooltip(DashboardCursorSync.Crosshair)
    .time(time)
    .refresh(refresh)
    .timezone('browser')
    .link(
      new DashboardLinkBuilder('Dashboards')
        .type(DashboardLinkType.Dashboards)
        .tags([TAG])
        .asDropdown(false)
        .icon('external link')
        .keepTime(true)
        .includeVars(true)
        .targetBlank(false),
    )
    .withVariable(
      new DatasourceVariableBuilder('datasource')
        .label('Data source')
        .type('prometheus')
        .current({ text: 'Prometheus', value: 'prometheus' }),
    )
    .withVariable(testid())
    .withVariable(server())
    .annotation(
      annotation({
        name: 'Phases',
        color: 'blue',
        expr: phaseStarts('iterations_total'),
        timed: true,
        title: '{{phase}}',
        text: 'The phase begins',
        tags: 'phase',
      }),
    )
    .annotation(
      annotation({
        name: 'Findings',
        color: 'orange',
        expr: placed('mcp_finding'),
        timed: true,
        title: '{{kind}}: {{subject}}',
        text: '{{statement}}',
        tags: 'kind',
      }),
    )
    .annotation(
      annotation({
        name: 'Verdict',
        color: 'text',
        expr: placed('mcp_verdict'),
        timed: true,
        title: 'Verdict: {{outcome}}',
        text: '{{statement}}',
        tags: 'outcome',
      }),
    )
    .annotation(
      annotation({
        name: 'Alerts',
        color: 'red',
        // Those of other runs and of other servers are not this run's.
        expr: 'ALERTS{alertstate="firing", testid=~"$testid|", server=~"$server|"}',
        title: '{{alertname}}',
        text: 'The alert fires',
        tags: 'alertname',
      }),
    );
  for (const variable of variables) builder.withVariable(variable);
  for (const panel of panels) {
    if (panel instanceof RowBuilder) builder.withRow(panel);
    else builder.withPanel(panel);
  }
  return builder.build();
}
