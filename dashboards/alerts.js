/**
 * The alerts that the benchmark document asks for, as one list. `node dashboards/build.js` writes it twice, for
 * Prometheus (provisioning/prometheus/rules/alerts.yml) and for Grafana (provisioning/grafana/alerting/alerts.yml), so
 * that either can be used without the other and neither says anything else.
 *
 * A run alerts only while it runs (`k6_vus` is there): what it did last is not judged any longer.
 *
 * Grafana's file is checked against the format that Grafana documents. It was not loaded into a running Grafana.
 */
import { fileURLToPath } from 'node:url';
import { Document, isScalar, visit } from 'yaml';

/**
 * @typedef {object} Alert
 * @property {string} name
 * @property {string} expr PromQL; each series of it that is beyond the limit is an alert
 * @property {'>' | '<'} beyond
 * @property {number} limit
 * @property {string} for so long it has to stay beyond
 * @property {'critical' | 'warning'} severity critical: figures of the run are wrong or its calls fail
 * @property {string} summary one line; `{label}` is that label's value, `{value}` what `expr` says
 * @property {string} value how `{value}` is written: a function of alert templates that Prometheus and Grafana have
 * @property {string} description what it means and what to do
 * @property {{uid: string, of: 'testid' | 'server'}} dashboard which one to open, and whose alert it is
 *
 * @typedef {object} Recording
 * @property {string} record
 * @property {string} expr
 * @property {string} about
 */

/** Figures of a run are those of the last half minute: k6 pushes every 2 s, and a phase takes a minute or two. */
const WINDOW_S = 30;
/** A p95 of fewer answers is one of the slowest few. */
const ENOUGH_FOR_P95 = 20;
/** Fewer failures in that time are no rate. */
const ENOUGH_FAILURES = 3;
/** Prometheus scrapes, and evaluates the signals, every 2 s. */
const SIGNALS_PER_HOUR = 3600 / 2;

/** Of tools by name, with or without a user before it (`guest/list_files`). */
const LIST = 'operation=~"(.*/)?list_.+"';
const CREATE = 'operation=~"(.*/)?create_.+"';
const CERTIFICATE = '".*certificate.*"';

/**
 * What a k6 counter grew by within the window. Why not `increase()`: see dashboards/queries.js.
 *
 * @param {string} metric
 * @param {string} by labels to keep
 * @param {string} memory longest silence within a series
 */
const grown = (metric, by, memory) => `sum by (${by}) (
  last_over_time(${metric}[${WINDOW_S}s])
    - (
      last_over_time(${metric}[${memory}] offset ${WINDOW_S}s)
        or 0 * last_over_time(${metric}[${WINDOW_S}s])
    )
)
and on (testid) k6_vus`;

/** @type {Recording[]} */
export const recordings = [
  {
    record: 'run:requests:increase30s',
    // Ten minutes, and not a day as below: these are pushed in every interval, and reading a day of them would cost the
    // machine under test more than knowing of an operation that is called less than every ten minutes is worth.
    about: 'Requests of the last 30 s, by operation.',
    expr: grown('k6_mcp_requests_total', 'testid, operation', '10m'),
  },
  {
    record: 'run:failures:increase30s',
    about: 'Failed requests of the last 30 s, by operation and kind of failure. Nothing where none failed.',
    expr: grown('k6_mcp_failures_total', 'testid, operation, kind', '1d'),
  },
  {
    record: 'run:dropped:increase30s',
    about: 'Iterations of the last 30 s that were due, and that no user was free to make.',
    expr: grown('k6_dropped_iterations_total{scenario!="warm-up"}', 'testid', '1d'),
  },
];

/** @param {string} which a matcher of operations */
const p95 = (which) => `histogram_quantile(
  0.95,
  sum by (testid, operation) (increase(k6_mcp_request_duration_seconds{${which}}[${WINDOW_S}s]))
)
and run:requests:increase30s >= ${ENOUGH_FOR_P95}`;

