/**
 * PostgreSQL, from postgres_exporter and what provisioning/postgres-exporter/queries.yml adds to it. Every name is the
 * same from PostgreSQL 15 to 18 and from exporter 0.11 to 0.19, or both names are asked for.
 */
import { dashboard, queryVariable } from './dashboard.js';
import { row, stat, table, timeSeries } from './panels.js';
import { rate } from './queries.js';
import { steps } from './signal-catalogue.js';

const NOTHING = 'No PostgreSQL exporter';

const half = { width: 12, height: 10 };
const third = { width: 8, height: 9 };
const small = { width: 4, height: 4, noValue: NOTHING };

const plain = [{ color: 'blue', value: null }];
/** Good is high. */
const HIT_STEPS = [
  { color: 'red', value: null },
  { color: 'orange', value: 0.9 },
  { color: 'green', value: 0.99 },
];

/** @param {string} metric @param {string} [where] @returns {string} of the whole server */
const server = (metric, where) => `pg_${metric}{instance="$instance"${where ? `, ${where}` : ''}}`;
/** @param {string} metric @returns {string} of the chosen database */
const chosen = (metric) => server(metric, 'datname="$database"');

const CONNECTIONS = `sum(${server('stat_activity_count')})`;
const LIMIT = `max(${server('settings_max_connections')})`;

const hits = rate(chosen('stat_database_blks_hit'));
const reads = rate(chosen('stat_database_blks_read'));
// An idle database has no ratio.
const HIT_RATIO = `${hits} / (${hits} + ${reads} > 0)`;

/**
 * A figure of the checkpointer, which was the background writer's before PostgreSQL 17.
 *
 * @param {string} before17
 * @param {string} since17
 */
const checkpointer = (before17, since17) =>
  `(${rate(server(`stat_bgwriter_${before17}_total`))} or ${rate(server(`stat_checkpointer_${since17}_total`))})`;

/** @param {string} metric of the statements, by statement */
const ofStatements = (metric) =>
  `sum by (query, queryid) (increase(${chosen(`statements_${metric}_total`)}[$__range]))`;
/** Only of those that ran in the time range. */
const ran = (/** @type {string} */ expr) => `${expr} and on (query, queryid) ${ofStatements('calls')} > 0`;

