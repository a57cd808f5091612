/**
 * Makes `summary.json` of a run of several generators (deploy/kubernetes), from the plan and from what each k6 wrote to Prometheus.
 *
 * k6's counters and histograms grow from the run's start to its end, and k6 sends a series only when it grew. So a
 * figure is the last value of its series, and a push that failed is made up for by the series' next one.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addUp, countFrom, rankOf, relativeError, splitAt, trendValues } from './histogram.js';
import { PrometheusError } from './prometheus.js';
import { selector, validatePlan } from './summary.js';
import { scopeName, wordsOf } from './thresholds.js';
import { writeAtomic } from './write-atomic.js';

/**
 * @typedef {import('./prometheus.js').Sample} Sample
 * @typedef {import('./summary.js').Plan} Plan
 * @typedef {Record<string, string>} Tags
 *
 * @typedef {object} Ended
 * @property {number} untilS Unix time at which k6 had ended
 * @property {number[]} failedPushesS Unix times at which k6 could not write to Prometheus
 *
 * @typedef {object} Limit of an objective for a percentile
 * @property {Tags} tags its scope
 * @property {number} limit milliseconds
 * @property {number} slow answered requests that took so long or longer
 */

/** A run takes longer than its plan by set-up and the last answers: an hour is more than either can be. */
const MARGIN_S = 3600;
/** A push holds what came since the one before it. */
const PUSH_S = 2;
/** The last answers to a phase come this much after its end at most, where the timeout is not set to more. */
const LAST_ANSWERS_S = 30;

const DURATION = 'mcp_request_duration';

const COUNTERS = [
  'iterations',
  'mcp_requests',
  'mcp_additional_requests',
  'mcp_cache_hits',
  'mcp_exceptions',
  'mcp_items',
  'data_sent',
  'data_received',
];

/**
 * @param {string} directory a run's results, with its plan.json
 * @param {import('./prometheus.js').Prometheus} prometheus
 * @param {Ended} ended
 * @returns {Promise<string | null>} why there is no summary.json: one plain line
 */
export async function leaveSummary(directory, prometheus, ended) {
  const file = join(directory, 'summary.json');
  // Prometheus forgets after some days, the results stay.
  if (existsSync(file)) return null;
  try {
    const plan = readPlan(join(directory, 'plan.json'));
    if (!plan) return 'plan.json is no plan of a test';
    writeAtomic(file, `${JSON.stringify(await streamedSummary(prometheus, plan, ended))}\n`);
    return null;
  } catch (error) {
    if (error instanceof PrometheusError) return error.message;
    throw error;
  }
}

/** @param {string} file @returns {Plan | null} */
function readPlan(file) {
  try {
    const plan = JSON.parse(readFileSync(file, 'utf8'));
    return validatePlan(plan) === null ? plan : null;
  } catch {
    return null;
  }
}

/**
 * @param {Pick<import('./prometheus.js').Prometheus, 'query'>} prometheus
 * @param {Plan} plan
 * @param {Ended} ended
 * @returns {Promise<any>} a mcp-load-lab/summary/1 document
 * @throws {PrometheusError} where it can't be asked, or knows nothing of the run
 */
