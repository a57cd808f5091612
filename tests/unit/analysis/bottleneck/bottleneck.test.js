/** Each resource at its limit is named, with what only follows from it explained away; a healthy run names none. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bottleneck } from '../../../../analysis/bottleneck/bottleneck.ts';
import { bucketsOf } from '../../../../analysis/episode.ts';
import { histogramOf, lineOf } from '../build.js';
import { answering, facts } from './synthetic.js';

/** @typedef {import('./synthetic.js').Difference} Difference */

/** Requests that take 60 ms longer, nearly all of it on the server's side. */
const SLOW = { 'client.p99': 400, 'client.mean': 70, request: 0.069 };
/** What a pool looks like that is full. */
const FULL_POOL = { pool_utilization: 1, pool_connections_in_use: 50, pool_waiting: 5, pool_wait: 0.04 };
const SMALL_POOL = {
  ...SLOW,
  pool_utilization: 1,
  pool_connections_in_use: 2,
  pool_waiting: 6,
  pool_wait: 0.05,
  db_query_rate: 400,
  db_query_duration: 0.004,
};
/** What a thread that is late makes everything look like. */
const LATE = {
  eventloop_lag: 0.2,
  db_query_duration: 0.02,
  cache_time: 0.02,
  upstream: 0.9,
  pool_wait: 0.03,
  pool_utilization: 1,
  pool_waiting: 3,
};

/** @type {Record<string, {difference: Difference, subject: string, cause: string, symptoms?: string[]}>} */
const CASES = {
  'a small pool in front of an idle database': {
    difference: {
      series: SMALL_POOL,
    },
    subject: 'connection pool',
    cause: 'too small',
  },
  'a pool whose connections are in use and have nothing to do': {
    difference: { series: { ...SLOW, ...FULL_POOL, pool_waiting: 6 } },
    subject: 'connection pool',
    cause: 'leak',
  },
  'slow statements, which fill the pool': {
    difference: { series: { ...SLOW, ...FULL_POOL, pool_waiting: 2, db_query_duration: 0.2 } },
    subject: 'database',
    cause: 'slow statements',
    symptoms: ['connection pool'],
  },
  'locks, for which statements wait': {
    difference: { series: { ...SLOW, ...FULL_POOL, pool_waiting: 2, db_query_duration: 0.2, db_locks: 12 } },
    subject: 'database',
    cause: 'locks',
    symptoms: ['connection pool'],
  },
  'a database that takes all of the CPU': {
    difference: {
      series: {
        ...SLOW,
        host_cpu: 0.99,
        db_cpu: 0.6,
        cpu: 0.25,
        eventloop_lag: 0.06,
        db_query_duration: 0.03,
        generator_delay: 4,
      },
    },
    subject: 'database',
    cause: 'CPU',
    symptoms: ['target CPU'],
  },
  'a database that waits for its disk': {
    difference: { series: { ...SLOW, db_query_duration: 0.03, db_io: 4 } },
    subject: 'database',
    cause: 'I/O',
  },
  'a worker that can do no more': {
    difference: { series: { ...SLOW, ...LATE, worker_cpu: 0.99, cpu: 0.5, host_cpu: 0.7 } },
    subject: 'target CPU',
    cause: 'worker thread',
    symptoms: ['cache', 'database', 'connection pool'],
  },
  'a server that runs in one thread, observed externally': {
    difference: {
      series: {
        ...SLOW,
        busiest_thread: 0.99,
        busiest_thread_cpu: 0.98,
        busiest_process: 1,
        cpu: 0.5,
        host_cpu: 0.7,
      },
    },
    subject: 'target CPU',
    cause: 'single thread',
  },
  'a thread that is blocked now and then, on a machine with CPU left': {
    difference: { series: { ...SLOW, ...LATE, worker_cpu: 0.5 } },
    subject: 'target CPU',
    cause: 'event loop',
    symptoms: ['database', 'connection pool'],
  },
  'a machine that is full of the server': {
    difference: {
      series: {
        ...SLOW,
        ...LATE,
        request: 0.035,
        worker_cpu: 0.7,
        cpu: 0.7,
        host_cpu: 0.99,
        generator_cpu: 0.15,
        generator_delay: 4,
      },
    },
    subject: 'target CPU',
    cause: 'machine',
    symptoms: ['network'],
  },
  'a machine that is full of something else': {
    difference: {
      series: {
        ...SLOW,
        ...LATE,
        worker_cpu: 0.3,
        cpu: 0.3,
        host_cpu: 0.99,
        other_cpu: 0.6,
        generator_delay: 4,
        gc: 0.25,
      },
    },
    subject: 'host CPU',
    cause: 'other processes',
    symptoms: ['memory', 'target CPU'],
  },
  'a thread that collects garbage': {
    difference: { series: { ...SLOW, ...LATE, worker_cpu: 0.95, gc: 0.5 } },
    subject: 'memory',
    cause: 'garbage collection',
    symptoms: ['target CPU'],
  },
  'a generator that does not get a CPU': {
    difference: {
      series: { 'client.p99': 400, 'client.mean': 70, request: 0.01, generator_delay: 55, host_cpu: 0.7 },
    },
    subject: 'load generator',
    cause: 'starved',
  },
  'a slow way to the server': {
    difference: { series: { 'client.p99': 400, 'client.mean': 110, request: 0.01 } },
    subject: 'network',
    cause: 'slow',
  },
  'a slow service behind it': {
    difference: { series: { ...SLOW, upstream: 1.8, upstream_calls: 4 }, normal: { upstream_calls: 1 } },
    subject: 'upstream service',
    cause: 'slow',
  },
  'a cache that answers late': {
    difference: { series: { ...SLOW, cache_time: 0.07, cache_server_cpu: 0.5 } },
    subject: 'cache',
    cause: 'slow',
  },
  'a cache whose one thread is busy': {
    difference: { series: { ...SLOW, cache_time: 0.07, cache_server_cpu: 0.97 } },
    subject: 'cache',
    cause: 'server CPU',
  },
  'a cache that is asked no more, so that statements fill the pool': {
    difference: {
      series: {
        ...SLOW,
        ...FULL_POOL,
        cache_lookups: null,
        cache_hit: null,
        cache_time: null,
        db_query_rate: 900,
        db_query_duration: 0.006,
      },
    },
    subject: 'cache',
    cause: 'off',
    symptoms: ['connection pool'],
  },
  'a cache that has lost its entries': {
    difference: {
      series: { ...SLOW, cache_hit: 0.1, db_query_rate: 900, db_query_duration: 0.006, pool_waiting: 2 },
    },
    subject: 'cache',
    cause: 'misses',
    symptoms: ['connection pool'],
  },
};

