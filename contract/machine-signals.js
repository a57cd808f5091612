/**
 * Signals of the machine and of the load generator, in the format of contract/signals.js.
 *
 * @type {Record<string, import('./signals.js').Signal>}
 */
export const MACHINE_SIGNALS = {
  'host_cpu:ratio': {
    title: 'Host CPU',
    description: 'CPU usage of all processes on the machine, including the generator.',
    steps: [0.8, 0.95],
    saturates: true,
  },
  'host_memory:ratio': {
    title: 'Host memory',
    description: 'Memory usage of the machine, excluding reclaimable memory.',
    steps: [0.8, 0.9],
  },
  'network:bytes_rate': {
    title: 'Host network',
    description: 'Bytes per second that the machine sends and receives, including loopback.',
  },
  'disk_io:bytes_rate': {
    title: 'Disk throughput',
    description: "Bytes per second that the machine's disks read and write.",
  },
  'disk_busy:ratio': {
    title: 'Disk utilization',
    description:
      'Share of time in which the busiest disk was active. A disk with parallel I/O may not be saturated at 100%.',
    saturates: true,
  },
  'process_starts:rate': {
    title: 'Processes started',
    description: 'Processes and threads started per second on the machine.',
  },
  'cpu_steal:ratio': {
    title: 'CPU steal',
    description: "Share of the machine's CPU time that the hypervisor gave to other machines.",
    steps: [0.05, 0.2],
  },
  'cpu_pressure:ratio': {
    title: 'CPU pressure',
    description: 'Share of time in which a process was ready to run but waited for a CPU (PSI, some).',
  },
  'tcp_retransmits:rate': {
    title: 'TCP retransmits',
    description: 'TCP segments retransmitted per second.',
  },
  'generator_cpu:ratio': {
    title: 'Generator CPU',
    description:
      "CPU usage of k6, as a share of the machine's cores. Above the purple line, k6's latencies are not trustworthy.",
  },
  'generator_memory:bytes': { title: 'Generator memory', description: 'Resident memory of k6.' },
};
