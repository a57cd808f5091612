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

/** @param {Facts} facts @returns {import('../../analysis/phases.js').Phase[]} */
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

/** @param {Facts} facts @returns {number} seconds */
const longestPhase = (facts) => Math.max(...measured(facts).map(({ duration_s }) => duration_s ?? 0));

/** @param {Facts} facts @returns {boolean} was p99 not what it was before, for as long as the run went on? */
const notRecovered = ({ run }) =>
  run.findings.some(({ kind, figures }) => kind === 'recovery' && figures?.recovery_s === null);

/** @type {MayBeEmpty[]} */
export const MAY_BE_EMPTY = [
  ...['Failures by kind', 'Failures by operation and kind'].map((title) => ({
    title,
    reason: 'k6 exports no failures where there were none',
    when: withoutFailures,
  })),
  {
    dashboard: 'mcp-load-test',
    title: 'Offered and achieved rate',
    refIds: ['A'],
    reason: 'phases of a fixed number of users offer no rate',
    when: ({ run }) => run.phases.every(({ offered_rps }) => offered_rps === null),
  },
  {
    dashboard: 'mcp-load-test',
    title: 'Latency percentiles',
    refIds: ['D'],
    reason: 'the test has no objective for p95',
    when: withoutObjective('p95'),
  },
  {
    dashboard: 'mcp-load-test',
    title: 'Latency percentiles',
    refIds: ['E'],
    reason: 'the test has no objective for p99',
    when: withoutObjective('p99'),
  },
  {
    dashboard: 'mcp-compare',
    title: 'p99 latency',
    refIds: ['C'],
    reason: 'the test has no objective for p99',
    when: withoutObjective('p99'),
  },
  ...['Cache hits', 'Cache hit ratio', 'Cache hit ratio by tool'].map((title) => ({
    title,
    reason: 'no call of the test looks anything up in the cache',
    either: /** @type {const} */ (true),
    when: withoutSignal('cache_hit:ratio', 'get_user'),
  })),
  ...['Pool wait, worst', 'Pool wait, of the latency'].map((title) => ({
    title,
    reason: 'no call of the test takes a connection of the pool',
    either: /** @type {const} */ (true),
    when: isMissing('signal:pool_wait:seconds{server="reference"}'),
  })),
  ...['Upstream, worst', 'Upstream latency', 'Upstream time'].map((title) => ({
    title,
    reason: 'no call of the test needs the weather service',
    either: /** @type {const} */ (true),
    when: withoutSignal('upstream:seconds', 'fetch_weather'),
  })),
  ...['Recovery time', 'Recovery time of p99'].map((title) => ({
    dashboard: 'mcp-spike',
    title,
    reason: 'the run ended before it had recovered',
    either: /** @type {const} */ (true),
    when: notRecovered,
  })),
  ...['Memory, MB', 'Connections', 'Sessions', 'Event-loop lag, ms'].map((what) => ({
    dashboard: 'mcp-soak',
    title: `${what} per hour`,
    reason: 'a line through less than ten minutes says nothing',
    when: (/** @type {Facts} */ { run }) => (run.duration_s ?? 0) < 600,
  })),
  {
    dashboard: 'mcp-soak',
    title: 'First and last',
    reason: 'windows of less than a minute are not compared as hours',
    when: (facts) => longestPhase(facts) < 60,
  },
  {
    dashboard: 'mcp-soak',
    title: 'Latency',
    refIds: ['C'],
    reason: 'the test has no objective for p99',
    when: withoutObjective('p99'),
  },
  ...Object.entries({
    B: 'pool_wait',
    C: 'db_statement',
    D: 'cache_time',
  }).map(([refId, name]) => ({
    dashboard: 'mcp-server',
    title: 'What a request waits for, each on average',
    refIds: [refId],
    reason: `no call of the test waits for that: ${name}`,
    either: /** @type {const} */ (true),
    when: isMissing(`signal:${name}:seconds{server="reference"}`),
  })),
  {
    dashboard: 'mcp-server',
    title: 'What a request waits for, each on average',
    refIds: ['E'],
    reason: 'no call of the test needs the weather service',
    either: /** @type {const} */ (true),
    when: withoutSignal('upstream:seconds', 'fetch_weather'),
  },
  {
    dashboard: 'mcp-generator',
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