for (const [name, { difference, subject, cause, symptoms = [] }] of Object.entries(CASES)) {
  test(`${name}: the ${subject}, for ${cause}`, () => {
    const [finding, ...more] = bottleneck(facts(difference));
    assert.deepEqual(more, []);
    assert.equal(finding?.kind, 'bottleneck');
    assert.equal(finding?.subject, subject, JSON.stringify(finding, null, 1));
    assert.equal(finding?.phase, 'busy');
    assert.equal(finding?.confidence, 'high', finding?.evidence.join('\n'));
    assert.match(
      finding?.statement ?? '',
      new RegExp(`^the ${subject} limited the run in busy \\(${cause}\\): .`),
    );
    assert.doesNotMatch(finding?.statement ?? '', /[{}]|undefined|NaN|null/);
    const told = finding?.evidence.find((text) => text.startsWith('symptoms: ')) ?? '';
    for (const symptom of symptoms) assert.ok(told.includes(symptom), `${symptom} in "${told}"`);
    assert.equal(finding?.observations?.[0]?.series, 'client.p99');
    for (const { series } of finding?.observations ?? []) assert.match(series, /^(client\.)?\w+$/);
  });
}

/** Requests that take 190 ms longer, of a server that says nothing of itself. */
const LONGER = { 'client.p99': 900, 'client.mean': 200 };
/** One operation takes 50 ms and the other 2 ms; then both take 190 ms longer. */
const BLOCKED = {
  calm: { report: { rate: 2, mean_s: 0.05 }, echo: { rate: 20, mean_s: 0.002 } },
  busy: { report: { rate: 18, mean_s: 0.24 }, echo: { rate: 180, mean_s: 0.19 } },
};

