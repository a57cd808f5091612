/**
 * What is recorded. Of tests with one k6 run all that the analysis read is kept, of the others how they ended.
 *
 * @typedef {object} Test a test with its variables
 * @property {string} test
 * @property {Record<string, string>} [variables]
 * @property {{phase: string, afterS: number}} [interrupt]
 *
 * @typedef {object} Fault a fault that begins with the spike, at the length of `make bench-attribution`
 * @property {'reference' | 'outside' | 'recorded'} table bench/attribution/reference.js or outside.ts, or faults.js
 * @property {string} fault
 * @property {number} [size]
 *
 * @typedef {object} Case a run that has to be invalid
 * @property {string} case of bench/trust/cases.js
 * @property {Record<string, string>} [variables]
 *
 * @typedef {object} Leak the soak test with a leak, at the shortest length of `make bench-leaks`
 * @property {Record<string, number>} leak faults of the target
 *
 * @typedef {object} Truth
 * @property {string | null} [truth] what has to be named: a bottleneck's resource, also with its cause in parentheses; 'leak: ' and its
 *   subject; 'invalid'. null: nothing limits the run. Absent: not known
 *
 * @typedef {(Test | Fault | Case | Leak) & Truth} RecordedRun
 */

/**
 * The order is that of recording: what matters most comes first.
 *
 * @type {Record<string, RecordedRun>}
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
  // What limits them is there from the start, and the spike is too short for it to be named.
  'pool-too-small': { test: 'spike', variables: { POOL_SIZE: '2', WORKERS: '1' }, truth: 'pool' },
  'slow-statements': {
    test: 'spike',
    variables: { TARGET_FAULTS: '{"slow_statement_ms":40}' },
    truth: 'database',
  },
  'busy-workers': { test: 'spike', variables: { TARGET_FAULTS: '{"cpu_burn_ms":15}' }, truth: 'target_cpu' },
  'row-lock': { test: 'spike', variables: { TARGET_FAULTS: '{"lock_hold_ms":10}' }, truth: 'database' },
  'rate-limit': {
    test: 'spike',
    variables: { TARGET_FAULTS: '{"rate_limit_rps":60}' },
    truth: 'rate_limiter',
  },
  'memory-leak': {
    test: 'soak',
    variables: { TARGET_FAULTS: '{"memory_leak_mb_per_minute":200}' },
    truth: 'leak: memory',
  },
  // Ends that are neither pass nor fail.
  'too-few-samples': { test: 'sustained', variables: { DURATION: '3s', RATE_SCALE: '0.1' } },
  interrupted: { test: 'spike', interrupt: { phase: 'spike', afterS: 2 } },
  ...Object.fromEntries(
    ['capacity', 'chaos', 'connections', 'gateway', 'memory', 'network', 'scaling', 'sweep', 'workflows'].map(
      (test) => [test, { test }],
    ),
  ),

  'python-single-thread': {
    table: 'outside',
    fault: 'single_thread',
    size: 18,
    truth: 'target_cpu (single thread)',
  },
  'fault-pool': { table: 'reference', fault: 'pool_size', size: 1, truth: 'pool' },
  'fault-row-lock': { table: 'reference', fault: 'lock', size: 30, truth: 'database' },
  'fault-slow-statements': { table: 'reference', fault: 'slow_statement', size: 80, truth: 'database' },
  'fault-rate-limit': { table: 'reference', fault: 'rate_limit', size: 60, truth: 'rate_limiter' },
  'fault-gc': { table: 'reference', fault: 'gc_pressure', size: 6, truth: 'memory_gc' },
  'fault-host-cpu': { table: 'reference', fault: 'host_cpu', size: 4, truth: 'host_cpu' },
  'fault-upstream': { table: 'reference', fault: 'upstream', size: 2000, truth: 'upstream' },
  'fault-cache-gone': { table: 'recorded', fault: 'cache_gone', size: 10, truth: 'cache (misses)' },
  'fault-cache-off': { table: 'reference', fault: 'cache_off', size: 1, truth: 'cache' },
  'fault-table-lock': { table: 'recorded', fault: 'table_lock', size: 12, truth: 'database (locks)' },
  healthy: { table: 'reference', fault: 'none', truth: null },
  'python-healthy': { table: 'outside', fault: 'none', truth: null },
  'python-memory-limit': { table: 'outside', fault: 'memory_limit', size: 115, truth: 'memory_gc (limit)' },
  'python-cpu-quota': { table: 'outside', fault: 'cpu_quota', size: 0.2, truth: 'target_cpu (CPU quota)' },
  'python-slow-database': {
    table: 'outside',
    fault: 'slow_database',
    size: 250,
    truth: 'database (slow statements)',
  },
  'fault-latency': { table: 'reference', fault: 'network', size: 150, truth: 'network' },
  'fault-packet-loss': { table: 'recorded', fault: 'packet_loss', size: 0.1, truth: 'network' },

  'invalid-last-priority': { case: 'starved: k6 comes last, the processors are busy', truth: 'invalid' },
  'invalid-quota': { case: 'starved: a quota of a fifth of one processor', truth: 'invalid' },
  'invalid-gomaxprocs': { case: 'starved: one processor of Go, 50 users without a pause', truth: 'invalid' },
  'invalid-cheap-server': {
    case: 'starved: a server that costs less than k6, 50 users without a pause',
    truth: 'invalid',
  },
  'invalid-pause': { case: 'starved: k6 stands still for 2 s', truth: 'invalid' },
  'invalid-other-processes': {
    case: 'another process on every processor',
    // The default limit.
    variables: { MAX_BACKGROUND_CPU: '' },
    truth: 'invalid',
  },
  'invalid-too-few-vus': { case: 'too few users: MAX_VUS=1', truth: 'invalid' },

  'leak-memory': { leak: { memory_leak_mb_per_minute: 200 }, truth: 'leak: memory' },
  'leak-connections': { leak: { pool_leak_per_minute: 6 }, truth: 'leak: pool connections' },
};
