/**
 * The server under test from the inside: what its requests wait for. Signals and details alone, so that it fits every
 * server for which somebody wrote a rule file.
 */
import { dashboard } from './dashboard.js';
import { row, signal, stat, timeSeries } from './panels.js';
import { ofServer } from './queries.js';
import { SIGNALS, steps } from './signal-catalogue.js';

const NOTHING = 'Nothing exports this';

const half = { width: 12, height: 10 };
const third = { width: 8, height: 9 };

/** From here on an event loop is late enough for clients to feel it. */
const LAG_STEPS = SIGNALS['eventloop_lag:seconds']?.steps ?? [];
const plain = [{ color: 'blue', value: null }];

/** The colours of percentiles, and of the mean beside them. */
const QUANTILES = { 0.5: 'green', 0.9: 'yellow', 0.95: 'orange', 0.99: 'red' };

/**
 * @param {string} name of a detail by `quantile`
 * @param {(keyof typeof QUANTILES)[]} quantiles
 */
const percentilesOf = (name, quantiles) =>
  quantiles.map((quantile) => ({
    expr: ofServer(name, `quantile="${quantile}"`),
    legend: `p${quantile * 100}`,
    color: QUANTILES[quantile],
  }));

/**
 * A signal's newest value above its own history.
 *
 * @param {{id: number, signal: string, title: string, decimals?: number, steps?: import('./panels.js').Step[]}} options title:
 *   short enough for a sixth of a narrow screen
 */
function current({ id, signal: name, ...overrides }) {
  const drawn = SIGNALS[name];
  if (!drawn) throw new Error(`dashboards/signal-catalogue.js has no ${name}`);
  return stat({
    id,
    width: 4,
    height: 4,
    noValue: NOTHING,
    over: 'time',
    expr: ofServer(`signal:${name}`),
    ...drawn,
    steps: drawn.steps ?? plain,
    ...overrides,
  });
}

