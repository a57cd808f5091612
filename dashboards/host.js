/** The machine that the stack runs on, from node_exporter. */
import { dashboard, queryVariable } from './dashboard.js';
import { row, stat, timeSeries } from './panels.js';
import { rate } from './queries.js';
import { SIGNALS, steps } from './signal-catalogue.js';

const NOTHING = 'No node_exporter';

const third = { width: 8, height: 9, noValue: NOTHING };
const small = { width: 4, height: 4, noValue: NOTHING };

const plain = [{ color: 'blue', value: null }];

/** @param {string} metric @param {string} [where] */
const node = (metric, where) => `node_${metric}{instance="$instance"${where ? `, ${where}` : ''}}`;

/**
 * A counter that the kernel keeps for each network namespace. In Docker an exporter of its own reads it where the
 * target is, and is no machine: it has no load average. So: all, without those of other machines.
 *
 * @param {string} metric
 * @param {string} [by]
 * @param {string} [where]
 */
const network = (metric, by, where) => {
  const all = `rate(node_${metric}${where ? `{${where}}` : ''}[$__rate_interval])`;
  return `sum${by ? ` by (${by})` : ''}(${all} unless on (instance) node_load1{instance!="$instance"})`;
};
/** The same of a gauge. @param {string} metric */
const networkNow = (metric) => `sum(node_${metric} unless on (instance) node_load1{instance!="$instance"})`;

/** A bridge counts what its containers' ends have counted. */
const INTERFACES = 'device!~"veth.*|br-.*|docker.*"';
/** Volumes on top of disks would count twice. */
const DISKS = 'device!~"dm-.*|md.*|loop.*|ram.*"';

const CORES = `count(rate(${node('cpu_seconds_total', 'mode="idle"')}[$__rate_interval]))`;
const BUSY = `${rate(node('cpu_seconds_total', 'mode!~"idle|iowait|guest|guest_nice"'))} / ${CORES}`;

const TOTAL = node('memory_MemTotal_bytes');
const FREE = node('memory_MemFree_bytes');
const CACHE = `(${node('memory_Cached_bytes')} + ${node('memory_Buffers_bytes')} + ${node('memory_SReclaimable_bytes')})`;

// A guest's time is in the user's already.
const CPU_MODES = [
  { legend: 'user', mode: 'user|nice', color: 'green' },
  { legend: 'system', mode: 'system', color: 'orange' },
  { legend: 'interrupts', mode: 'irq|softirq', color: 'blue' },
  { legend: 'steal', mode: 'steal', color: 'red' },
  { legend: 'iowait', mode: 'iowait', color: 'purple' },
].map(({ mode, ...line }) => ({
  ...line,
  expr: `${rate(node('cpu_seconds_total', `mode=~"${mode}"`))} / ${CORES}`,
}));

/** @param {string} resource @param {'waiting' | 'stalled'} kind */
const pressure = (resource, kind) => rate(node(`pressure_${resource}_${kind}_seconds_total`));

const SOME = 'some wait';
const ALL = 'all wait';

