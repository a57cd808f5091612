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
