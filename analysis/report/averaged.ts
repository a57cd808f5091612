/**
 * Signals that are averages over a window, according to their recording rules
 * (provisioning/prometheus/rules).
 */

/** Units of signals that are based on counters. */
const UNITS = ['rate', 'bytes_rate', 'seconds'];
const GAUGES_IN_SECONDS = ['eventloop_lag'];
const RATIOS_OF_COUNTERS = [
  ...['cpu', 'worker_cpu', 'host_cpu', 'generator_cpu', 'cache_server_cpu', 'busiest_thread'],
  ...['cpu_wait', 'cpu_steal', 'cpu_pressure', 'cpu_throttled', 'disk_busy', 'gc', 'cache_hit'],
  ...['db_clients_waiting', 'busiest_thread_cpu', 'busiest_process', 'peer_cpu'],
];

/** @param name name of a signal @returns whether a point is the mean over a window before it */
export const isAveraged = (name: string, unit: string) =>
  UNITS.includes(unit)
    ? !GAUGES_IN_SECONDS.includes(name)
    : unit === 'ratio' && RATIOS_OF_COUNTERS.includes(name);
