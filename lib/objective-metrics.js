/** The metrics of objectives, with their k6 thresholds and the number of samples that they need. */

/**
 * Percentiles are judged exactly and without storing samples: p99 < 85 ms means "at most 1 % of the calls
 * took 85 ms or longer". A percentile needs 1 / (1 - q) samples. With fewer samples, it equals the maximum.
 *
 * @type {Record<string, {metric: string, expression: (limit: number) => string, samples: number, of?: string,
 *   tags?: (limit: number) => string[]}>} of: the metric that counts the samples, if not mcp_requests
 */
export const ABSOLUTE = {
  p50_ms: slower(0.5),
  p90_ms: slower(0.1),
  p95_ms: slower(0.05),
  p99_ms: slower(0.01),
  // The total time of an operation with several calls, which is one iteration.
  sequence_p99_ms: {
    metric: 'mcp_sequence_duration',
    expression: (limit) => `p(99)<${limit}`,
    samples: 100,
    of: 'iterations',
  },
  failure_rate: { metric: 'mcp_request_failed', expression: (limit) => `rate<${limit}`, samples: 1 },
};

/** @param {number} share maximum share of calls that take the limit or longer */
function slower(share) {
  return {
    metric: 'mcp_slow',
    tags: (/** @type {number} */ limit) => [`limit:${limit}`],
    expression: () => `rate<=${share}`,
    samples: Math.round(1 / share),
  };
}

/**
 * These metrics are judged after the run, relative to the first measured phase. A ratio of two percentiles is
 * mostly noise unless each tail has about ten samples.
 *
 * @type {Record<string, {metric: string, op: '<=' | '>=', samples: number}>}
 */
export const RELATIVE = {
  p99_vs_first: { metric: 'p99_ms', op: '<=', samples: 1000 },
  p95_vs_first: { metric: 'p95_ms', op: '<=', samples: 200 },
  p50_vs_first: { metric: 'p50_ms', op: '<=', samples: 20 },
  throughput_vs_first: { metric: 'throughput', op: '>=', samples: 1 },
};

/** Percentiles in descending order. Lower percentiles need fewer samples. */
const FEWER = [
  ['p99_ms', 'p95_ms', 'p90_ms', 'p50_ms'],
  ['p99_vs_first', 'p95_vs_first', 'p50_vs_first'],
];

/** @param {string} metric @returns {number} the minimum number of samples; 0 = any number */
export const samplesOf = (metric) => (ABSOLUTE[metric] ?? RELATIVE[metric])?.samples ?? 0;

/**
 * @param {string} metric
 * @param {number} samples
 * @returns {string} the highest lower percentile that has enough samples, or else the lowest; the metric
 *   itself if it is not a percentile
 */
export function stepDown(metric, samples) {
  const percentiles = FEWER.find((names) => names.includes(metric)) ?? [metric];
  const lower = percentiles.slice(percentiles.indexOf(metric) + 1);
  return lower.find((name) => samples >= samplesOf(name)) ?? percentiles.at(-1) ?? metric;
}