/**
 * A test that offers less than the floor does not miss it, nor does one that has just begun or has ended, or whose users
 * call as fast as they are answered: what counts is that calls were due and not made. Offered is what was made and its
 * share of what was dropped, in the same time; operations are dealt out evenly, so the share is that of what was made.
 *
 * @param {string} which a matcher of operations
 * @param {number} floor calls per second
 */
const throughput = (which, floor) => {
  const made = `sum by (testid) (run:requests:increase30s{${which}}) / ${WINDOW_S}`;
  return `${made}
and
  ${made}
    * (1 + run:dropped:increase30s / sum by (testid) (run:requests:increase30s))
    >= ${floor}`;
};

/** @param {string} which a matcher of operations */
const failureShare = (
  which,
) => `(sum by (testid, operation) (run:failures:increase30s{${which}}) >= ${ENOUGH_FAILURES})
  / run:requests:increase30s`;

/** The least memory of a third of the last hour, which garbage that waits for its collection is not in. */
const floorOf = (/** @type {string} */ ago) => `min_over_time(signal:memory:bytes[20m]${ago})`;

/** A window that a phase fills only in part, at its beginning or its end, holds too little: so long it may look low. */
const BEGUN = `${WINDOW_S}s`;
const RATE = 'printf "%.1f"';

