/**
 * `make bench-memory`: measures how much memory a load generator retains per request. The result is the slope of two
 * figures over the number of requests: the heap after a garbage collection, and the resident set.
 */
import { join } from 'node:path';
import { linearRegression, max } from 'simple-statistics';
import { floors, judge } from './figures.ts';
import {
  Bench,
  count,
  type Generator,
  logProgress,
  oneTool,
  ownMetrics,
  runK6,
  startBenchServer,
  startPrometheus,
} from './harness.ts';

const REQUESTS = count('REQUESTS', 400_000);
/** A constant rate, because the samples that k6 buffers between two pushes to Prometheus depend on it. */
const RATE = count('RATE', 3000);
const USERS = 50;
/** Measurements before this share of the run are ignored: buffers and connections are still growing. */
const SETTLED_AFTER = 0.2;
/** Measurements after this share of the run are ignored: k6 is creating its summary. */
const SETTLED_UNTIL = 0.99;
/** The buffer for the next push fluctuates. The minimum of each window shows the retained memory. */
const WINDOWS = 5;
const LIMIT_BYTES = 5;
/** Load of the soak test: 400 requests/s for 24 hours. */
const REQUESTS_A_DAY = 400 * 24 * 3600;

await Bench.run(async (bench) => {
  const server = await startBenchServer(bench);
  const prometheus = await startPrometheus(bench);

  const url = `${server.url}/json`;
  // A slow machine also shows the memory per request, so a low delivered share is accepted.
  const one = oneTool(url);
  const calls = { ...one, env: { ...one.env, THRESHOLDS: 'calls.delivered_share=0.01' } };
  const reporting = { ...calls, results: join(bench.folder, 'lab'), prometheus };
  // Rows with a limit have more requests, so that a few MB that Go's runtime allocates or releases don't matter.
  const generators: [what: string, generator: Generator, requests: number, limit?: number][] = [
    ['bare k6', { script: 'bare.js', url }, REQUESTS],
    ['a scenario by k6 alone, with its summary', calls, REQUESTS],
    ['a scenario with the output lab and Prometheus', reporting, 3 * REQUESTS, LIMIT_BYTES],
  ];

  const rows = [];
  for (const [what, generator, requests, limit] of generators) {
    const seconds = Math.ceil(requests / RATE);
    logProgress(`${what}: ${RATE} requests/s for ${seconds} s ...`);
    const vus = { preAllocatedVUs: USERS, maxVUs: USERS };
    const scenario = {
      executor: 'constant-arrival-rate',
      rate: RATE,
      timeUnit: '1s',
      duration: `${seconds}s`,
      ...vus,
    };
    const before = await server.served();
    const samples: { made: number; resident: number; live: number }[] = [];
    await runK6({ ...generator, scenario, args: ['--profiling-enabled'] }, bench, async (address) => {
      const collected = await fetch(`http://${address}/debug/pprof/heap?gc=1`).catch(() => null);
      await collected?.arrayBuffer().catch(() => null);
      const names = ['process_resident_memory_bytes', 'go_memstats_heap_alloc_bytes'];
      const [resident = Number.NaN, live = Number.NaN] = await ownMetrics(address, ...names);
      if (live > 0) samples.push({ made: (await server.served()) - before, resident, live });
    });
    const all = (await server.served()) - before;
    const settled = samples.filter(({ made }) => made >= SETTLED_AFTER * all && made < SETTLED_UNTIL * all);
    const growth = (which: 'resident' | 'live') =>
      linearRegression(
        floors(
          settled.map((sample) => [sample.made, sample[which]]),
          WINDOWS,
        ),
      ).m;
    const [live, resident] = [growth('live'), growth('resident')];
    const largest = max(settled.map((sample) => sample.resident));
    const figures = [live.toFixed(1), resident.toFixed(1), (largest / 1e6).toFixed(0)];
    const aDay = ((resident * REQUESTS_A_DAY) / 1e9).toFixed(1);
    const cells = [what, String(all), ...figures, aDay, String(limit ?? '')];
    rows.push({ cells, ...(limit && { holds: Math.max(live, resident) <= limit }) });
  }
  const slopes = ['heap, bytes/request', 'resident set, bytes/request'];
  return judge(['', 'requests', ...slopes, 'largest, MB', 'GB per day at 400/s', 'limit'], rows);
});
