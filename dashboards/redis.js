/** Redis, from redis_exporter: the cache of the reference target. */
import { dashboard, queryVariable } from './dashboard.js';
import { row, stat, timeSeries } from './panels.js';
import { rate } from './queries.js';
import { steps } from './signal-catalogue.js';

const NOTHING = 'No Redis exporter';

const third = { width: 8, height: 9, noValue: NOTHING };
const half = { width: 12, height: 11, noValue: NOTHING };
const small = { width: 4, height: 4, noValue: NOTHING };

const plain = [{ color: 'blue', value: null }];

/** @param {string} metric @param {string} [where] */
const of = (metric, where) => `redis_${metric}{instance="$instance"${where ? `, ${where}` : ''}}`;

/** What the exporter asks for itself. */
const NOT_THE_EXPORTERS = 'cmd!~"auth|info|ping|client.*|config.*|latency.*|slowlog.*|hello"';

const hits = rate(of('keyspace_hits_total'));
const misses = rate(of('keyspace_misses_total'));
const HIT_RATIO = `${hits} / (${hits} + ${misses} > 0)`;
const USED = of('memory_used_bytes');
/** Zero stands for no limit. */
const LIMIT = `(${of('memory_max_bytes')} > 0)`;
const calls = rate(of('commands_total', NOT_THE_EXPORTERS), 'cmd');
const COMMAND_TIME = `${rate(of('commands_duration_seconds_total', NOT_THE_EXPORTERS), 'cmd')} / (${calls} > 0)`;
const MAIN_THREAD =
  `${rate(of('cpu_user_main_thread_seconds_total'))} + ` + `${rate(of('cpu_sys_main_thread_seconds_total'))}`;