/** @type {Record<string, {difference: Difference, says: RegExp, confidence?: string}>} */
const FROM_OUTSIDE = {
  'one thread': {
    difference: {
      series: {
        ...LONGER,
        busiest_thread: 0.99,
        connections_unread: 30,
        accept_queue: 1,
        listen_overflows: 9,
      },
    },
    says: /^the target CPU limited the run in busy \(single thread\): its busiest thread was busy 9\d(\.\d)? % of the time/,
  },
  'an interpreter whose lock lets one of many threads run': {
    difference: {
      series: {
        ...LONGER,
        busiest_thread: 0.3,
        busiest_thread_cpu: 0.1,
        busiest_process: 1.01,
        host_cpu: 0.7,
      },
    },
    says: /^the target CPU limited the run in busy \(interpreter lock\): python3 used at most 10\d(\.\d)? % of a core \(baseline \d+(\.\d)? %\) with (39|40)(\.\d)? threads, while (69|70|71)(\.\d)? % of the machine's CPU was in use/,
  },
  'a thread that does nearly all of what its process does, and waits now and then': {
    difference: {
      series: {
        ...LONGER,
        busiest_thread: 0.82,
        busiest_thread_cpu: 0.8,
        busiest_process: 0.9,
        host_cpu: 0.7,
      },
    },
    says: /^the target CPU limited the run in busy \(one core\): python3 used at most (89|90|91)(\.\d)? % of a core/,
  },
  'many threads on a machine without CPU left, where each waits for one': {
    difference: {
      series: {
        ...LONGER,
        busiest_thread: 0.99,
        busiest_thread_cpu: 0.3,
        busiest_process: 1.05,
        cpu: 0.52,
        host_cpu: 0.99,
        generator_cpu: 0.4,
      },
    },
    says: /^the target CPU limited the run in busy \(machine\)/,
  },
  'a database on the same machine, that has all of its CPU': {
    difference: {
      series: {
        ...LONGER,
        busiest_thread: 0.99,
        busiest_thread_cpu: 0.05,
        busiest_process: 0.1,
        cpu: 0.05,
        peer_cpu: 0.8,
        other_cpu: 0.83,
        host_cpu: 0.999,
      },
      missing: ['db_cpu', 'cache_cpu'],
    },
    says: /^the program behind the server limited the run in busy \(CPU\): postgres, to which the server is connected, used (79|80)(\.\d)? % of the machine's CPU/,
  },
  'a program that is started for each call': {
    difference: { series: { ...LONGER, process_starts: 120, host_cpu: 0.99, cpu: 0.7 } },
    says: /^the target CPU limited the run in busy \(one process per call\): processes and threads were started at 1\d\d(\.\d)?\/s, one per 0\.\d+ calls, the server used (69|70)/,
  },
  'a machine that is full of the server alone': {
    difference: { series: { ...LONGER, process_starts: 20, host_cpu: 0.99, cpu: 0.7 } },
    says: /^the target CPU limited the run in busy \(machine\): it used (69|70)/,
  },
  'a machine whose CPU the hypervisor gives to others': {
    difference: { series: { 'client.p99': 90, 'client.mean': 15, cpu_steal: 0.2 } },
    says: /^the host CPU limited the run in busy \(stolen\): the hypervisor gave (19|20)(\.\d)? % of it to other machines/,
  },
  'the same while calls pile up': {
    difference: { series: { ...LONGER, cpu_steal: 0.2 }, capacity: answering(100, 10) },
    says: /^the server's concurrency limited the run in busy/,
  },
  'a machine without CPU left, of which nobody has most': {
    difference: { series: { ...LONGER, host_cpu: 0.98, cpu: 0.15, generator_cpu: 0.18, other_cpu: 0.1 } },
    says: /^the host CPU limited the run in busy \(shared\): 9\d(\.\d)? % of the machine's CPU was in use: k6 1\d(\.\d)? %, the server 1\d(\.\d)? %, other programs/,
  },
  'a pool of workers that sleep': {
    difference: { series: LONGER, capacity: answering(100, 10) },
    says: /^the server's concurrency limited the run in busy: it answers at most 100\/s, about 10 calls at a time; no monitored resource was at its limit \(nearest: host cpu 40/,
    confidence: 'medium',
  },
  'as many calls at once as there are connections to a database': {
    difference: { series: { ...LONGER, db_clients: 10 }, capacity: answering(100, 10) },
    says: /^the connection pool limited the run in busy \(observed externally\): it answers at most 100\/s, about 10 calls at a time, as many as its connections to PostgreSQL \(10\); no /,
  },
  'more connections to a database than calls at once': {
    difference: { series: { ...LONGER, db_clients: 20 }, capacity: answering(100, 10) },
    says: /^the server's concurrency limited the run in busy: it answers at most 100\/s, about 10 calls at a time; no monitored/,
  },
  'a pool of workers, in a thread that is nearly full': {
    difference: { series: { ...LONGER, busiest_thread: 0.8 }, capacity: answering(100, 10) },
    says: /^the server's concurrency limited the run in busy: .*, about 10 calls at a time/,
  },
  'a thread that is nearly full, where one call is served at a time': {
    difference: { series: { ...LONGER, busiest_thread: 0.8 }, capacity: answering(50, 1) },
    says: /^the target CPU limited the run in busy \(single thread\): its busiest thread was busy 80/,
    confidence: 'medium',
  },
  'a lock, or a call that blocks': {
    difference: { series: LONGER, capacity: answering(50, 1) },
    says: /^the server's concurrency limited the run in busy: it answers at most 50\/s, about one call at a time/,
  },
  'calls that became slower, by nobody knows what': {
    difference: { series: LONGER, capacity: answering(5, 0.1) },
    says: /^the bottleneck in busy/,
  },
  'a synchronous tool that computes': {
    difference: { series: { ...LONGER, busiest_thread: 0.99, connections_unread: 30 }, operations: BLOCKED },
    says: /^the server's thread limited the run in busy \(blocking tool\): report blocked it 90 % of the time: in the baseline its calls took 50 ms and the other calls 2 ms, then all slowed down together$/,
    confidence: 'high',
  },
  'a synchronous tool that sleeps': {
    difference: { series: { ...LONGER, busiest_thread: 0.1, connections_unread: 30 }, operations: BLOCKED },
    says: /^the server's thread limited the run in busy \(blocking tool\): report blocked it /,
  },
  'a thread that is blocked, by nobody knows what': {
    difference: { series: { ...LONGER, busiest_thread: 0.1, connections_unread: 30 } },
    says: /^the server's thread limited the run in busy \(blocked\): \d+(\.\d)? connections had unread requests/,
  },
  'a pool, at a database that is as fast as ever': {
    difference: { series: { ...LONGER, db_clients: 5, db_clients_waiting: 0.9 } },
    says: /^the connection pool limited the run in busy \(observed externally\): connections to PostgreSQL stayed at 5(\.\d)? while (19|20)(\.\d)? requests were in flight \(baseline (0\.9|1)\d*(\.\d)?\): this looks like a pool of 5/,
    confidence: 'low',
  },
  'a pool, at a database whose answers seem to take longer than on quiet connections': {
    difference: {
      series: { ...LONGER, db_clients: 2, db_clients_waiting: 0.9, db_query_duration: 0.023 },
      normal: { db_query_duration: 0.008 },
    },
    says: /^the connection pool limited the run in busy \(observed externally\)/,
  },
  'a slow database': {
    difference: { series: { ...LONGER, db_clients_waiting: 1, db_query_duration: 0.1, db_query_rate: 190 } },
    says: /^the database limited the run in busy \(slow statements\)/,
  },
  'a slow service behind it': {
    difference: { series: { ...LONGER, upstream: 2.5, upstream_calls: 20 }, normal: { upstream_calls: 20 } },
    says: /^the upstream service limited the run in busy \(slow\)/,
    confidence: 'medium',
  },
  'a memory limit': {
    difference: { series: { ...LONGER, memory_utilization: 0.99, restarts: 3, oom_kills: 3 } },
    says: /^the memory limited the run in busy \(limit\): 9\d(\.\d)? % of the server's memory limit was in use \(baseline 40/,
  },
  'a limit of open files': {
    difference: { series: { ...LONGER, open_files: 1, accept_queue: 1, listen_overflows: 9 } },
    says: /^the file descriptors limited the run in busy \(limit\)/,
  },
  'a short accept queue': {
    difference: { series: { ...LONGER, accept_queue: 0.9, listen_overflows: 40 } },
    says: /^the accept queue limited the run in busy \(overflows\): new connections were refused at ( because it was full39|40)(\.\d)?\/s/,
  },
  'a CPU quota': {
    difference: { series: { ...LONGER, cpu_throttled: 0.9, busiest_thread: 0.97, connections_unread: 9 } },
    says: /^the target CPU limited the run in busy \(CPU quota\)/,
  },
  'a server that ends and is started again': {
    difference: { series: { ...LONGER, restarts: 2 } },
    says: /^the server process limited the run in busy \(restarts\)/,
  },
};

