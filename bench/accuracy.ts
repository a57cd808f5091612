/**
 * `make bench-accuracy`: compares the latencies that a run reports with the true ones. A server that sleeps for known
 * times logs the duration of each request; the percentiles of the output lab and of Prometheus are compared with this
 * log. Latencies that include the connection setup or a timeout are compared with the script's own clock.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median, sum } from 'simple-statistics';
import { inScope, latenciesOf, total, trendOf } from '../analysis/collect/groups.ts';
import { Prometheus } from '../analysis/collect/prometheus.ts';
import { readSummary } from '../analysis/collect/summary.ts';
import { generatorEnvironment } from '../cli/k6.ts';
import { judge, neighbours, quantile, spread, spreadText } from './figures.ts';
import { Bench, count, logProgress, runK6, startBenchServer, startPrometheus } from './harness.ts';

/** A phase of k6/sleeping.js: constant arrivals, with service times that the server draws from a known distribution. */
export interface SleepingPhase {
  name: string;
  distribution: string;
  rate: number;
  seconds: number;
  /** Maximum number of VUs. */
  users?: number;
}

/** A briefly busy machine distorts the percentiles of one round, so only most rounds must pass. */
const ROUNDS = count('ROUNDS', 3);
const PHASE_SECONDS = count('PHASE_SECONDS', 10);
/** Enough VUs for these service times. In the stalled phase, the number of VUs is the default of a run. */
const USERS = 100;
const QUANTILES = [
  ['p50', 0.5],
  ['p95', 0.95],
  ['p99', 0.99],
] as const;

/** Allowed deviation of a percentile: the larger of the two. */
const MAX_OFF_MS = 1;
const MAX_OFF_SHARE = 0.02;
const allowance = (ms: number) => Math.max(MAX_OFF_MS, MAX_OFF_SHARE * ms);
/**
 * k6 requests native histograms whose buckets grow by a factor of at most 1.1; Prometheus uses 2^(1/8). A value can be
 * anywhere in its bucket.
 */
const BUCKET_SHARE = 2 ** (1 / 8) - 1;

/** The server is stopped halfway through the phase, for STOPPED_MS. */
const STALLED = { name: 'stalled', distribution: 'constant', rate: 200, seconds: count('STALL_SECONDS', 30) };
const STALLED_REQUESTS = STALLED.rate * STALLED.seconds;
const STOPPED_MS = 2000;
/** Minimum share of the expected stall that an open-loop test must show; the rest is allowed for a loaded machine. */
const MIN_STALL_SHARE = 0.95;

const LOADS = ['constant', 'bimodal', 'heavy-tail'].flatMap((distribution) =>
  [50, 200, 500].map((rate) => {
    const load = { distribution, rate, seconds: PHASE_SECONDS, users: USERS };
    const rounds = Array.from({ length: ROUNDS }, (_, round) => `${distribution}-${rate}-${round}`);
    return { ...load, rounds };
  }),
);
const KNOWN: SleepingPhase[] = LOADS.flatMap(({ rounds, ...load }) =>
  rounds.map((name) => ({ ...load, name })),
);

/** Over TLS, with a handshake of 100 ms per call. In the second phase, one call in 20 times out. */
const FELT: SleepingPhase[] = ['constant', 'hanging'].map((distribution) => ({
  name: distribution,
  distribution,
  rate: 50,
  seconds: 2 * PHASE_SECONDS,
  users: USERS,
}));
const TIMEOUT_S = 1;

/** @returns whether the reported latencies match the times that the script waited */
async function holdsWhatIsFelt(bench: Bench, url: string): Promise<boolean> {
  const seconds = sum(FELT.map((phase) => phase.seconds));
  const generator = {
    script: 'sleeping.js',
    url: `${url}/sleep`,
    env: {
      ...generatorEnvironment(0),
      PROFILE: 'quick',
      THRESHOLDS: 'off',
      DURATION: `${seconds}s`,
      TARGET_TIMEOUT: `${TIMEOUT_S}s`,
      BENCH_PHASES: JSON.stringify(FELT),
    },
    results: join(bench.folder, 'felt'),
    args: ['--insecure-skip-tls-verify'],
    mayFail: true,
  };
  await runK6(generator, bench);
  const { summary } = readSummary(generator.results);
  if (!summary) throw new Error('k6 left no measured.json');
  const rows = FELT.flatMap(({ name: phase }) =>
    QUANTILES.map(([name]) => {
      const own = inScope(summary.groups, { phase, operation: 'lookup' });
      const felt = trendOf(own, 'bench_waited').latency?.[name] ?? Number.NaN;
      const shown = latenciesOf(own).latency?.[name] ?? Number.NaN;
      const cells = [phase, name, felt.toFixed(2), (shown - felt).toFixed(2)];
      return { cells, holds: Math.abs(shown - felt) <= allowance(felt) };
    }),
  );
  console.log(
    `\nTLS, each call with a handshake of 100 ms; "hanging": one call in 20 is given up after ${TIMEOUT_S} s`,
  );
  return judge(['load', '', "script's clock, ms", 'error of the output lab'], rows);
}

