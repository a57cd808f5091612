/** The metrics of objectives: what k6 judges each by, and how many samples it takes. */

/**
 * A percentile is judged exactly, and without a sample kept: p99 < 85 ms is "at most 1 % of the calls took 85 ms or longer". It needs at
 * least one sample beyond it to be more than the maximum: 1 / (1 - q).
 *
 * @type {Record<string, {metric: string, expression: (limit: number) => string, samples: number, of?: string,
 *   tags?: (limit: number) => string[]}>} of: what counts the samples, where it is not mcp_requests
 */
export const ABSOLUTE = {
  p50_ms: slower(0.5),
  p90_ms: slower(0.1),
  p95_ms: slower(0.05),
  p99_ms: slower(0.01),
  // Of an operation that is several calls, the time of all of them: one iteration.
  sequence_p99_ms: {
    metric: 'mcp_sequence_duration',
    expression: (limit) => `p(99)<${limit}`,
    samples: 100,
    of: 'iterations',
  },
  failure_share: { metric: 'mcp_request_failed', expression: (limit) => `rate<${limit}`, samples: 1 },
};

/** @param {number} share of the calls that may take the limit or longer */
function slower(share) {
  return {
    metric: 'mcp_slow',
    tags: (/** @type {number} */ limit) => [`limit:${limit}`],
    expression: () => `rate<=${share}`,
    samples: Math.round(1 / share),
  };
}

/**
 * Judged after the run, against the first measured phase. A ratio of two percentiles is mostly noise until each
 * tail holds some ten samples.
 *
 * @type {Record<string, {metric: string, op: '<=' | '>=', samples: number}>}
 */
export const RELATIVE = {
  p99_vs_first: { metric: 'p99_ms', op: '<=', samples: 1000 },
  p95_vs_first: { metric: 'p95_ms', op: '<=', samples: 200 },
  p50_vs_first: { metric: 'p50_ms', op: '<=', samples: 20 },
  throughput_vs_first: { metric: 'throughput', op: '>=', samples: 1 },
};

/** From a percentile to those that take fewer samples. */
const FEWER = [
  ['p99_ms', 'p95_ms', 'p90_ms', 'p50_ms'],
  ['p99_vs_first', 'p95_vs_first', 'p50_vs_first'],
];

/** @param {string} metric @returns {number} samples that it takes to hold; 0: any number */
export const samplesOf = (metric) => (ABSOLUTE[metric] ?? RELATIVE[metric])?.samples ?? 0;

/**
 * @param {string} metric
 * @param {number} samples
 * @returns {string} the highest percentile below it that they are enough for, or else the lowest; of a metric that is none itself
 */
export function stepDown(metric, samples) {
  const percentiles = FEWER.find((names) => names.includes(metric)) ?? [metric];
  const lower = percentiles.slice(percentiles.indexOf(metric) + 1);
  return lower.find((name) => samples >= samplesOf(name)) ?? percentiles.at(-1) ?? metric;
}
