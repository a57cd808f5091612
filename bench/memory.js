/**
 * `make bench-memory`: how much memory a load generator keeps for each request that it has made, over a run that is
 * long enough to tell: the slopes of its heap in use, after a garbage collection, and of its resident set, over the
 * requests.
 */
import { join } from 'node:path';
import { floors, slope, spread } from './figures.js';
import {
  bare,
  count,
  measuring,
  ours,
  Runner,
  run,
  SINGLE_TOOL,
  say,
  sleep,
  startPrometheus,
  startServer,
  streaming,
  withScenario,
} from './harness.js';
import { printTable, verdict } from './table.js';

const REQUESTS = count('REQUESTS', 400_000);
/** Where a limit is to hold, what Go's runtime takes and gives back is not to decide: a few MB, whatever the length. */
const LIMITED_REQUESTS = 3 * REQUESTS;
/** What k6 holds between two pushes to Prometheus depends on the rate: it must not change. */
const RATE = count('RATE', 3000);
const USERS = 50;
const SAMPLE_MS = 500;
/** Until buffers and connections have settled. */
const SETTLED_AFTER = 0.2;
/** What is held for the next push goes up and down; what is kept is the least of a while. */
const WINDOWS = 5;
const LIMIT_BYTES = 5;
/** The soak's load: 400 requests/s for 24 hours. */
const REQUESTS_A_DAY = 400 * 24 * 3600;

await run(async ({ folder, later }) => {
  const server = await startServer();
  later(server.stop);
  const prometheus = await startPrometheus(folder);
  later(prometheus.stop);
  const runner = new Runner(folder);

  const url = `${server.url}/json`;
  // A machine that is too slow for the rate still shows what a request leaves behind.
  const calls = ours('one-tool.js', url, { ...SINGLE_TOOL, THRESHOLDS: 'calls.delivered_share=0.01' });
  /** @type {{what: string, generator: import('./harness.js').Generator, limit?: number}[]} */
  const generators = [
    { what: 'bare k6', generator: bare(url) },
    { what: 'a scenario by k6 alone, with its summary', generator: calls },
    {
      what: 'a scenario with the output lab and Prometheus',
      generator: streaming(measuring(calls, join(folder, 'lab')), prometheus.url),
      limit: LIMIT_BYTES,
    },
  ];
  /** @param {number} seconds */
  const scenario = (seconds) => ({
    executor: 'constant-arrival-rate',
    rate: RATE,
    timeUnit: '1s',
    duration: `${seconds}s`,
    preAllocatedVUs: USERS,
    maxVUs: USERS,
  });

  const rows = [];
  for (const { what, generator, limit } of generators) {
    const seconds = Math.ceil((limit === undefined ? REQUESTS : LIMITED_REQUESTS) / RATE);
    say(`${what}: ${RATE} requests/s for ${seconds} s ...`);
    const before = await server.served();
    /** @type {{requests: number, resident: number, live: number}[]} */
    const samples = [];
    const { args = [], ...how } = withScenario(generator, scenario(seconds));
    await runner.run({ ...how, args: [...args, '--profiling-enabled'] }, async ({ memory, running }) => {
      while (running()) {
        const now = await memory();
        if (now) samples.push({ requests: (await server.served()) - before, ...now });
        await sleep(SAMPLE_MS);
      }
    });
    const made = (await server.served()) - before;
    // The last ones are of a k6 that makes its summary.
    const settled = samples.filter(
      ({ requests }) => requests >= SETTLED_AFTER * made && requests < 0.99 * made,
    );
    /** @param {'resident' | 'live'} which */
    const growth = (which) =>
      slope(
        floors(
          settled.map((sample) => ({ x: sample.requests, y: sample[which] })),
          WINDOWS,
        ),
      );
    const [live, resident] = [growth('live'), growth('resident')];
    const holds = limit === undefined || Math.max(live, resident) <= limit;
    const cells = [
      what,
      String(made),
      live.toFixed(1),
      resident.toFixed(1),
      (spread(settled.map(({ resident }) => resident)).max / 1e6).toFixed(0),
      ((resident * REQUESTS_A_DAY) / 1e9).toFixed(1),
      limit === undefined ? '' : String(limit),
      limit === undefined ? '' : verdict(holds),
    ];
    rows.push({ holds, cells });
  }
  printTable(
    [
      '',
      'requests',
      'heap, bytes/request',
      'resident set, bytes/request',
      'largest, MB',
      'GB in a day at 400/s',
      'limit',
      '',
    ],
    rows.map(({ cells }) => cells),
  );
  return rows.every(({ holds }) => holds);
});