export function host() {
  return dashboard({
    uid: 'mcp-host',
    title: 'Host',
    folder: 'resources',
    description:
      'The machine that the stack runs on: CPU, memory, disk and network, how full each is, and what waits for it.',
    variables: [
      queryVariable({
        name: 'instance',
        label: 'Host',
        description: 'Address of the exporter that watches it',
        query: 'max by (instance) (node_load1)',
        regex: '/instance="([^"]+)"/',
      }),
    ],
    panels: [
      stat({
        ...small,
        id: 1,
        title: 'CPU in use',
        description:
          'Of all cores, in use by everything that runs on the machine, the load generator included.',
        unit: 'percentunit',
        over: 'time',
        decimals: 0,
        expr: BUSY,
        steps: SIGNALS['host_cpu:ratio']?.steps ?? plain,
      }),
      stat({
        ...small,
        id: 2,
        title: 'Run queue by core',
        description:
          'Threads that run or want to, for each core, at this moment. Above 1 some of them wait for a core.',
        unit: 'short',
        over: 'time',
        decimals: 1,
        expr: `${node('procs_running')} / on () ${CORES}`,
        steps: steps(1, 3),
      }),
      stat({
        ...small,
        id: 3,
        title: 'Memory in use',
        description: 'In use, of all memory, without what the kernel can give back.',
        unit: 'percentunit',
        over: 'time',
        decimals: 0,
        expr: `1 - ${node('memory_MemAvailable_bytes')} / ${TOTAL}`,
        steps: SIGNALS['host_memory:ratio']?.steps ?? plain,
      }),
      stat({
        ...small,
        id: 4,
        title: 'Busiest disk',
        description: 'Share of the time in which the disk had something to do.',
        unit: 'percentunit',
        over: 'time',
        decimals: 0,
        expr: `max(rate(${node('disk_io_time_seconds_total', DISKS)}[$__rate_interval]))`,
        steps: steps(0.6, 0.9),
      }),
      stat({
        ...small,
        id: 5,
        title: 'Network traffic',
        description: 'Bytes per second in and out, over all interfaces, loopback among them.',
        unit: 'Bps',
        over: 'time',
        expr: `${network('network_receive_bytes_total', '', INTERFACES)} + ${network('network_transmit_bytes_total', '', INTERFACES)}`,
        steps: plain,
      }),
      stat({
        ...small,
        id: 6,
        title: 'Cores',
        description: 'Cores of the machine, as its kernel counts them.',
        unit: 'short',
        decimals: 0,
        expr: CORES,
        steps: plain,
      }),

      row({ id: 10, title: 'CPU' }),
      timeSeries({
        ...third,
        id: 11,
        title: 'CPU by mode',
        description:
          'Of all cores. User is programs, system the kernel on their behalf, interrupts mostly the network. Steal is what ' +
          'a virtual machine wanted and its host gave to others: figures taken then are not yours. Iowait is idle ' +
          'time with a disk request under way.',
        unit: 'percentunit',
        max: 1,
        stacked: true,
        lines: CPU_MODES,
      }),
      timeSeries({
        ...third,
        id: 12,
        title: 'Run queue',
        description:
          'Threads that run or wait for a core (running), those that wait for a disk (blocked), and the load average ' +
          'of a minute, beside the number of cores (dashed). Far above it, everybody is late, the load generator too.',
        unit: 'short',
        lines: [
          { expr: node('procs_running'), legend: 'running', color: 'blue' },
          { expr: node('procs_blocked'), legend: 'blocked', color: 'red' },
          { expr: node('load1'), legend: 'load, 1 min', color: 'orange' },
          { expr: CORES, legend: 'cores', color: 'text', style: 'dashed' },
        ],
      }),
      timeSeries({
        ...third,
        id: 13,
        title: 'Context switches',
        description:
          'Times per second that a core went from one thread to another, and processes started (right axis). Many ' +
          'more switches for the same requests are threads that wait for each other.',
        unit: 'ops',
        lines: [
          { expr: rate(node('context_switches_total')), legend: 'switches', color: 'blue' },
          {
            expr: rate(node('forks_total')),
            legend: 'processes started',
            color: 'orange',
            axis: 'right',
            unit: 'cps',
          },
        ],
      }),

      row({ id: 20, title: 'Pressure: the share of the time in which something waited' }),
      timeSeries({
        ...third,
        id: 21,
        title: 'Pressure on CPU',
        description:
          'Share of the time in which some thread wanted a core and had none (PSI). The most direct answer to whether ' +
          'CPU was short: busy cores alone make nobody wait.',
        unit: 'percentunit',
        noValue: 'The kernel does not measure pressure',
        lines: [{ expr: pressure('cpu', 'waiting'), legend: SOME, color: 'orange' }],
      }),
      timeSeries({
        ...third,
        id: 22,
        title: 'Pressure on memory',
        description:
          'Share of the time in which some threads, or all that had work, waited for memory to be freed or read back. ' +
          'Anything but zero is a machine with too little memory.',
        unit: 'percentunit',
        noValue: 'The kernel does not measure pressure',
        lines: [
          { expr: pressure('memory', 'waiting'), legend: SOME, color: 'orange' },
          { expr: pressure('memory', 'stalled'), legend: ALL, color: 'red' },
        ],
      }),
      timeSeries({
        ...third,
        id: 23,
        title: 'Pressure on disks',
        description:
          'Share of the time in which some threads, or all that had work, waited for a disk. A database that commits ' +
          'shows here before the disk is busy all the time.',
        unit: 'percentunit',
        noValue: 'The kernel does not measure pressure',
        lines: [
          { expr: pressure('io', 'waiting'), legend: SOME, color: 'orange' },
          { expr: pressure('io', 'stalled'), legend: ALL, color: 'red' },
        ],
      }),

      row({ id: 30, title: 'Memory' }),
      timeSeries({
        ...third,
        id: 31,
        title: 'Memory by use',
        description:
          'Programs: what processes and the kernel hold. Cache: files that the kernel keeps while nobody needs the ' +
          'room, and gives back. Free memory near zero is normal; programs near the top are not.',
        unit: 'bytes',
        stacked: true,
        lines: [
          { expr: `${TOTAL} - ${FREE} - ${CACHE}`, legend: 'programs', color: 'orange' },
          { expr: CACHE, legend: 'cache', color: 'blue' },
          { expr: FREE, legend: 'free', color: 'green' },
        ],
      }),
      timeSeries({
        ...third,
        id: 32,
        title: 'Swap',
        description:
          'Memory that lies on disk, and pages per second moved there and back (right axis). Pages that come back ' +
          'under load are latency that has nothing to do with the server.',
        unit: 'bytes',
        lines: [
          {
            expr: `${node('memory_SwapTotal_bytes')} - ${node('memory_SwapFree_bytes')}`,
            legend: 'used',
            color: 'purple',
          },
          { expr: rate(node('vmstat_pswpin')), legend: 'in', color: 'red', axis: 'right', unit: 'cps' },
          { expr: rate(node('vmstat_pswpout')), legend: 'out', color: 'orange', axis: 'right', unit: 'cps' },
        ],
      }),
      timeSeries({
        ...third,
        id: 33,
        title: 'Major page faults, out of memory',
        description:
          'Times per second that a program had to wait for a page from disk, and processes that the kernel killed ' +
          'because memory ran out: after one of those no figure of the run can be trusted.',
        unit: 'cps',
        lines: [
          { expr: rate(node('vmstat_pgmajfault')), legend: 'major faults', color: 'orange' },
          { expr: rate(node('vmstat_oom_kill')), legend: 'killed', color: 'red' },
        ],
      }),

      row({ id: 40, title: 'Disks' }),
      timeSeries({
        ...third,
        id: 41,
        title: 'Disk throughput',
        description: 'Bytes per second that each disk read and wrote.',
        unit: 'Bps',
        lines: [
          { expr: rate(node('disk_read_bytes_total', DISKS), 'device'), legend: '{{device}} read' },
          { expr: rate(node('disk_written_bytes_total', DISKS), 'device'), legend: '{{device}} written' },
        ],
      }),
      timeSeries({
        ...third,
        id: 42,
        title: 'Disk operations',
        description:
          'Reads and writes per second. Many small writes, with little throughput, are commits: each waits for the disk.',
        unit: 'iops',
        lines: [
          { expr: rate(node('disk_reads_completed_total', DISKS), 'device'), legend: '{{device}} reads' },
          { expr: rate(node('disk_writes_completed_total', DISKS), 'device'), legend: '{{device}} writes' },
        ],
      }),
      timeSeries({
        ...third,
        id: 43,
        title: 'Disk busy',
        description:
          'Share of the time in which the disk had at least one request. At 100% an old disk is at its end; one that ' +
          'does many things at once (SSD, network volume) may still have room: look at the pressure.',
        unit: 'percentunit',
        max: 1,
        steps: steps(0.6, 0.9),
        lines: [{ expr: rate(node('disk_io_time_seconds_total', DISKS), 'device'), legend: '{{device}}' }],
      }),

      row({ id: 50, title: 'Network and files' }),
      timeSeries({
        ...third,
        id: 51,
        title: 'Network by interface',
        description:
          'Bytes per second by interface. A test on one machine goes over loopback (lo), where in is out. In Docker ' +
          "these are the target's interfaces.",
        unit: 'Bps',
        lines: [
          {
            expr: `${network('network_receive_bytes_total', 'device', INTERFACES)} > 0`,
            legend: '{{device}} in',
          },
          {
            expr: `${network('network_transmit_bytes_total', 'device', INTERFACES)} > 0`,
            legend: '{{device}} out',
          },
        ],
      }),
      timeSeries({
        ...third,
        id: 52,
        title: 'TCP losses',
        description:
          'Segments per second that were sent again because no answer came, and connections that were turned away ' +
          'because the queue of the listening server was full (overflows): each costs a client a second or more, ' +
          'however fast the server is.',
        unit: 'cps',
        lines: [
          { expr: network('netstat_Tcp_RetransSegs'), legend: 'retransmitted', color: 'orange' },
          { expr: network('netstat_TcpExt_ListenOverflows'), legend: 'overflows', color: 'red' },
        ],
      }),
      timeSeries({
        ...third,
        id: 53,
        title: 'TCP connections',
        description:
          'Connections, and closed ones that are kept for a while (time wait). Many of the latter mean that clients ' +
          'connect anew for each request; near 28,000 to one address, ports run out.',
        unit: 'short',
        lines: [
          { expr: networkNow('netstat_Tcp_CurrEstab'), legend: 'established', color: 'blue' },
          { expr: networkNow('sockstat_TCP_tw'), legend: 'time wait', color: 'orange' },
        ],
      }),
      timeSeries({
        ...third,
        id: 54,
        title: 'Network errors and drops',
        description:
          'Packets per second that an interface could not take or send. Anything but zero is a fault.',
        unit: 'pps',
        lines: [
          {
            expr: `${network('network_receive_drop_total', '', INTERFACES)} + ${network('network_transmit_drop_total', '', INTERFACES)}`,
            legend: 'dropped',
            color: 'orange',
          },
          {
            expr: `${network('network_receive_errs_total', '', INTERFACES)} + ${network('network_transmit_errs_total', '', INTERFACES)}`,
            legend: 'errors',
            color: 'red',
          },
        ],
      }),
      timeSeries({
        ...third,
        id: 55,
        title: 'Open files',
        description:
          'Open files and sockets of the whole machine. Growth that goes on after the load is a leak; a process has a ' +
          'limit of its own, far below that of the machine.',
        unit: 'short',
        lines: [{ expr: node('filefd_allocated'), legend: 'open', color: 'blue' }],
      }),
      timeSeries({
        ...third,
        id: 56,
        title: 'File systems',
        description:
          'Space in use, of the size of each file system. Full ones stop PostgreSQL and Prometheus.',
        unit: 'percentunit',
        max: 1,
        steps: steps(0.8, 0.95),
        lines: [
          {
            // One disk may be mounted many times.
            expr:
              `1 - max by (device) (${node('filesystem_avail_bytes', 'fstype!~"tmpfs|overlay|squashfs|ramfs"')}) ` +
              `/ max by (device) (${node('filesystem_size_bytes', 'fstype!~"tmpfs|overlay|squashfs|ramfs"')})`,
            legend: '{{device}}',
          },
        ],
      }),
    ],
  });
}