export function server() {
  return dashboard({
    uid: 'mcp-server',
    title: 'Server',
    folder: 'resources',
    description:
      'The server under test from the inside: its requests, and what they wait for: database pool, cache, CPU, event ' +
      'loop, upstream.',
    panels: [
      current({ id: 1, signal: 'cpu:ratio', title: 'CPU', steps: steps(0.7, 0.9) }),
      current({ id: 2, signal: 'eventloop_lag:seconds', title: 'Event-loop lag' }),
      current({ id: 3, signal: 'pool_used:ratio', title: 'Pool in use' }),
      current({
        id: 4,
        signal: 'pool_waiting:count',
        title: 'Waiting for it',
        decimals: 0,
        steps: steps(1, 10),
      }),
      current({ id: 5, signal: 'memory:bytes', title: 'Memory' }),
      current({ id: 6, signal: 'workers:count', title: 'Worker count', decimals: 0 }),

      row({ id: 10, title: 'Requests, as the server sees them' }),
      timeSeries({
        ...half,
        id: 11,
        title: 'Requests by endpoint',
        description:
          'Requests per second that the server answered, by tool or method. Less than the load test sends means that ' +
          'requests queue before the server reads them.',
        unit: 'reqps',
        noValue: NOTHING,
        lines: [{ expr: `${ofServer('detail:requests:rate')} > 0`, legend: '{{endpoint}}' }],
      }),
      timeSeries({
        ...half,
        id: 12,
        title: 'Server time by endpoint, p95',
        description:
          'From the moment the server began with a request to the end of its answer, 95th percentile. Where clients ' +
          'wait much longer than this, the time is lost before it: in the network, in a queue of connections, or in ' +
          'an event loop that is late.',
        unit: 's',
        noValue: NOTHING,
        lines: [{ expr: ofServer('detail:request_p95:seconds'), legend: '{{endpoint}}' }],
      }),
      timeSeries({
        ...third,
        id: 13,
        title: 'Server time by endpoint, mean',
        description:
          'The same on average. A mean that is far below its p95 means that few requests are slow; one that is close ' +
          'to it, that all of them are.',
        unit: 's',
        noValue: NOTHING,
        lines: [{ expr: ofServer('detail:request_mean:seconds'), legend: '{{endpoint}}' }],
      }),
      timeSeries({
        ...third,
        id: 14,
        title: 'Answers by status',
        description:
          'Answers per second by HTTP status. 429 is the rate limit, 503 a server that refuses work, other 5xx an ' +
          'error. A tool that failed answers 200: see the next panel.',
        unit: 'reqps',
        noValue: NOTHING,
        stacked: true,
        lines: [{ expr: ofServer('detail:answers:rate'), legend: '{{status}}' }],
      }),
      timeSeries({
        ...third,
        id: 15,
        title: 'Refused and failed',
        description:
          'Requests per second refused by the rate limit, and tool calls that ended in an error. Refusals are the ' +
          'server protecting itself: what it does answer should stay fast.',
        unit: 'reqps',
        noValue: NOTHING,
        lines: [
          { expr: ofServer('signal:rate_limited:rate'), legend: 'rate limited', color: 'purple' },
          { expr: ofServer('signal:tool_errors:rate'), legend: 'tool errors', color: 'red' },
        ],
      }),
      timeSeries({
        width: 24,
        height: 11,
        id: 16,
        title: 'What a request waits for, each on average',
        description:
          'A request in the server, and one of each thing that it may wait for: a connection of the pool, a statement, a ' +
          'command to the cache, a call to a service behind it. The line that rises with the request is where to look; a ' +
          'request that rises alone is the server itself.',
        unit: 's',
        noValue: NOTHING,
        lines: [
          { expr: ofServer('signal:request:seconds'), legend: 'request', color: 'text' },
          { expr: ofServer('signal:pool_wait:seconds'), legend: 'wait for a connection', color: 'red' },
          { expr: ofServer('signal:db_statement:seconds'), legend: 'statement', color: 'orange' },
          { expr: ofServer('signal:cache_time:seconds'), legend: 'cache command', color: 'blue' },
          { expr: ofServer('signal:upstream:seconds'), legend: 'upstream call', color: 'purple' },
        ],
      }),

      row({ id: 20, title: 'Database pool' }),
      timeSeries({
        ...half,
        id: 21,
        title: 'Pool connections',
        description:
          'Connections in use and idle, of the size of the pool, and requests that wait for one. In use at the size, ' +
          'with requests waiting, is a pool that is too small, or statements that hold connections for too long.',
        unit: 'short',
        noValue: NOTHING,
        lines: [
          { expr: ofServer('detail:pool:count', 'state="used"'), legend: 'used', color: 'orange' },
          { expr: ofServer('detail:pool:count', 'state="idle"'), legend: 'idle', color: 'green' },
          { expr: ofServer('detail:pool:count', 'state="waiting"'), legend: 'waiting', color: 'red' },
          {
            expr: ofServer('detail:pool:count', 'state="size"'),
            legend: 'size',
            color: 'text',
            style: 'dashed',
          },
        ],
      }),
      timeSeries({
        ...half,
        id: 22,
        title: 'Wait for a connection',
        description:
          'How long requests waited for a connection of the pool. Below a millisecond is a free connection; a p95 that ' +
          'grows while statements stay fast is the pool, not the database.',
        unit: 's',
        noValue: NOTHING,
        lines: [
          ...percentilesOf('detail:pool_wait:seconds', [0.5, 0.95, 0.99]),
          {
            expr: ofServer('signal:pool_wait:seconds'),
            legend: 'mean',
            color: 'text',
            style: 'dashed',
          },
        ],
      }),
      signal({ ...third, id: 23, signal: 'pool_used:ratio' }),
      timeSeries({
        ...third,
        id: 24,
        title: 'Statements by type',
        description: 'Statements per second that the server sends to its database.',
        unit: 'ops',
        noValue: NOTHING,
        lines: [{ expr: ofServer('detail:db_queries:rate'), legend: '{{query_type}}' }],
      }),
      timeSeries({
        ...third,
        id: 25,
        title: 'Statement time by type',
        description:
          'How long a statement takes on average, without the wait for a connection. When it grows, look at the ' +
          'dashboard Database: locks, slow statements, disk.',
        unit: 's',
        noValue: NOTHING,
        lines: [{ expr: ofServer('detail:db_query:seconds'), legend: '{{query_type}}' }],
      }),

      row({ id: 30, title: 'Cache' }),
      timeSeries({
        ...half,
        id: 31,
        title: 'Cache lookups by tool',
        description:
          'Lookups per second that the cache answered (hit) and that the database had to answer (miss). Every miss ' +
          'costs a connection of the pool.',
        unit: 'reqps',
        noValue: NOTHING,
        lines: [
          { expr: ofServer('detail:cache_hits:rate'), legend: '{{tool}} hit' },
          { expr: ofServer('detail:cache_misses:rate'), legend: '{{tool}} miss' },
        ],
      }),
      timeSeries({
        ...half,
        id: 32,
        title: 'Cache hit ratio by tool',
        description:
          'Lookups that the cache answered, of all lookups. Low in the beginning, while the cache fills; one that ' +
          'stays low has keys that are never asked for twice, entries that live too short, or evictions (dashboard ' +
          'Redis).',
        unit: 'percentunit',
        max: 1,
        noValue: NOTHING,
        lines: [
          { expr: ofServer('detail:cache_hit:ratio'), legend: '{{tool}}' },
          { expr: ofServer('signal:cache_hit:ratio'), legend: 'all', color: 'text', style: 'dashed' },
        ],
      }),

      row({ id: 40, title: 'Processes' }),
      timeSeries({
        ...third,
        id: 41,
        title: 'CPU by mode',
        description:
          "CPU of the server's processes, of all the machine's cores: in its own code (user) and in the kernel for it " +
          '(system). A server of one worker on two cores can reach 50% and no more.',
        unit: 'percentunit',
        max: 1,
        stacked: true,
        noValue: NOTHING,
        lines: [
          { expr: ofServer('detail:cpu:ratio', 'mode="user"'), legend: 'user', color: 'blue' },
          { expr: ofServer('detail:cpu:ratio', 'mode="system"'), legend: 'system', color: 'orange' },
        ],
      }),
      timeSeries({
        ...third,
        id: 42,
        title: 'Event-loop lag by percentile',
        description:
          'How late the event loop of the worst worker runs. A high maximum alone is one long piece of work; a high p50 ' +
          'means that the worker has more to do than a core can, and every request pays for it.',
        unit: 's',
        noValue: NOTHING,
        steps: LAG_STEPS,
        lines: [
          ...percentilesOf('detail:eventloop_lag:seconds', [0.5, 0.9, 0.99]),
          {
            expr: ofServer('detail:eventloop_lag:seconds', 'quantile="1"'),
            legend: 'longest',
            color: 'text',
            style: 'dashed',
          },
        ],
      }),
      timeSeries({
        ...third,
        id: 43,
        title: 'Garbage collection by kind',
        description:
          'Share of the time of a process in which it collects garbage. Minor is cheap and usual; a lot of major ' +
          'means that memory is short, or that much of it lives long.',
        unit: 'percentunit',
        noValue: NOTHING,
        steps: SIGNALS['gc:ratio']?.steps,
        lines: [{ expr: ofServer('detail:gc:ratio'), legend: '{{kind}}' }],
      }),
      timeSeries({
        ...third,
        id: 44,
        title: 'Memory by kind',
        description:
          'Resident: what all processes of the server take from the machine. Heap: what their runtimes reserved, and ' +
          'what of it is used; external: buffers beside it. Used heap that falls back after each collection is ' +
          'healthy; low points that rise are a leak.',
        unit: 'bytes',
        noValue: NOTHING,
        lines: [{ expr: ofServer('detail:memory:bytes'), legend: '{{kind}}' }],
      }),
      signal({ ...third, id: 45, signal: 'workers:count' }),
      signal({ ...third, id: 46, signal: 'sessions:count' }),
      signal({ ...third, id: 47, signal: 'heap:ratio' }),
      signal({ ...third, id: 48, signal: 'open_files_count:count' }),
      signal({ ...third, id: 49, signal: 'worker_cpu:ratio' }),

      row({ id: 50, title: 'Upstream: what the server itself calls' }),
      timeSeries({
        ...third,
        id: 51,
        title: 'Upstream time',
        description:
          'How long services behind the server took to answer it: mean, and 95th percentile. A tool that calls one is ' +
          'never faster than this, whatever the server does.',
        unit: 's',
        noValue: 'No calls',
        lines: [
          { expr: ofServer('detail:upstream:seconds'), legend: '{{service}} mean' },
          { expr: ofServer('detail:upstream_p95:seconds'), legend: '{{service}} p95' },
        ],
      }),
      timeSeries({
        ...third,
        id: 52,
        title: 'Upstream timeouts and breaker trips',
        description:
          'Calls per second that got no answer in time, and times that a circuit breaker opened because of it. A trip ' +
          'after timeouts is the breaker at work; trips that go on mean that the service stays broken.',
        unit: 'cps',
        noValue: NOTHING,
        lines: [
          { expr: ofServer('signal:upstream_timeouts:rate'), legend: 'timeouts', color: 'orange' },
          { expr: ofServer('signal:breaker_open:rate'), legend: 'breaker trips', color: 'red' },
        ],
      }),
      timeSeries({
        ...third,
        id: 53,
        title: 'Open breakers',
        description:
          '1 while a circuit breaker of any worker is open: calls that need the service behind it fail at once, ' +
          'without being tried.',
        unit: 'short',
        max: 1,
        noValue: NOTHING,
        lines: [{ expr: ofServer('detail:breaker_open:count'), legend: '{{breaker}}' }],
      }),
    ],
  });
}