export async function streamedSummary(prometheus, plan, { untilS, failedPushesS }) {
  const end = plan.phases.at(-1);
  const rangeS = Math.ceil((end?.start_s ?? 0) + (end?.duration_s ?? 0) + MARGIN_S);
  /** @param {'last' | 'min' | 'max'} which @param {string} names a regular expression */
  const ask = (which, names) => {
    const series = `{__name__=~"k6_(${names})",testid=${JSON.stringify(plan.testid)}}`;
    return prometheus.query(`${which}_over_time(${series}[${rangeS}s])`, untilS);
  };
  const last = await ask('last', 'mcp_.+|(iterations|dropped_iterations|data_sent|data_received)_total');
  const starts = having(last, { __name__: 'k6_mcp_started_seconds' });
  const [start] = starts.toSorted((a, b) => a.value - b.value);
  if (!start) throw new PrometheusError(`Prometheus knows nothing of the run ${plan.testid}`);
  if (!(start.value > 0 && start.value <= untilS))
    throw new PrometheusError(`Prometheus knows no time at which the run ${plan.testid} began`);
  const { era = null, protocol_version = null, server_name, server_version = '' } = start.labels;
  const server = server_name === undefined ? null : { name: server_name, version: server_version };

  /** @type {Record<string, {values: Record<string, number>}>} */
  const metrics = {};
  /** @param {string} name @param {Tags} tags @param {Record<string, number>} values */
  const put = (name, tags, values) => {
    const isCount = (/** @type {string} */ value) => ['count', 'passes', 'fails'].includes(value);
    const wrong = Object.entries(values).some(
      ([value, n]) => isCount(value) && !(Number.isSafeInteger(n) && n >= 0),
    );
    if (wrong) throw new PrometheusError(`what Prometheus has of ${name}${selector(tags)} is no count`);
    metrics[name + selector(tags)] = { values };
  };
  const { limits, problems } = judgedLimits(plan, last, failedPushesS.length > 0);
  for (const tags of scopesOf(plan)) putRequests(put, last, tags, limits);
  put('mcp_session_duration', {}, trendValues(times(last, 'mcp_session_duration', {})));
  put('mcp_sessions_expired', {}, { count: count(last, 'mcp_sessions_expired', {}) });
  for (const { name } of plan.phases) {
    put(
      'dropped_iterations',
      { scenario: name },
      { count: count(last, 'dropped_iterations', { scenario: name }) },
    );
  }
  const ends = await ask('max', 'mcp_phase_end_seconds');
  for (const phase of valuesOf(ends, 'phase')) {
    put('mcp_phase_end_seconds', { phase }, { max: greatest(having(ends, { phase })) });
  }
  put('vus_max', {}, { max: total(await ask('max', 'vus_max')) });

  return {
    schema: 'mcp-load-lab/summary/1',
    plan: { ...plan, target: { ...plan.target, era, protocol_version, server } },
    started_ms: Math.round(start.value * 1000),
    streamed: {
      percentile_error: relativeError(durationsOf(last, {})),
      failed_pushes: failedPushesS.length,
      problems: [...lostEnds(plan, start.value, failedPushesS), ...problems],
    },
    k6: { metrics, state: { testRunDurationMs: Math.round((untilS - start.value) * 1000) } },
  };
}

/** @param {Plan} plan @returns {Tags[]} what figures are read by: everything, each phase, operation and class */
function scopesOf({ phases, operations }) {
  return [
    {},
    ...phases.filter(({ measured }) => measured).map(({ name }) => ({ phase: name })),
    ...operations.map(({ operation }) => ({ operation })),
    ...[...new Set(operations.map(({ class: kind }) => kind))].map((kind) => ({ class: kind })),
  ];
}

/** @param {Sample[]} samples @param {Tags} tags */
function having(samples, tags) {
  const wanted = Object.entries(tags);
  return samples.filter(({ labels }) => wanted.every(([name, value]) => labels[name] === value));
}

/** @param {Sample[]} samples @param {string} label @returns {Set<string>} */
const valuesOf = (samples, label) => new Set(samples.flatMap(({ labels }) => labels[label] ?? []));

/** @param {Sample[]} samples @returns {number} 0 without any */
const greatest = (samples) => Math.max(0, ...samples.map(({ value }) => value));

/** @param {Sample[]} samples of a gauge, one a generator */
const total = (samples) => samples.reduce((sum, { value }) => sum + value, 0);

/** @param {Sample[]} last @param {string} name a Counter @param {Tags} tags @returns {number} */
function count(last, name, tags) {
  const series = having(last, { __name__: `k6_${name}_total`, ...tags });
  return series.reduce((total, { value }) => total + value, 0);
}

/**
 * @param {Sample[]} last
 * @param {Tags} tags
 * @param {(value: number) => number} unit
 */
function histogram(last, tags, unit) {
  return addUp(
    having(last, tags).flatMap((sample) => sample.histogram ?? []),
    unit,
  );
}

/** @param {Sample[]} last @param {string} name a time Trend @param {Tags} tags @returns milliseconds */
function times(last, name, tags) {
  const whole = histogram(last, { __name__: `k6_${name}_seconds`, ...tags }, (seconds) => seconds * 1000);
  return { ...whole, sum: whole.sum * 1000 };
}

/** @param {Sample[]} last @param {Tags} tags @returns milliseconds */
const durationsOf = (last, tags) => times(last, DURATION, tags);

/**
 * @param {(name: string, tags: Tags, values: Record<string, number>) => void} put
 * @param {Sample[]} last
 * @param {Tags} tags
 * @param {Limit[]} limits
 */