for (const [name, { difference, says, confidence }] of Object.entries(FROM_OUTSIDE)) {
  test(`observed externally: ${name}`, () => {
    const [finding, ...more] = bottleneck(facts({ ...difference, outside: true }));
    assert.deepEqual(more, []);
    assert.match(finding?.statement ?? '', says, JSON.stringify(finding, null, 1));
    if (confidence) assert.equal(finding?.confidence, confidence, finding?.evidence.join('\n'));
  });
}

test('no operation is said to block the others that has more calls under way than a thread can hold, or that alone is slow', () => {
  const named = (/** @type {NonNullable<Difference['operations']>} */ operations) =>
    bottleneck(facts({ series: { ...LONGER, busiest_thread: 0.99 }, operations, outside: true }))[0]?.subject;
  assert.equal(named(BLOCKED), "server's thread");
  const { report, echo } = BLOCKED.busy;
  assert.equal(named({ ...BLOCKED, busy: { report: { ...report, rate: 60 }, echo } }), 'target CPU');
  assert.equal(named({ ...BLOCKED, busy: { report, echo: { ...echo, mean_s: 0.003 } } }), 'target CPU');
  assert.equal(named({ ...BLOCKED, busy: { report, echo: { ...echo, rate: 900 } } }), 'target CPU');
  assert.equal(named({ calm: { report: BLOCKED.calm.report }, busy: { report } }), 'target CPU');
});