export function redis() {
  return dashboard({
    uid: 'mcp-redis',
    title: 'Redis',
    folder: 'resources',
    description:
      'Redis behind the reference target: what it answers, what it has to give up, and what it costs.',
    variables: [
      queryVariable({
        name: 'instance',
        label: 'Redis',
        description: 'Address of the exporter that watches it',
        query: 'max by (instance) (redis_up)',
        regex: '/instance="([^"]+)"/',
      }),
    ],
    panels: [
      stat({
        ...small,
        id: 1,
        title: 'Hit ratio',
        description:
          'Keys that were there when they were asked for, of all that were asked for. A low ratio with no evictions is ' +
          'a matter of what is asked for; with evictions, of memory.',
        unit: 'percentunit',
        over: 'time',
        decimals: 1,
        noValue: 'Nothing was asked for',
        expr: HIT_RATIO,
        steps: plain,
      }),
      stat({
        ...small,
        id: 2,
        title: 'Memory of max',
        description: 'Memory of maxmemory. At 100% Redis gives up keys, or refuses writes, by its policy.',
        unit: 'percentunit',
        over: 'time',
        decimals: 1,
        noValue: 'No limit',
        expr: `${USED} / ${LIMIT}`,
        steps: steps(0.8, 0.95),
      }),
      stat({
        ...small,
        id: 3,
        title: 'Evictions',
        description: 'Keys per second that Redis gave up for want of memory. Each is a miss later on.',
        unit: 'cps',
        over: 'time',
        expr: rate(of('evicted_keys_total')),
        steps: steps(0.01, 10),
      }),
      stat({
        ...small,
        id: 4,
        title: 'Commands/s',
        description: 'All commands, those of the exporter among them.',
        unit: 'ops',
        over: 'time',
        decimals: 0,
        expr: rate(of('commands_processed_total')),
        steps: plain,
      }),
      stat({
        ...small,
        id: 5,
        title: 'Main thread',
        description:
          'CPU of the one thread that runs all commands, of one core. Near 100% Redis itself is what everybody waits for.',
        unit: 'percentunit',
        over: 'time',
        decimals: 1,
        expr: MAIN_THREAD,
        steps: steps(0.6, 0.9),
      }),
      stat({
        ...small,
        id: 6,
        title: 'Keys',
        description: 'Keys in all databases.',
        unit: 'short',
        over: 'time',
        decimals: 0,
        expr: `sum(${of('db_keys')})`,
        steps: plain,
      }),

      row({ id: 10, title: 'Lookups and keys' }),
      timeSeries({
        ...third,
        id: 11,
        title: 'Lookups',
        description:
          'Keys per second that were there (hits) and that were not (misses), of all that reads asked for. The ' +
          "reference target's write-behind looks for work all the time: each look at nothing is a miss, also when idle.",
        unit: 'ops',
        lines: [
          { expr: hits, legend: 'hits', color: 'green' },
          { expr: misses, legend: 'misses', color: 'orange' },
        ],
      }),
      timeSeries({
        ...third,
        id: 12,
        title: 'Hit ratio over time',
        description:
          'Rises while the cache fills. When it falls under load, keys are evicted or expire before they are asked ' +
          'for again. Nothing is drawn while nothing is asked for.',
        unit: 'percentunit',
        max: 1,
        noValue: 'Nothing was asked for',
        lines: [{ expr: HIT_RATIO, legend: 'hits', color: 'green' }],
      }),
      timeSeries({
        ...third,
        id: 13,
        title: 'Keys evicted and expired',
        description:
          'Keys per second that went: evicted for want of memory, or expired because their time was over. Waves of ' +
          'expiry are entries that were written together; each may be followed by a wave of misses.',
        unit: 'cps',
        lines: [
          { expr: rate(of('evicted_keys_total')), legend: 'evicted', color: 'red' },
          { expr: rate(of('expired_keys_total')), legend: 'expired', color: 'blue' },
        ],
      }),

      row({ id: 20, title: 'Memory' }),
      timeSeries({
        ...third,
        id: 21,
        title: 'Memory used',
        description:
          'What Redis uses for data and for itself, what it takes from the machine (resident), and the most that it ' +
          'may use (maxmemory, dashed), on a logarithmic axis. Used at the limit means evictions.',
        unit: 'bytes',
        logarithmic: true,
        lines: [
          { expr: USED, legend: 'used', color: 'blue' },
          { expr: of('memory_used_rss_bytes'), legend: 'resident', color: 'orange' },
          { expr: LIMIT, legend: 'maxmemory', color: 'text', style: 'dashed' },
        ],
      }),
      timeSeries({
        ...third,
        id: 22,
        title: 'Fragmentation',
        description:
          'Resident memory by used memory. Above 1.5 memory is lost between the keys; below 1 a part of Redis is ' +
          'swapped out, which is far worse. With less than some 100 MB used it is high, and says nothing.',
        unit: 'short',
        lines: [{ expr: of('mem_fragmentation_ratio'), legend: 'resident / used', color: 'purple' }],
      }),
      timeSeries({
        ...third,
        id: 23,
        title: 'Keys, and those that expire',
        description:
          'Keys without an expiry stay until somebody removes them: where the gap between the lines grows, so does ' +
          'memory, for good.',
        unit: 'short',
        lines: [
          { expr: `sum(${of('db_keys')})`, legend: 'all', color: 'blue' },
          { expr: `sum(${of('db_keys_expiring')})`, legend: 'with an expiry', color: 'green' },
        ],
      }),

      row({ id: 30, title: 'Commands, clients and network' }),
      timeSeries({
        ...half,
        id: 31,
        title: 'Commands by kind',
        description: 'Commands per second, without those with which the exporter asks for these figures.',
        unit: 'ops',
        lines: [{ expr: `${calls} > 0`, legend: '{{cmd}}' }],
      }),
      timeSeries({
        ...half,
        id: 32,
        title: 'Time of a command',
        description:
          'How long Redis worked on a command, on average, without the network and without the wait for the commands ' +
          'before it. One slow kind (keys, big ranges, scripts) holds up all others: there is one thread.',
        unit: 's',
        lines: [{ expr: COMMAND_TIME, legend: '{{cmd}}' }],
      }),
      timeSeries({
        ...third,
        id: 33,
        title: 'Main thread, of one core',
        description:
          'CPU of the one thread that runs all commands. Near 100% nothing helps but fewer or cheaper commands: more ' +
          'cores do not.',
        unit: 'percentunit',
        max: 1,
        steps: steps(0.6, 0.9),
        lines: [{ expr: MAIN_THREAD, legend: 'main thread', color: 'blue' }],
      }),
      timeSeries({
        ...third,
        id: 34,
        title: 'Clients',
        description:
          'Connections, those that wait in a blocking command, and connections per second that were refused because ' +
          'there were too many (right axis).',
        unit: 'short',
        lines: [
          { expr: of('connected_clients'), legend: 'connected', color: 'blue' },
          { expr: of('blocked_clients'), legend: 'blocked', color: 'orange' },
          {
            expr: rate(of('rejected_connections_total')),
            legend: 'refused',
            color: 'red',
            axis: 'right',
            unit: 'cps',
          },
        ],
      }),
      timeSeries({
        ...third,
        id: 35,
        title: 'Network of Redis',
        description:
          'Bytes per second in and out. Far more out than in is a cache of large values, which costs the server time ' +
          'to read.',
        unit: 'Bps',
        lines: [
          { expr: rate(of('net_input_bytes_total')), legend: 'in', color: 'green' },
          { expr: rate(of('net_output_bytes_total')), legend: 'out', color: 'blue' },
        ],
      }),
    ],
  });
}