function putRequests(put, last, tags, limits) {
  for (const name of COUNTERS) put(name, tags, { count: count(last, name, tags) });

  const failed = failedRequests(last, tags);
  put('mcp_request_failed', tags, { passes: failed, fails: count(last, 'mcp_requests', tags) - failed });
  let unknown = failed;
  for (const kind of valuesOf(having(last, { __name__: 'k6_mcp_failures_total', ...tags }), 'kind')) {
    const ofKind = count(last, 'mcp_failures', { ...tags, kind });
    put('mcp_failures', { ...tags, kind }, { count: ofKind });
    unknown -= ofKind;
  }
  // A kind that occurred once, when a push failed, was never sent again.
  if (unknown > 0) put('mcp_failures', { ...tags, kind: 'unknown' }, { count: unknown });

  let durations = durationsOf(last, tags);
  for (const { limit, slow } of limits.filter((one) => selector(one.tags) === selector(tags))) {
    durations = splitAt(durations, limit, slow);
    put('mcp_slow', { ...tags, limit: String(limit) }, { passes: slow, fails: durations.count - slow });
  }
  put(DURATION, tags, trendValues(durations));
}

/**
 * k6 sends a Rate as the share alone, with each request: the number of failures follows from it, also where the
 * push with the failure itself was lost.
 *
 * @param {Sample[]} last
 * @param {Tags} tags
 * @returns {number}
 */
function failedRequests(last, tags) {
  return having(last, { __name__: 'k6_mcp_request_failed_rate', ...tags }).reduce(
    (total, { labels, value }) =>
      total + Math.round(value * count(last, 'mcp_requests', withoutName(labels))),
    0,
  );
}

/** @param {Sample[]} last @param {Tags} tags with the limit @returns {number} of a Rate, too */
function slowCalls(last, tags) {
  return having(last, { __name__: 'k6_mcp_slow_rate', ...tags }).reduce((total, { labels, value }) => {
    const { limit: _, ...ofCalls } = withoutName(labels);
    return total + Math.round(value * durationsOf(last, ofCalls).count);
  }, 0);
}

/** @param {Tags} labels */
function withoutName({ __name__, ...tags }) {
  return tags;
}

/**
 * @param {Plan} plan
 * @param {Sample[]} last
 * @param {boolean} lossy pushes failed: the last slow requests of a series may be missing
 * @returns {{limits: Limit[], problems: string[]}} problems: objectives that can't be judged, in a sentence each
 */
function judgedLimits({ objectives, objectives_off }, last, lossy) {
  /** @type {Limit[]} */
  const limits = [];
  /** @type {string[]} */
  const problems = [];
  for (const { scope, metric, limit, relative_to } of objectives_off ? [] : objectives) {
    const digits = /^p(\d+)_ms$/.exec(metric)?.[1];
    if (!digits || relative_to) continue;
    const tags = /** @type {Tags} */ (scope);
    const durations = durationsOf(last, tags);
    const sent = slowCalls(last, { ...tags, limit: String(limit) });
    const bounds = countFrom(durations, limit);
    const slow = Math.min(Math.max(sent, bounds.least), bounds.most);
    limits.push({ tags, limit, slow });
    const allowed = durations.count - rankOf(durations.count, Number(digits.padEnd(3, '0')));
    if ((lossy || slow !== sent) && slow <= allowed && bounds.most > allowed) {
      problems.push(
        `${scopeName(scope)} ${wordsOf(metric).name} can't be told from ${wordsOf(metric).format(limit)}: ` +
          'counts of slow requests did not reach Prometheus',
      );
    }
  }
  return { limits, problems };
}

/**
 * @param {Plan} plan
 * @param {number} startedS
 * @param {number[]} failedPushesS
 * @returns {string[]} phases whose last requests never reached Prometheus, in a sentence each
 */
function lostEnds({ phases }, startedS, failedPushesS) {
  return phases.flatMap(({ name, measured, start_s, duration_s }) => {
    const endS = startedS + start_s + duration_s;
    const lost = failedPushesS.some((at) => at >= endS - PUSH_S && at <= endS + LAST_ANSWERS_S);
    return measured && lost
      ? [`the end of ${name} is missing: k6 could not write to Prometheus when the phase ended`]
      : [];
  });
}