test('of a full thread and a limit of open files the one is named that was first', () => {
  const named = (/** @type {Record<string, number>} */ afterS) =>
    bottleneck(facts({ series: { ...LONGER, open_files: 1, busiest_thread: 1 }, afterS, outside: true }))[0]
      ?.subject;
  assert.equal(named({ busiest_thread: 6 }), 'file descriptors');
  assert.equal(named({ open_files: 6 }), 'target CPU');
});

test('an accept queue of another server that overflows is not blamed', () => {
  const [finding] = bottleneck(facts({ series: { ...LONGER, listen_overflows: 40 }, outside: true }));
  assert.equal(finding?.subject, 'unknown');
});

test('a full pool is the pool or the database by what its connections do, at the same latency', () => {
  const named = (/** @type {number} */ statementS) =>
    bottleneck(
      facts({
        series: {
          ...SLOW,
          pool_utilization: 1,
          pool_connections_in_use: 4,
          pool_waiting: 4,
          pool_wait: 0.04,
          db_query_duration: statementS,
        },
      }),
    )[0]?.subject;
  assert.equal(named(0.0025), 'connection pool');
  assert.equal(named(0.02), 'database');
});

test('refused requests are the rate limiter, whatever the latency of the others is', () => {
  const [finding] = bottleneck(
    facts({
      series: { 'client.failed': 0.3, rate_limited: 30, pool_waiting: 2 },
      phase: { failures: { rate_limited: 1800 }, failure_rate: 0.3 },
    }),
  );
  assert.equal(finding?.subject, 'rate limiter');
  assert.match(finding?.statement ?? '', /limited the run in busy \(refusals\)/);
});

test('refusals say what they come of, where the others are slow for some other reason, too', () => {
  const [finding] = bottleneck(
    facts({
      series: { ...SLOW, 'client.failed': 0.6, rate_limited: 60 },
      phase: { failures: { rate_limited: 3600 } },
    }),
  );
  assert.equal(finding?.subject, 'rate limiter');
});

test('refusals are not what makes the others slow', () => {
  const [finding] = bottleneck(
    facts({
      series: { ...SLOW, ...LATE, worker_cpu: 0.99, 'client.failed': 0.02, rate_limited: 2 },
      phase: { failures: { rate_limited: 40, tool: 80 } },
    }),
  );
  assert.equal(finding?.subject, 'target CPU');
});

test('what is at its limit and holds none of the added time is not named', () => {
  // Statements are slower, by 5 ms of 60: the time went on the way.
  const [finding] = bottleneck(
    facts({
      series: {
        'client.p99': 400,
        'client.mean': 70,
        request: 0.014,
        db_query_duration: 0.0071,
        db_query_rate: 70,
      },
    }),
  );
  assert.equal(finding?.subject, 'network');
});

test('a healthy run names nothing, whatever else there is', () => {
  const busier = {
    cpu: 0.35,
    host_cpu: 0.75,
    worker_cpu: 0.6,
    'client.requests': 2000,
    'client.offered': 2000,
    'client.iterations': 2000,
  };
  assert.deepEqual(bottleneck(facts()), []);
  assert.deepEqual(
    bottleneck(
      facts({ series: { ...busier, 'client.p99': 37, pool_utilization: 1, db_query_duration: 0.02 } }),
    ),
    [],
  );
});

test('inside its objective a phase did not break, though it is slower', () => {
  const objectives = [
    { scope: { phase: 'calm' }, metric: 'p99_ms', op: /** @type {const} */ ('<'), limit: 500 },
  ];
  assert.deepEqual(bottleneck(facts({ series: { ...SLOW, ...LATE, worker_cpu: 0.99 }, objectives })), []);
});

test('a single point out of the band is no breakage', () => {
  const known = facts();
  const p99 = /** @type {import('../../../../analysis/collect/timeline.ts').TimeSeries} */ (
    known.timeline.client.p99
  );
  p99.values[40] = 5000;
  const [, busy] = known.phases;
  if (busy?.latency_ms) busy.latency_ms.p99 = 45;
  assert.deepEqual(bottleneck(known), []);
});

