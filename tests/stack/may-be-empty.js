/**
 * Queries that a run may leave without data, each with its reason and when it is so. Such a query must then have none,
 * and must have some where the condition does not hold: a list that only grows hides what broke.
 *
 * @typedef {object} Facts of one run
 * @property {import('./panel-queries.js').Run} run
 * @property {(expr: string) => Promise<boolean>} has is there a sample of it in the run's time? `$testid` may be in it
 *
 * @typedef {object} MayBeEmpty
 * @property {string} [dashboard] uid; left out, all that have it
 * @property {string} title of the panel, the variable or the annotation
 * @property {string[]} [refIds] left out, all of its queries
 * @property {string} reason
 * @property {true} [either] what is shown is worked out in another way than the condition: at the edge it may have data, too
 * @property {(facts: Facts) => boolean | Promise<boolean>} when
 */

/** @param {Facts} facts @returns {import('../../analysis/judge/phases.ts').Phase[]} */
const measured = ({ run }) => run.phases.filter((phase) => phase.measured);

/** @param {Facts} facts */
const withoutFailures = (facts) => measured(facts).every(({ failed }) => !failed);

/** @param {string} expr @returns {MayBeEmpty['when']} */
const isMissing =
  (expr) =>
  async ({ has }) =>
    !(await has(expr));

/**
 * The rules look back: what a run before it did may be seen in the first moments of one that does nothing of the kind.
 *
 * @param {string} name of the signal
 * @param {string} operation the only one that makes it
 * @returns {MayBeEmpty['when']} has the run no such calls, or so few that there is nothing of them?
 */
const withoutSignal = (name, operation) => async (facts) =>
  facts.run.operations.every((one) => one.operation !== operation) ||
  (await isMissing(`signal:${name}{server="reference"}`)(facts));

/** @param {string} objective @returns {MayBeEmpty['when']} */
const withoutObjective = (objective) =>
  isMissing(
    `last_over_time(k6_mcp_objective{testid="$testid", objective="${objective}", operation="", class=""}[1h])`,
  );

/** @param {string} test @returns {MayBeEmpty['when']} */
const unless =
  (test) =>
  (/** @type {Facts} */ { run }) =>
    run.test !== test;
const EITHER = /** @type {const} */ (true);

/** @type {MayBeEmpty[]} */
export const MAY_BE_EMPTY = [
  ...['Failures by kind', 'Failures by operation and kind'].map((title) => ({
    title,
    reason: 'k6 exports no failures where there were none',
    when: withoutFailures,
  })),
  {
    title: 'Time to recover',
    reason: 'there was no overload, or all was not normal again after it',
    when: ({ run }) =>
      run.findings.every(({ kind, figures }) => kind !== 'recovery' || figures.recovery_s === null),
  },
  {
    title: 'Target and achieved rate',
    refIds: ['A'],
    reason: 'phases with a fixed number of VUs have no target rate',
    when: ({ run }) => run.phases.every(({ offered_rps }) => offered_rps === null),
  },
  ...[
    { dashboard: 'mcp-overview', title: 'Latency', refIds: ['D'], objective: 'p95' },
    { dashboard: 'mcp-overview', title: 'Latency', refIds: ['E'], objective: 'p99' },
    { dashboard: 'mcp-overview', title: 'Failure rate', refIds: ['B'], objective: 'failure_rate' },
    { dashboard: 'mcp-compare', title: 'p99', refIds: ['C'], objective: 'p99' },
  ].map(({ objective, ...where }) => ({
    ...where,
    reason: `the test has no objective for ${objective}`,
    when: withoutObjective(objective),
  })),
  {
    title: 'Utilization of the limiting resource',
    reason: 'a finding names another resource as the bottleneck',
    either: EITHER,
    when: ({ run }) => run.findings.some(({ kind }) => kind === 'bottleneck'),
  },
  {
    title: 'Phases',
    refIds: ['B'],
    reason: 'phases with a fixed number of VUs have no target rate',
    when: ({ run }) => run.phases.every(({ offered_rps }) => offered_rps === null),
  },
  { title: 'Throughput by batch size', reason: 'the run has no batches', when: unless('batch') },
  {
    title: 'Cache hit ratio',
    reason: 'no call of the test looks anything up in the cache',
    either: EITHER,
    when: withoutSignal('cache_hit:ratio', 'get_user'),
  },
  {
    title: 'Upstream latency',
    reason: 'no call of the test needs the weather service',
    either: EITHER,
    when: withoutSignal('upstream:seconds', 'fetch_weather'),
  },
  ...Object.entries({
    'Pool wait': 'pool_wait:seconds',
    'Query duration': 'db_query_duration:seconds',
    'Cache command duration': 'cache_time:seconds',
    'CPU throttling': 'cpu_throttled:ratio',
    'CPU pressure': 'cpu_pressure:ratio',
  }).map(([title, name]) => ({
    title,
    reason: `the server or the machine does not export it: ${name}`,
    either: EITHER,
    when: isMissing(`signal:${name}{server=~"reference|"}`),
  })),
  ...Object.entries({ B: 'pool_wait', C: 'db_query_duration', D: 'cache_time', E: 'upstream' }).map(
    ([refId, name]) => ({
      title: 'Request time by component',
      refIds: [refId],
      reason: `no call of the test waits for it: ${name}`,
      either: EITHER,
      when: isMissing(`signal:${name}:seconds{server="reference"}`),
    }),
  ),
  {
    title: 'Dropped iterations',
    reason: 'k6 exports no dropped iterations where there were none',
    when: isMissing('k6_dropped_iterations_total{testid="$testid"}'),
  },
  {
    title: 'Findings',
    reason: 'the run has no findings',
    when: ({ run }) => run.findings.length === 0,
  },
  {
    title: 'Alerts',
    reason: 'no alert fires',
    when: isMissing('ALERTS{alertstate="firing", testid=~"$testid|", server=~"reference|"}'),
  },
];
