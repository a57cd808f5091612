/**
 * What is recorded: a test each, with its variables. Of tests with one k6 run all that the analysis read is kept, of the others how they ended.
 *
 * @type {Record<string, {test: string, variables?: Record<string, string>, interruptAfterS?: number}>}
 */
export const RUNS = {
  ...Object.fromEntries(
    ['baseline', 'batch', 'bulk', 'concurrency', 'crud', 'payload', 'ramp', 'rbac', 'scale', 'soak', 'spike']
      .concat(['sustained', 'tools'])
      .map((test) => [test, { test }]),
  ),
  load: { test: 'load', variables: { REQUESTS: '2000', CONCURRENCY: '20' } },
  // More requests than calls.
  sessions: {
    test: 'load',
    variables: { REQUESTS: '500', CONCURRENCY: '10', TARGET_PROTOCOL: 'legacy', SESSIONS_MODE: 'per-call' },
  },
  // In the middle of the spike test, with what limits it. (A fault is there from the start.)
  'pool-too-small': { test: 'spike', variables: { POOL_SIZE: '2', WORKERS: '1' } },
  'slow-statements': { test: 'spike', variables: { TARGET_FAULTS: '{"slow_statement_ms":40}' } },
  'busy-workers': { test: 'spike', variables: { TARGET_FAULTS: '{"cpu_burn_ms":15}' } },
  'row-lock': { test: 'spike', variables: { TARGET_FAULTS: '{"lock_hold_ms":10}' } },
  'rate-limit': { test: 'spike', variables: { TARGET_FAULTS: '{"rate_limit_rps":60}' } },
  'memory-leak': { test: 'soak', variables: { TARGET_FAULTS: '{"memory_leak_mb_per_minute":200}' } },
  // Ends that are neither pass nor fail.
  'too-few-samples': { test: 'sustained', variables: { DURATION: '3s', RATE_SCALE: '0.1' } },
  interrupted: { test: 'spike', interruptAfterS: 18 },
  ...Object.fromEntries(
    ['capacity', 'chaos', 'connections', 'gateway', 'memory', 'network', 'scaling', 'sweep', 'workflows'].map(
      (test) => [test, { test }],
    ),
  ),
};