test('what did not last to the end of a phase is read from its episode', () => {
  const known = facts();
  const { client, signals, start_s, step_s } = known.timeline;
  const [, busy] = known.phases;
  assert.ok(busy?.latency_ms);
  busy.latency_ms.p99 = 900;
  // From 20 s to 32 s into the phase.
  const [fromS, toS] = [80, 92];
  const { 'client.p99': p99, 'client.mean': mean, ...levels } = SMALL_POOL;
  for (const [name, level] of Object.entries(levels))
    signals[name]?.values.fill(level, fromS / step_s, toS / step_s + 1);
  client.p99?.values.fill(p99, fromS / step_s, toS / step_s + 1);
  client.mean?.values.fill(mean, fromS / step_s, toS / step_s + 1);
  const linesOf = (/** @type {boolean} */ isSlow) =>
    Array.from({ length: 120 }, (_, atS) => {
      const durations = { ok: histogramOf(isSlow && atS >= fromS && atS < toS ? 900 : 20, 100) };
      return lineOf(start_s + atS, atS < 60 ? 'calm' : 'busy', { requests: 100, durations });
    });
  const secondsOf = (/** @type {boolean} */ isSlow) => {
    const lines = linesOf(isSlow);
    return { lines, buckets: bucketsOf(lines, known.phases) };
  };
  const [finding] = bottleneck({ ...known, ...secondsOf(true) });
  assert.equal(finding?.subject, 'connection pool', finding?.statement);
  assert.equal(finding?.evidence[0], 'p99 was 901 ms in busy for 12 s; normal: at most 39 ms');
  assert.equal(finding?.observations?.[0]?.at, new Date((start_s + fromS) * 1000).toISOString());
  assert.deepEqual(bottleneck({ ...known, ...secondsOf(false) }), [], 'no call was slow');
});

test('something broke and nothing was full: inconclusive, with what was nearest and what is missing', () => {
  const [finding] = bottleneck(
    facts({ series: { 'client.p99': 400, 'client.mean': 40 }, missing: ['request', 'db_locks'] }),
  );
  assert.equal(finding?.confidence, 'inconclusive');
  assert.equal(finding?.kind, 'bottleneck');
  assert.match(
    finding?.statement ?? '',
    /^the bottleneck in busy is inconclusive: no monitored resource was at its limit \(nearest: host cpu 40(\.\d)? %\); set TARGET_METRICS to include the server's own metrics$/,
  );
  assert.match(finding?.evidence.at(-1) ?? '', /^no samples of .*request, .*db_locks/);
});

test('a thread that is full while calls wait, and has time left later in the phase', () => {
  const known = facts({ outside: true, series: { ...LONGER, busiest_thread: 0.6 } });
  const waited = { fromS: known.timeline.start_s + 60, toS: known.timeline.start_s + 70 };
  const thread = known.timeline.signals.busiest_thread;
  assert.ok(thread);
  thread.values = thread.values.map((value, point) => (point >= 32 && point <= 36 ? 0.97 : value));
  assert.equal(bottleneck(known)[0]?.subject, 'unknown');
  const capacities = [{ ...answering(50, 1), waited }];
  assert.match(
    bottleneck({ ...known, capacities })[0]?.statement ?? '',
    /^the target CPU limited the run in busy \(single thread\): its busiest thread was busy 97 % of the time/,
  );
});

test('nothing was at its limit and the calls found no server: the target was away', () => {
  const known = facts({ series: { 'client.failed': 0.4 } });
  const [, busy] = known.phases;
  assert.ok(busy);
  Object.assign(busy, { requests: 1000, failed: 400, failures: { connect: 390, timeout: 10 } });
  const [finding] = bottleneck(known);
  assert.equal(finding?.subject, 'target away');
  assert.equal(
    finding?.statement,
    'the target was unreachable or did not respond in busy: of 1,000 requests, 390 failed to connect or lost the connection (connect), 10 timed out (timeout)',
  );
  // Who answered while calls waited was there, unless it is gone since.
  const { capacities } = facts({ capacity: answering(50, 1) });
  assert.equal(bottleneck({ ...known, capacities })[0]?.subject, 'target away');
  Object.assign(busy, { failures: { connect: 10, timeout: 390 } });
  assert.equal(bottleneck({ ...known, capacities })[0]?.subject, "server's concurrency");
  assert.equal(bottleneck(known)[0]?.subject, 'target away');
  // Failures that someone answered with are another matter.
  Object.assign(busy, { failures: { connect: 200, http_5xx: 200 } });
  assert.equal(bottleneck(known)[0]?.subject, 'unknown');
});