await Bench.run(async (bench) => {
  const server = await startBenchServer(bench);
  const url = await startPrometheus(bench);
  const prometheus = new Prometheus(url);
  const ask = async (query: string) =>
    (await prometheus.query(query, Date.now() / 1000))[0]?.value ?? Number.NaN;

  const phases = [...KNOWN, STALLED];
  const length = sum(phases.map(({ seconds }) => seconds));
  logProgress(`${length} s and the warm-up ...`);
  const env = {
    PROFILE: 'quick',
    THRESHOLDS: 'off',
    DURATION: `${length}s`,
    BENCH_PHASES: JSON.stringify(phases),
  };
  const generator = {
    script: 'sleeping.js',
    url: `${server.url}/sleep`,
    env: { ...generatorEnvironment(0), ...env },
    results: join(bench.folder, 'results'),
    prometheus: url,
  };
  const stopAt = sum(KNOWN.map(({ rate, seconds }) => rate * seconds)) + STALLED_REQUESTS / 2;
  let stoppedMs = 0;
  const stopOnce = async () => {
    if (stoppedMs === 0 && (await server.served()) >= stopAt)
      stoppedMs = await stopFor(server.pid, STOPPED_MS);
  };
  await runK6(generator, bench, stopOnce, 50);
  const { summary } = readSummary(generator.results);
  if (!summary) throw new Error('k6 left no measured.json');
  const logged = await server.times();

  /**
   * Compares a percentile of both sources with the log. Prometheus does not interpolate between two requests, so its
   * value is compared with a range.
   */
  const compare = async (phase: string, [name, q]: (typeof QUANTILES)[number]) => {
    const times = (logged[phase] ?? []).map((us) => us / 1000);
    const { all, latency } = latenciesOf(inScope(summary.groups, { phase }));
    if (all.count !== times.length)
      throw new Error(`${phase}: k6 counted ${all.count} answers, the server ${times.length}`);
    const actual = quantile(times, q);
    const [below, above] = neighbours(times, q);
    const lab = latency?.[name] ?? Number.NaN;
    const histogram = 1000 * (await ask(`histogram_quantile(${q}, ${durations(phase)})`));
    return {
      actual,
      lab: { off: lab - actual, holds: Math.abs(lab - actual) <= allowance(actual) },
      histogram: {
        off: histogram - actual,
        holds:
          histogram >= (below - allowance(below)) / (1 + BUCKET_SHARE) &&
          histogram <= (above + allowance(above)) * (1 + BUCKET_SHARE),
      },
    };
  };
  const lab: Parameters<typeof judge>[1] = [];
  const histogram: typeof lab = [];
  for (const { distribution, rate, rounds } of LOADS) {
    for (const percentile of QUANTILES) {
      const compared = await Promise.all(rounds.map((phase) => compare(phase, percentile)));
      const actual = median(compared.map((one) => one.actual));
      for (const [source, rows] of Object.entries({ lab, histogram })) {
        const judged = compared.map((one) => one[source as 'lab' | 'histogram']);
        const off = spread(judged.map((one) => one.off));
        const share = ((100 * off.median) / actual).toFixed(1);
        const cells = [
          `${distribution}, ${rate}/s`,
          percentile[0],
          actual.toFixed(2),
          `${spreadText(off, 2)}, ${share}%`,
        ];
        rows.push({ cells, holds: judged.filter(({ holds }) => holds).length > ROUNDS / 2 });
      }
    }
  }
  const rule = `${MAX_OFF_MS} ms or ${MAX_OFF_SHARE * 100}%`;
  const bucket = `${(BUCKET_SHARE * 100).toFixed(1)}%`;
  console.log(
    `ms, medians of ${ROUNDS} rounds (min..max); in most of them at most ${rule} off, Prometheus a bucket (${bucket}) more`,
  );
  const labHolds = judge(['load', '', "server's log", 'error of the output lab'], lab);
  const histogramHolds = judge(['load', '', "server's log", 'error of Prometheus'], histogram);

  const stalled = inScope(summary.groups, { phase: STALLED.name });
  const { all: answers, latency } = latenciesOf(stalled);
  const { count: answered } = answers;
  const dropped = total(stalled, 'dropped');
  // A request sent during the stall waits for the rest of it, so each waits one interval less than the one before.
  const longerThan = (ms: number) => ((stoppedMs - ms) * STALLED.rate) / 1000;
  const longest = (share: number) => stoppedMs - share * STALLED.seconds * 1000;
  const all = durations(STALLED.name);
  const slow = await ask(`histogram_count(${all}) * histogram_fraction(1, +Inf, ${all})`);
  const figures: [what: string, mustShow: number, shows?: number][] = [
    ['requests', STALLED_REQUESTS, answered],
    ['slower than 1 s', longerThan(1000), slow],
    ['p95, ms', longest(0.05), latency?.p95],
    ['p99, ms', longest(0.01), latency?.p99],
    ['p99.9, ms', longest(0.001), latency?.p999],
    ['longest, ms', longest(0), latency?.max],
  ];
  const stall = figures.map(([what, mustShow, shows = Number.NaN]) => {
    const share = shows / mustShow;
    const cells = [what, mustShow.toFixed(0), shows.toFixed(0), `${(share * 100).toFixed(1)}%`];
    return { cells, holds: share >= MIN_STALL_SHARE };
  });
  console.log(
    `\n${STALLED.rate} requests/s for ${STALLED.seconds} s, the server stopped for ${(stoppedMs / 1000).toFixed(2)} s of them; ` +
      `${dropped} arrivals found no free VU`,
  );
  const stallHolds = judge(['', 'must show', 'shows', 'share'], stall);
  const feltHolds = await holdsWhatIsFelt(bench, server.tlsUrl);
  return stallHolds && feltHolds && labHolds && histogramHolds;
});

/** PromQL: the latency histogram of the whole phase. */
function durations(phase: string) {
  return `sum(last_over_time(k6_mcp_request_duration_seconds{phase="${phase}"}[1h]))`;
}

/** @returns how long the process was stopped, ms */
async function stopFor(pid: number, ms: number) {
  const started = performance.now();
  process.kill(pid, 'SIGSTOP');
  try {
    await sleep(ms);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  return performance.now() - started;
}