export function database() {
  return dashboard({
    uid: 'mcp-database',
    title: 'Database',
    folder: 'resources',
    description:
      'PostgreSQL behind the reference target: connections, statements, locks, memory and disk; what its clients wait for.',
    variables: [
      queryVariable({
        name: 'instance',
        label: 'PostgreSQL',
        description: 'Address of the exporter that watches it',
        query: 'max by (instance) (pg_up)',
        regex: '/instance="([^"]+)"/',
      }),
      queryVariable({
        name: 'database',
        label: 'Database',
        description: 'The largest first',
        query: 'sort_desc(max by (datname) (pg_database_size_bytes{datname!~"template.*"}))',
        regex: '/datname="([^"]+)"/',
      }),
    ],
    panels: [
      stat({
        ...small,
        id: 1,
        title: 'Connections used',
        description:
          'Connections to the server, of the most that it allows (max_connections). At 100% every new one is refused.',
        unit: 'percentunit',
        over: 'time',
        expr: `${CONNECTIONS} / ${LIMIT}`,
        steps: steps(0.7, 0.9),
      }),
      stat({
        ...small,
        id: 2,
        title: 'Transactions/s',
        description: 'Committed and rolled back, of the chosen database.',
        unit: 'ops',
        over: 'time',
        decimals: 0,
        expr: `${rate(chosen('stat_database_xact_commit'))} + ${rate(chosen('stat_database_xact_rollback'))}`,
        steps: plain,
      }),
      stat({
        ...small,
        id: 3,
        title: 'Locks waited for',
        description:
          'Statements that wait for a lock at this moment. Single ones are usual; many at once are one row, or one ' +
          'table, that everybody wants to change.',
        unit: 'short',
        over: 'time',
        decimals: 0,
        expr: server('lock_waits_count'),
        steps: steps(1, 10),
      }),
      stat({
        ...small,
        id: 4,
        title: 'Transaction age',
        description:
          'Age of the oldest open transaction. An old one holds its locks, and keeps dead rows from being cleaned up.',
        unit: 's',
        over: 'time',
        expr: `max(${server('stat_activity_max_tx_duration')})`,
        steps: steps(1, 10),
      }),
      stat({
        ...small,
        id: 5,
        title: 'Buffer hits',
        description:
          "Blocks that were in PostgreSQL's own memory when a statement wanted them, of all blocks wanted.",
        unit: 'percentunit',
        over: 'time',
        decimals: 1,
        noValue: 'Nothing was read',
        expr: HIT_RATIO,
        steps: HIT_STEPS,
      }),
      stat({
        ...small,
        id: 6,
        title: 'Size',
        description: 'Disk space of the chosen database, indexes included.',
        unit: 'bytes',
        over: 'time',
        expr: `max(${chosen('database_size_bytes')})`,
        steps: plain,
      }),

      row({ id: 10, title: 'Connections: what clients do and wait for' }),
      timeSeries({
        ...half,
        id: 11,
        title: 'Connections by state',
        description:
          'Connections of all clients by what they do, below the most that the server allows (dashed). Idle in ' +
          'transaction means that the client holds its transaction open and does something else: many of those, and ' +
          'the time is lost in the client, not here.',
        unit: 'short',
        noValue: NOTHING,
        lines: [
          {
            expr: `sum by (state) (${server('stat_activity_count', 'state!~"disabled|fastpath.*"')})`,
            legend: '{{state}}',
          },
          { expr: LIMIT, legend: 'max_connections', color: 'text', style: 'dashed' },
        ],
      }),
      timeSeries({
        ...half,
        id: 12,
        title: 'Active connections by what they wait for',
        description:
          'Statements under way, looked at every 2 s: running, or waiting for something. Lock: for another transaction. ' +
          'LWLock: for a structure in memory, contention inside PostgreSQL. IO: for the disk; WALSync and WALWrite are ' +
          'commits. Client: for the client to read or send. Many that run, on few cores, is a lack of CPU.',
        unit: 'short',
        noValue: NOTHING,
        stacked: true,
        lines: [{ expr: `sum by (wait) (${server('active_count')})`, legend: '{{wait}}' }],
      }),

      row({ id: 20, title: 'Work' }),
      timeSeries({
        ...third,
        id: 21,
        title: 'Transactions',
        description:
          'Of the chosen database. Rolled back are errors, deadlocks and clients that gave up; a share of more than a ' +
          'few percent has a reason that is worth finding.',
        unit: 'ops',
        noValue: NOTHING,
        lines: [
          { expr: rate(chosen('stat_database_xact_commit')), legend: 'committed', color: 'green' },
          { expr: rate(chosen('stat_database_xact_rollback')), legend: 'rolled back', color: 'red' },
        ],
      }),
      timeSeries({
        ...third,
        id: 22,
        title: 'Rows read',
        description:
          'Rows per second that scans went through, and rows that they fetched by an index. Far more scanned than ' +
          'fetched means that whole tables are read: an index may be missing.',
        unit: 'ops',
        noValue: NOTHING,
        lines: [
          { expr: rate(chosen('stat_database_tup_returned')), legend: 'scanned', color: 'orange' },
          { expr: rate(chosen('stat_database_tup_fetched')), legend: 'fetched', color: 'green' },
        ],
      }),
      timeSeries({
        ...third,
        id: 23,
        title: 'Rows written',
        description: 'Rows per second that statements added, changed and removed.',
        unit: 'ops',
        noValue: NOTHING,
        lines: [
          { expr: rate(chosen('stat_database_tup_inserted')), legend: 'inserted' },
          { expr: rate(chosen('stat_database_tup_updated')), legend: 'updated' },
          { expr: rate(chosen('stat_database_tup_deleted')), legend: 'deleted' },
        ],
      }),
      table({
        id: 24,
        title: 'Statements that take the most time',
        description:
          'From pg_stat_statements, over the time range: of the 20 statements with the most time since the statistics ' +
          'began, those that ran. Share: of the time that all of them took together. A high mean is a slow statement; ' +
          'a high share with a low mean is one that is asked too often. Constants are $1, $2; the text is cut off.',
        width: 24,
        height: 11,
        noValue: 'No statements in this time range',
        label: ['query', 'queryid'],
        heading: ['Statement', 'queryid'],
        sortBy: 'Share of time',
        descending: true,
        columns: [
          {
            name: 'Mean',
            unit: 's',
            expr: `${ofStatements('seconds')} / (${ofStatements('calls')} > 0)`,
            steps: steps(0.05, 0.5),
          },
          {
            name: 'Calls per second',
            unit: 'ops',
            expr: `sum by (query, queryid) (rate(${chosen('statements_calls_total')}[$__range])) > 0`,
          },
          {
            name: 'Share of time',
            unit: 'percentunit',
            expr: ran(`(${ofStatements('seconds')} / on () group_left () sum(${ofStatements('seconds')}))`),
          },
          {
            name: 'Rows per call',
            unit: 'short',
            expr: `${ofStatements('rows')} / (${ofStatements('calls')} > 0)`,
          },
        ],
      }),

      row({ id: 30, title: 'Locks' }),
      timeSeries({
        ...third,
        id: 31,
        title: 'Locks waited for, over time',
        description:
          'Statements that wait for a lock, of the whole server. A plateau as high as the pool of connections means ' +
          'that everybody waits for the same row.',
        unit: 'short',
        noValue: NOTHING,
        lines: [{ expr: server('lock_waits_count'), legend: 'waiting', color: 'red' }],
      }),
      timeSeries({
        ...third,
        id: 32,
        title: 'Locks held by mode',
        description:
          'Locks of the chosen database. Access share is every read, row exclusive every write: these go together. ' +
          'Exclusive modes above them keep others out.',
        unit: 'short',
        noValue: NOTHING,
        lines: [
          {
            // The mode of every read, also while there is none; the others where there are some.
            expr: `sum by (mode) (${chosen('locks_count')}) > 0 or sum by (mode) (${server('locks_count', 'datname="$database", mode="accesssharelock"')})`,
            legend: '{{mode}}',
          },
        ],
      }),
      timeSeries({
        ...third,
        id: 33,
        title: 'Deadlocks per second',
        description:
          'Transactions that PostgreSQL ended because they waited for each other. Any at all mean that transactions ' +
          'take the same locks in different orders.',
        unit: 'cps',
        noValue: NOTHING,
        lines: [{ expr: rate(chosen('stat_database_deadlocks')), legend: 'deadlocks', color: 'red' }],
      }),

      row({ id: 40, title: 'Memory and disk' }),
      timeSeries({
        ...third,
        id: 41,
        title: 'Buffer hit ratio',
        description:
          "Blocks that were in PostgreSQL's own memory when a statement wanted them. Below 99%, shared_buffers is too " +
          'small for what is read, or whole tables are. Nothing is drawn while nothing is read.',
        unit: 'percentunit',
        max: 1,
        noValue: 'Nothing was read',
        steps: HIT_STEPS,
        lines: [{ expr: HIT_RATIO, legend: 'hits', color: 'blue' }],
      }),
      timeSeries({
        ...third,
        id: 42,
        title: 'Blocks read, and time for it',
        description:
          "Blocks per second that were not in PostgreSQL's memory, and how many connections at once read or wrote " +
          'blocks, on average (right axis). Blocks without time for them came from the memory of the kernel.',
        unit: 'ops',
        noValue: NOTHING,
        lines: [
          { expr: reads, legend: 'blocks read', color: 'blue' },
          {
            // The exporter's times are milliseconds.
            expr: `(${rate(chosen('stat_database_blk_read_time'))} + ${rate(chosen('stat_database_blk_write_time'))}) / 1000`,
            legend: 'connections at it',
            color: 'orange',
            axis: 'right',
            unit: 'short',
          },
        ],
      }),
      timeSeries({
        ...third,
        id: 43,
        title: 'Temporary files',
        description:
          'Bytes per second that sorts and joins wrote to disk because work_mem was too small for them, and files made ' +
          'for it (right axis). Zero is what it should be.',
        unit: 'Bps',
        noValue: NOTHING,
        lines: [
          { expr: rate(chosen('stat_database_temp_bytes')), legend: 'written', color: 'orange' },
          {
            expr: rate(chosen('stat_database_temp_files')),
            legend: 'files',
            color: 'purple',
            axis: 'right',
            unit: 'cps',
          },
        ],
      }),
      timeSeries({
        ...third,
        id: 44,
        title: 'Checkpoints per second',
        description:
          'Timed ones come by the clock and are spread out. Requested ones come because the write-ahead log is full: ' +
          'they write everything at once, and commits wait. More than a rare one means that max_wal_size is too small.',
        unit: 'cps',
        noValue: NOTHING,
        lines: [
          { expr: checkpointer('checkpoints_timed', 'num_timed'), legend: 'timed', color: 'green' },
          { expr: checkpointer('checkpoints_req', 'num_requested'), legend: 'requested', color: 'red' },
        ],
      }),
      timeSeries({
        ...third,
        id: 45,
        title: 'Checkpoint time',
        description:
          'Share of the time in which a checkpoint writes files, and in which it waits for the disk to have them ' +
          '(sync). Writing is spread out on purpose and may last; sync that lasts is a disk at its limit. Both are ' +
          'booked when the checkpoint ends, so a long one shows as more than 100%.',
        unit: 'percentunit',
        noValue: NOTHING,
        lines: [
          {
            expr: `${checkpointer('checkpoint_write_time', 'write_time')} / 1000`,
            legend: 'writing',
            color: 'blue',
          },
          {
            expr: `${checkpointer('checkpoint_sync_time', 'sync_time')} / 1000`,
            legend: 'sync',
            color: 'red',
          },
        ],
      }),
      timeSeries({
        ...third,
        id: 46,
        title: 'Write-ahead log',
        description:
          'Bytes per second written to the log: what every change costs; and whole pages in it (right axis), which ' +
          'each page costs at its first change after a checkpoint. Buffers full: commits that had to wait for room.',
        unit: 'Bps',
        noValue: NOTHING,
        lines: [
          { expr: rate(server('stat_wal_bytes_total')), legend: 'written', color: 'blue' },
          {
            expr: rate(server('stat_wal_full_page_images_total')),
            legend: 'whole pages',
            color: 'orange',
            axis: 'right',
            unit: 'cps',
          },
          {
            expr: rate(server('stat_wal_buffers_full_total')),
            legend: 'buffers full',
            color: 'red',
            axis: 'right',
            unit: 'cps',
          },
        ],
      }),
      timeSeries({
        ...half,
        id: 47,
        title: 'Size of databases',
        description: 'Disk space of each database, indexes and dead rows included.',
        unit: 'bytes',
        noValue: NOTHING,
        lines: [
          {
            expr: `max by (datname) (${server('database_size_bytes', 'datname!~"template.*"')})`,
            legend: '{{datname}}',
          },
        ],
      }),
      timeSeries({
        ...half,
        id: 48,
        title: 'Longest transaction by state',
        description:
          'Age of the oldest open transaction. Active: a statement that takes long, or waits for a lock. Idle in ' +
          'transaction: a client that does not come back to end it.',
        unit: 's',
        noValue: NOTHING,
        lines: [
          {
            expr: `max by (state) (${server('stat_activity_max_tx_duration', 'state=~"active|idle in transaction.*"')})`,
            legend: '{{state}}',
          },
        ],
      }),
    ],
  });
}