test('a signal that is missing takes confidence, and is named', () => {
  const [finding] = bottleneck(
    facts({
      series: { ...SLOW, ...FULL_POOL, db_query_duration: 0.2, pool_waiting: 2 },
      missing: ['db_locks'],
    }),
  );
  assert.equal(finding?.subject, 'database');
  assert.equal(finding?.confidence, 'medium');
  assert.ok(finding?.evidence.includes('lowers confidence: no samples of db_locks'));
});

test('what reached its limit long after the run degraded is less likely to be why', () => {
  const { confidence, figures } =
    bottleneck(
      facts({ series: { ...SLOW, db_query_duration: 0.2 }, afterS: { db_query_duration: 20 } }),
    )[0] ?? {};
  assert.equal(confidence, 'medium');
  assert.equal(figures?.lead_s, -20);
});

const MISSED = {
  metric: 'p99_ms',
  limit: 100,
  observed: 130,
  outcome: /** @type {const} */ ('fail'),
  reason: 'busy p99 was 130 ms, objective < 100 ms',
  scope: { phase: 'busy' },
  relative_to: null,
};

test('where nothing is normal, a missed objective and absolute limits say it', () => {
  const known = facts({ alone: true, series: { ...SLOW, ...FULL_POOL }, thresholds: [MISSED] });
  const [finding] = bottleneck(known);
  assert.equal(finding?.subject, 'connection pool');
  assert.notEqual(finding?.confidence, 'high');
  assert.ok(finding?.evidence.some((text) => text.includes('no earlier phase to compare with')));
  assert.deepEqual(bottleneck({ ...known, thresholds: [] }), []);
});

test('an objective that was missed for some moments alone: no resource is named, and the moments are', () => {
  const known = facts({ thresholds: [MISSED] });
  known.timeline.client.p99?.values.splice(40, 2, 400, 500);
  const [finding, ...more] = bottleneck(known);
  assert.deepEqual(more, []);
  assert.equal(finding?.confidence, 'inconclusive');
  assert.equal(
    finding?.statement,
    'the bottleneck in busy is inconclusive: p99 exceeded the normal 39 ms in only 2 of 31 samples',
  );
  assert.equal(finding?.evidence[0], MISSED.reason);
  const [observed] = finding?.observations ?? [];
  assert.deepEqual(
    [observed?.series, observed?.from, observed?.to, observed?.threshold, observed?.at],
    ['client.p99', 30, 130, 39, '2026-01-02T03:05:20.000Z'],
  );
  assert.deepEqual(bottleneck({ ...known, thresholds: [] }), [], 'nothing was missed');
  assert.deepEqual(
    bottleneck(facts({ thresholds: [MISSED], missing: ['client.p99'] })),
    [],
    'nothing was watched',
  );
  const [never] = bottleneck(facts({ thresholds: [MISSED] }));
  assert.match(never?.statement ?? '', / in none of 31 samples$/);
  assert.equal(never?.observations?.[0]?.at, null);
});

test('without the processes of the machine, a full one is the server only where the rest grew less', () => {
  const missing = ['db_cpu', 'cache_cpu', 'stack_cpu', 'other_cpu', 'generator_delay', 'generator_allowed'];
  const slow = { ...SLOW, host_cpu: 0.99, eventloop_lag: 0.04 };
  const [own] = bottleneck(facts({ series: { ...slow, cpu: 0.7 }, missing }));
  assert.equal(own?.subject, 'target CPU');
  const [others] = bottleneck(facts({ series: { ...slow, cpu: 0.3 }, missing }));
  assert.notEqual(others?.subject, 'target CPU');
});

test('a baseline that misses an objective does not hide what broke after it', () => {
  const missed = {
    metric: 'p99_ms',
    limit: 20,
    outcome: /** @type {const} */ ('fail'),
    scope: { phase: 'calm' },
    relative_to: null,
  };
  const named = (/** @type {Record<string, number>} */ normal) =>
    bottleneck(
      facts({
        series: { ...SLOW, ...FULL_POOL, db_query_duration: 0.2, pool_waiting: 2 },
        normal,
        thresholds: [missed],
      }),
    ).map(({ phase, subject }) => `${phase}: ${subject}`);
  assert.deepEqual(named({}), ['busy: database']);
  assert.deepEqual(named({ host_cpu: 0.99, other_cpu: 0.6 }), ['calm: host CPU', 'busy: database']);
});