/** @type {Alert[]} */
export const alerts = [
  {
    name: 'ListSlow',
    expr: p95(LIST),
    beyond: '>',
    limit: 0.2,
    for: '20s',
    severity: 'warning',
    summary: '{operation}: p95 is {value}, the limit for lists is 200 ms',
    value: 'humanizeDuration',
    description:
      'Lists answer slower than the document allows. Look at Operations for which of them and since when, then at ' +
      'Server: a busy pool or a cache that misses shows there, and Database shows the slow statements.',
    dashboard: { uid: 'mcp-operations', of: 'testid' },
  },
  {
    name: 'CreateSlow',
    expr: p95(CREATE),
    beyond: '>',
    limit: 0.5,
    for: '20s',
    severity: 'warning',
    summary: '{operation}: p95 is {value}, the limit for creating is 500 ms',
    value: 'humanizeDuration',
    description:
      'Creating answers slower than the document allows. Look at Operations for which of them and since when, then at ' +
      'Database: locks, commits and checkpoints, and at what the server waits for upstream.',
    dashboard: { uid: 'mcp-operations', of: 'testid' },
  },
  {
    name: 'ListThroughputLow',
    expr: throughput(LIST, 50),
    beyond: '<',
    limit: 50,
    for: BEGUN,
    severity: 'warning',
    summary: 'lists are made at {value}/s, though at least 50/s are due',
    value: RATE,
    description:
      'At least 50 list calls a second are due and fewer are made: every user waits for an answer. Look at Load test for the dropped ' +
      'iterations and the latency. Where the server is idle, more users (MAX_VUS) or another generator are needed.',
    dashboard: { uid: 'mcp-load-test', of: 'testid' },
  },
  {
    name: 'CreateThroughputLow',
    expr: throughput(CREATE, 10),
    beyond: '<',
    limit: 10,
    for: BEGUN,
    severity: 'warning',
    summary: 'creating is done at {value}/s, though at least 10/s are due',
    value: RATE,
    description:
      'At least 10 create calls a second are due and fewer are made: every user waits for an answer. Look at Load test for the dropped ' +
      'iterations and the latency. Where the server is idle, more users (MAX_VUS) or another generator are needed.',
    dashboard: { uid: 'mcp-load-test', of: 'testid' },
  },
  {
    name: 'ErrorRateHigh',
    expr: failureShare(`operation!~${CERTIFICATE}`),
    beyond: '>',
    limit: 0.01,
    for: '20s',
    severity: 'critical',
    summary: '{operation}: {value} of the requests of the last 30 s failed, the limit is 1%',
    value: 'humanizePercentage',
    description:
      'Requests of this operation fail. Operations shows the kinds of failure: 429 is a limit of the server, 5xx and timeout are ' +
      'overload or a defect, tool and unexpected are answers that say no. The report has the first failures word by word.',
    dashboard: { uid: 'mcp-operations', of: 'testid' },
  },
  {
    name: 'CertificateErrorRateHigh',
    expr: failureShare(`operation=~${CERTIFICATE}`),
    beyond: '>',
    limit: 0.05,
    for: '20s',
    severity: 'critical',
    summary: '{operation}: {value} of the requests of the last 30 s failed, the limit for certificates is 5%',
    value: 'humanizePercentage',
    description:
      'Certificates come from an authority that limits how many it issues, so some failures are usual. More than these: look at ' +
      'Operations for their kind, and at Server for trips of the breaker and the time that is waited for upstream.',
    dashboard: { uid: 'mcp-operations', of: 'testid' },
  },
  {
    name: 'ConnectionErrors',
    expr: `(sum by (testid) (run:failures:increase30s{kind="connect"}) >= ${ENOUGH_FAILURES})
  / sum by (testid) (run:requests:increase30s)`,
    beyond: '>',
    limit: 0.001,
    for: '10s',
    severity: 'critical',
    summary: '{value} of the requests of the last 30 s found no connection, the limit is 0.1%',
    value: 'humanizePercentage',
    description:
      'The server refuses or loses connections. Is it up? Did it restart? Else it accepts fewer than are opened: its backlog, its ' +
      'open files, or a proxy before it. Where the generator has run out of ports, Generator and Host show it.',
    dashboard: { uid: 'mcp-load-test', of: 'testid' },
  },
  {
    name: 'MemoryHigh',
    expr: 'signal:memory:bytes',
    beyond: '>',
    limit: 500e6,
    for: '1m',
    severity: 'warning',
    summary: 'the server {server} holds {value}B of memory, the limit is 500 MB',
    value: 'humanize',
    description:
      'All processes of the server together hold more than the document allows. It may be a leak: see whether memory goes back when the ' +
      'load does, and whether it grows with sessions, with the cache, or with time alone (Soak).',
    dashboard: { uid: 'mcp-server', of: 'server' },
  },
  {
    name: 'MemoryGrowing',
    // The trend of an hour, and only where each third of it was above the one before: one step, as when the load begins, is
    // no leak, nor is the warm-up of a server that has just been started.
    expr: `deriv(signal:memory:bytes[1h]) * 3600
and count_over_time(signal:memory:bytes[1h]) >= ${0.9 * SIGNALS_PER_HOUR}
and ${floorOf('')} > ${floorOf(' offset 20m')}
and ${floorOf(' offset 20m')} > ${floorOf(' offset 40m')}`,
    beyond: '>',
    limit: 10e6,
    for: '5m',
    severity: 'warning',
    summary: 'the memory of the server {server} grows by {value}B an hour, the limit is 10 MB',
    value: 'humanize',
    description:
      'The trend of the last hour points up, and what is left after garbage collection went up with it. Open Soak: does it grow with ' +
      'sessions or with requests? Then compare two heap snapshots of the server, an hour apart.',
    dashboard: { uid: 'mcp-soak', of: 'server' },
  },
  {
    name: 'PoolSaturated',
    expr: 'avg_over_time(signal:pool_used:ratio[30s])',
    beyond: '>',
    limit: 0.8,
    for: '20s',
    severity: 'warning',
    summary: 'the server {server} uses {value} of its connection pool, the limit is 80%',
    value: 'humanizePercentage',
    description:
      'The pool to the database is nearly used up: soon requests wait for a connection. Look at Server for who waits and how long. Slow ' +
      'statements (Database) fill a pool as well as too small a size does (POOL_SIZE).',
    dashboard: { uid: 'mcp-server', of: 'server' },
  },
  {
    name: 'GeneratorSaturated',
    expr: 'avg_over_time(signal:generator_cpu:ratio[30s])',
    beyond: '>',
    limit: 0.8,
    for: '10s',
    severity: 'critical',
    summary: "the load generator uses {value} of the machine's CPU: do not believe the run's latencies",
    value: 'humanizePercentage',
    description:
      'k6 measures its own waiting as well as the server. Offer less, or move k6 to a machine of its own. A run that is like this in a ' +
      'measured phase is judged invalid.',
    dashboard: { uid: 'mcp-generator', of: 'testid' },
  },
];

