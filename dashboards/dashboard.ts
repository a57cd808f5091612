/**
 * Common parts of all dashboards: the selection of a run, annotations (phases, findings, verdict), and links to the
 * other dashboards.
 */
import {
  AnnotationQueryBuilder,
  type Dashboard,
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
import type { barGauge, heatmap, stat, table, timeSeries } from './panels.ts';
import { DATASOURCE } from './panels.ts';
import { phaseStarts, placed, saidByRun } from './queries.ts';

/** The tag by which dashboards link to each other. */
const TAG = 'mcp-load-lab';
/** Grafana's query type for a variable that takes its values from a query's result. */
const QUERY_RESULT = 3;

interface Variable {
  name: string;
  label: string;
  description: string;
  /** Each series of the result is one option, in the order of the result. */
  query: string;
  /** The first group is the option's value. The input looks like `name{label="value"} 1 1700000000000`. */
  regex: string;
  /** The other variables determine the value. */
  hidden?: boolean;
}

/** A variable with one value, by default the first. (label_values() would sort by name instead of by age.) */
function queryVariable({ name, label, description, query, regex, hidden = false }: Variable) {
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

interface Annotation {
  name: string;
  color: string;
  expr: string;
  title: string;
  text: string;
  /** The values of the series are the times of the annotations. */
  timed?: boolean;
  enabled?: boolean;
}

const annotation = ({ name, color, expr, title, text, timed = true, enabled = true }: Annotation) =>
  new AnnotationQueryBuilder()
    .name(name)
    .datasource(DATASOURCE)
    .enable(enabled)
    .iconColor(color)
    .expr(expr)
    .useValueForTime(timed)
    .titleFormat(title)
    .textFormat(text);

const ANNOTATIONS: Annotation[] = [
  { name: 'Phases', color: 'blue', expr: phaseStarts(), title: '{{phase}}', text: 'The phase begins' },
  {
    name: 'Findings',
    color: 'orange',
    expr: placed('mcp_finding'),
    title: '{{kind}}: {{subject}}',
    text: '{{statement}}',
  },
  {
    name: 'Verdict',
    color: 'text',
    expr: placed('mcp_verdict'),
    title: 'Verdict: {{outcome}}',
    text: '{{statement}}',
  },
  {
    // Off by default, because alert bands cover the data of a finished run.
    name: 'Alerts',
    color: 'red',
    expr: 'ALERTS{alertstate="firing", testid=~"$testid|", server=~"$server|"}',
    title: '{{alertname}}',
    text: 'The alert fires',
    timed: false,
    enabled: false,
  },
];

const VARIABLES: Variable[] = [
  {
    name: 'testid',
    label: 'Run',
    description: 'The runs in the time range, the newest first',
    query: 'sort_desc(max_over_time(max by (testid) (timestamp(k6_mcp_requests_total))[$__range:10s]))',
    regex: '/testid="([^"]+)"/',
  },
  {
    name: 'server',
    label: 'Server',
    description: 'The label `server` of the signals that belong to the run',
    query: saidByRun('mcp_started_seconds'),
    regex: '/server="([^"]*)"/',
    hidden: true,
  },
];

type Panel = ReturnType<typeof barGauge | typeof heatmap | typeof stat | typeof table | typeof timeSeries>;

interface DashboardOptions {
  uid: string;
  title: string;
  description: string;
  variables?: Variable[];
  /** Rows and panels, in reading order. */
  panels: (RowBuilder | Panel)[];
}

export function dashboard({ uid, title, description, variables = [], panels }: DashboardOptions): Dashboard {
  const links = new DashboardLinkBuilder('Dashboards')
    .type(DashboardLinkType.Dashboards)
    .tags([TAG])
    .asDropdown(false)
    .icon('external link')
    .keepTime(true)
    .includeVars(true)
    .targetBlank(false);
  const builder = new DashboardBuilder(title)
    .uid(uid)
    .description(description)
    .tags([TAG])
    .readonly()
    .tooltip(DashboardCursorSync.Crosshair)
    .time({ from: 'now-15m', to: 'now' })
    .refresh('5s')
    .timezone('browser')
    .link(links)
    .withVariable(
      new DatasourceVariableBuilder('datasource')
        .label('Data source')
        .type('prometheus')
        .current({ text: 'Prometheus', value: 'prometheus' }),
    );
  for (const variable of [...VARIABLES, ...variables]) builder.withVariable(queryVariable(variable));
  for (const one of ANNOTATIONS) builder.annotation(annotation(one));
  panels.forEach((panel, index) => {
    panel.id(index + 1);
    if (panel instanceof RowBuilder) builder.withRow(panel);
    else builder.withPanel(panel);
  });
  return builder.build();
}