test('a pool that is too small is named on a full machine, too: its statements are as fast as ever', () => {
  const [finding] = bottleneck(
    facts({
      series: {
        ...SLOW,
        pool_utilization: 1,
        pool_connections_in_use: 2,
        pool_waiting: 6,
        pool_wait: 0.05,
        host_cpu: 0.97,
        other_cpu: 0.5,
      },
    }),
  );
  assert.equal(finding?.subject, 'connection pool');
  assert.ok(finding?.evidence.some((text) => text.startsWith('also at a limit, less likely: host CPU')));
});

test('connections that have nothing to do are a leak, however slow the few statements are', () => {
  const [finding] = bottleneck(
    facts({
      series: {
        ...SLOW,
        ...FULL_POOL,
        'client.mean': 510,
        request: 0.5,
        pool_waiting: 40,
        db_query_duration: 0.03,
        db_query_rate: 260,
        host_cpu: 0.97,
        other_cpu: 0.5,
      },
    }),
  );
  assert.match(
    finding?.statement ?? '',
    /^the connection pool limited the run in busy \(leak\): .* of 50 connections in use, only 7\.\d+ ran/,
  );
});

test('a late thread explains no more than its lateness: a service that takes a second longer is slow itself', () => {
  const late = { ...SLOW, eventloop_lag: 0.06, upstream_calls: 4 };
  const named = (/** @type {number} */ upstream) =>
    bottleneck(facts({ series: { ...late, upstream }, normal: { upstream_calls: 4, upstream: 0.09 } }))[0]
      ?.subject;
  assert.equal(named(0.146), 'target CPU');
  assert.equal(named(1.5), 'upstream service');
});

test('requests that time out are of the service that they waited for, though the mean is hardly longer', () => {
  const timeouts = { upstream: 2, upstream_timeouts: 10, upstream_calls: 0.4 };
  const known = (/** @type {Record<string, number>} */ failures) =>
    facts({
      series: { 'client.p99': 2000, 'client.mean': 40, 'client.failed': 0.1, request: 0.015, ...timeouts },
      phase: { failures },
    });
  assert.equal(bottleneck(known({ tool: 600 }))[0]?.subject, 'upstream service');
  // Those that never got through are the network's.
  assert.equal(bottleneck(known({ connect: 600 }))[0]?.subject, 'network');
  // Long after the others were slow: their own matter.
  const later = facts({
    series: { ...SLOW, ...FULL_POOL, 'client.failed': 0.1, ...timeouts },
    afterS: { 'client.failed': 30, upstream_timeouts: 30, upstream: 30 },
    phase: { failures: { tool: 600 } },
  });
  assert.equal(bottleneck(later)[0]?.subject, 'connection pool');
});

test('what is between two means counts from what it is at its worst moments before', () => {
  const known = facts({ series: { 'client.p99': 400, 'client.mean': 40, request: 0.009 } });
  assert.equal(bottleneck(known)[0]?.subject, 'network');
  const mean = known.timeline.client.mean?.values ?? [];
  // One request in so many takes a second, and there are few.
  for (let point = 0; point < 30; point += 5) mean[point] = 60;
  assert.equal(bottleneck(known)[0]?.confidence, 'inconclusive');
});

test('phases that call something else are not compared', () => {
  const known = facts({ series: { ...SLOW, ...FULL_POOL } });
  const [, busy] = known.plan.phases;
  if (busy) busy.operation = 'generate_report';
  assert.deepEqual(bottleneck(known), []);
});

test('trials of a test are compared where they differ in their rate, and are not where it may be anything', () => {
  const known = facts({ series: { ...SLOW, ...FULL_POOL } });
  // Each trial has a clock of its own.
  known.plan.phases = known.plan.phases.map((one) => ({ ...one, start_s: one.name === 'busy' ? 0 : 10 }));
  assert.deepEqual(bottleneck(known), []);
  const phases = known.phases.map((phase, index) => ({
    ...phase,
    labels: { rate: String(100 * (index + 1)) },
  }));
  assert.equal(bottleneck({ ...known, phases })[0]?.subject, 'connection pool');
});

test('a fault that was made on purpose is not looked for', () => {
  const known = facts({ series: { ...SLOW, ...FULL_POOL } });
  const phases = known.phases.map((phase) => ({ ...phase, labels: { part: 'fault' } }));
  assert.deepEqual(bottleneck({ ...known, phases }), []);
});

test('no timeline, a sequence: nothing is said', () => {
  const known = facts({ series: { ...SLOW, ...FULL_POOL } });
  assert.deepEqual(bottleneck({ ...known, timeline: null }), []);
  assert.deepEqual(bottleneck({ ...known, plan: { ...known.plan, sequence: true } }), []);
});