/** The shortest that Grafana allows, and for Prometheus the same. */
const INTERVAL = '10s';
const GROUP = 'alerts';
const HEADER = ' Written by `node dashboards/build.js` from dashboards/alerts.js. Change it there.\n';

/** Placeholders of a text as templates. @param {string} text @param {string} value */
const template = (text, value) =>
  text.replaceAll(/\{(\w+)\}/g, (_, name) => (name === 'value' ? `{{ ${value} }}` : `{{ $labels.${name} }}`));

/**
 * @param {Alert} alert
 * @param {string} value the template's variable that holds it
 */
const annotations = (alert, value) => ({
  summary: template(alert.summary, `${value} | ${alert.value}`),
  description: alert.description,
  // The variable `server` of a dashboard follows from its run.
  dashboard: `/d/${alert.dashboard.uid}${alert.dashboard.of === 'testid' ? '?var-testid={{ $labels.testid }}' : ''}`,
});

/** @returns a rule file of Prometheus */
export function prometheusRules() {
  return {
    groups: [
      {
        name: GROUP,
        interval: INTERVAL,
        rules: [
          ...recordings.map(({ record, expr }) => ({ record, expr })),
          ...alerts.map((alert) => ({
            alert: alert.name,
            expr: `(\n${indent(alert.expr)}\n) ${alert.beyond} ${alert.limit}`,
            for: alert.for,
            labels: { severity: alert.severity },
            annotations: annotations(alert, '$value'),
          })),
        ],
      },
    ],
  };
}

const EVALUATOR = { '>': 'gt', '<': 'lt' };

/**
 * Grafana has the limit in an expression of its own, behind the query. Neither no data nor a Prometheus that does not
 * answer says anything of the server: no alert, or the one that there was.
 *
 * @returns a file for Grafana's folder provisioning/alerting
 */
export function grafanaRules() {
  return {
    apiVersion: 1,
    groups: [
      {
        orgId: 1,
        name: GROUP,
        folder: 'Alerts',
        interval: INTERVAL,
        rules: alerts.map((alert) => ({
          uid: `mcp-${alert.name.replaceAll(/\B[A-Z]/g, '-$&').toLowerCase()}`,
          title: alert.name,
          condition: 'B',
          data: [
            {
              refId: 'A',
              relativeTimeRange: { from: 600, to: 0 },
              datasourceUid: 'prometheus',
              model: { refId: 'A', expr: alert.expr, instant: true, range: false },
            },
            {
              refId: 'B',
              relativeTimeRange: { from: 600, to: 0 },
              datasourceUid: '__expr__',
              model: {
                refId: 'B',
                type: 'threshold',
                expression: 'A',
                conditions: [{ evaluator: { type: EVALUATOR[alert.beyond], params: [alert.limit] } }],
              },
            },
          ],
          noDataState: 'OK',
          execErrState: 'KeepLast',
          for: alert.for,
          labels: { severity: alert.severity },
          annotations: annotations(alert, '$values.A.Value'),
          isPaused: false,
        })),
      },
    ],
  };
}

/** @returns {{file: string, text: string}[]} */
export function alertFiles() {
  const provisioning = new URL('../provisioning/', import.meta.url);
  return [
    {
      file: fileURLToPath(new URL('prometheus/rules/alerts.yml', provisioning)),
      text: toYaml(prometheusRules()),
    },
    {
      file: fileURLToPath(new URL('grafana/alerting/alerts.yml', provisioning)),
      text: toYaml(grafanaRules()),
    },
  ];
}

const indent = (/** @type {string} */ text) => text.replaceAll(/^/gm, '  ');

/** @param {object} content */
function toYaml(content) {
  const document = new Document(content);
  document.commentBefore = HEADER.trimEnd();
  visit(document, {
    Map(_, map) {
      const about = recordings.find(({ record }) => record === map.get('record'))?.about;
      if (about) map.commentBefore = ` ${about}`;
    },
    Scalar(_, scalar) {
      // An expression of several lines as it is written here.
      if (isScalar(scalar) && String(scalar.value).includes('\n')) scalar.type = 'BLOCK_LITERAL';
    },
  });
  return document.toString({ lineWidth: 0 });
}
