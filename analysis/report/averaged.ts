/** Which signals look back over a window, as their recording rules (provisioning/prometheus/rules) have it. */

/** Units that come from counters. */
const UNITS = ['rate', 'bytes_rate', 'seconds'];
const GAUGES_IN_SECONDS = ['eventloop_lag'];
const RATIOS_OF_COUNTERS = [
  ...['cpu', 'worker_cpu', 'host_cpu', 'generator_cpu', 'cache_server_cpu', 'busiest_thread'],
  ...['cpu_wait', 'cpu_steal', 'cpu_pressure', 'cpu_throttled', 'disk_busy', 'gc', 'cache_hit'],
  ...['db_clients_waiting', 'busiest_thread_cpu', 'busiest_process', 'peer_cpu'],
];

/** @param name a signal's @returns is a point the mean of a window before it? */
export const isAveraged = (name: string, unit: string) =>
  UNITS.includes(unit)
    ? !GAUGES_IN_SECONDS.includes(name)
    : unit === 'ratio' && RATIOS_OF_COUNTERS.includes(name);
