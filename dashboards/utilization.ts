/** Signals that say how much of something is in use, as a share of what there is. */
export const UTILIZATION = [
  'cpu',
  'busiest_thread',
  'worker_cpu',
  'pool_utilization',
  'db_connections',
  'cache_server_cpu',
  'accept_queue',
  'open_files',
  'heap',
  'memory_utilization',
];

/** Those whose limit the load can reach, 100 %. */
export const LIMITED = [
  'host_cpu',
  'busiest_process',
  'generator_allowed',
  'disk_busy',
  // The server's share of the machine: it may be full because of others.
  ...UTILIZATION.filter((name) => name !== 'cpu'),
];

/** Below it a resource is far from any limit. */
export const MIN_UTILIZATION = 0.1;
/** A process that uses more than one core by more than the error of a rate has no limit there. */
export const MAX_OF_ONE_CORE = 1.15;
