/**
 * Signals of the machine and of the load generator, in the format of contract/signals.js.
 *
 * @type {Record<string, import('./signals.js').Signal>}
 */
export const MACHINE_SIGNALS = {
  'host_cpu:ratio': {
    title: 'Host CPU',
    description: 'CPU in use on the machine, by all processes, the generator included.',
    steps: [0.8, 0.95],
    saturates: true,
  },
  'host_memory:ratio': {
    title: 'Host memory',
    description: 'Memory in use on the machine, without what the kernel can reclaim.',
    steps: [0.8, 0.9],
  },
  'network:bytes_rate': {
    title: 'Host network',
    description: 'Bytes per second that the machine sends and receives, loopback included.',
  },
  'disk_io:bytes_rate': {
    title: 'Disk throughput',
    description: "Bytes per second that the machine's disks read and write.",
  },
  'disk_busy:ratio': {
    title: 'Disk utilization',
    description:
      'Time in which the busiest disk had something to do. Disks that work in parallel may have room at 100%.',
    saturates: true,
  },
  'process_starts:rate': {
    title: 'Processes started',
    description: 'Processes and threads that were started on the machine.',
  },
  'cpu_steal:ratio': {
    title: 'CPU steal',
    description: "The machine's CPU that the hypervisor gave to others.",
    steps: [0.05, 0.2],
  },
  'cpu_pressure:ratio': {
    title: 'CPU pressure',
    description: 'Time in which a process was ready to run and had to wait for a CPU (PSI, some).',
  },
  'tcp_retransmits:rate': {
    title: 'TCP retransmits',
    description: 'Segments per second that were sent again because they were not acknowledged.',
  },
  'generator_cpu:ratio': {
    title: 'Generator CPU',
    description:
      "CPU that k6 uses, of all the machine's cores. Above the purple line its latencies are not trustworthy.",
  },
  'generator_memory:bytes': { title: 'Generator memory', description: 'Resident memory of k6.' },
};
