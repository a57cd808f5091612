/**
 * `make bench-accuracy`: are the latencies that a run reports those that there were? A server that sleeps known times
 * logs what each request took; k6's percentiles, and those read back from Prometheus, are held against its log.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSummary } from '../analysis/summary.js';
import { neighbours, openLoop, quantile, spread } from './figures.js';
import {
  count,
  measuring,
  ours,
  Runner,
  run,
  say,
  sleep,
  startPrometheus,
  startServer,
  streaming,
} from './harness.js';
import { printTable, spreadText, verdict } from './table.js';

/**
 * @typedef {object} SleepingPhase
 * @property {string} name
 * @property {string} distribution as the server knows it
 * @property {number} rate requests a second
 * @property {number} seconds
 * @property {number} [users] most at once
 */

/** A machine that is busy for a moment spoils one round's percentiles; most rounds must hold. */
const ROUNDS = count('ROUNDS', 3);
const PHASE_SECONDS = count('PHASE_SECONDS', 10);
const DISTRIBUTIONS = ['constant', 'bimodal', 'heavy-tail'];
const RATES = [50, 200, 500];
/** Enough for these times; the phase in which the server stops has as many as a run gives it. */
const USERS = 100;
const QUANTILES = [0.5, 0.95, 0.99];

/** k6's own percentiles: at most this far off, whichever is more. */
const K6_OFF_MS = 1;
const K6_OFF_SHARE = 0.02;
/** @param {number} ms */
const allowance = (ms) => Math.max(K6_OFF_MS, K6_OFF_SHARE * ms);

/** k6 asks for buckets that grow by 1.1 at most, and gets 2^(1/8). A value is somewhere in its bucket. */
const BUCKET_SHARE = 2 ** (1 / 8) - 1;

/** Half of the phase is gone when the server stops. */
const STALL = { rate: 200, seconds: count('STALL_SECONDS', 30), freezeMs: 2000, serviceMs: 20 };
/** What an open loop must show of a stall, less what a loaded machine shifts. */
const STALL_SHARE = 0.95;

const LOADS = DISTRIBUTIONS.flatMap((distribution) => RATES.map((rate) => ({ distribution, rate })));
/** @param {{distribution: string, rate: number}} load @param {number} round */
const nameOf = ({ distribution, rate }, round) => `${distribution}-${rate}-${round}`;
/** @type {SleepingPhase[]} */
const known = Array.from({ length: ROUNDS }, (_, round) =>
  LOADS.map((load) => ({ ...load, name: nameOf(load, round), seconds: PHASE_SECONDS, users: USERS })),
).flat();
const { rate, seconds } = STALL;
/** @type {SleepingPhase} */
const stalled = { name: 'stalled', distribution: 'constant', rate, seconds };

await run(async ({ folder, later }) => {
  const timesFile = join(folder, 'service-times');
  const server = await startServer(timesFile);
  later(server.stop);
  const prometheus = await startPrometheus(folder);
  later(prometheus.stop);
  const runner = new Runner(folder);

  const phases = [...known, stalled];
  const length = phases.reduce((sum, phase) => sum + phase.seconds, 0);
  say(`${length} s and the warm-up ...`);
  const env = {
    PROFILE: 'quick',
    THRESHOLDS: 'off',
    DURATION: `${length}s`,
    BENCH_PHASES: JSON.stringify(phases),
  };
  const generator = streaming(
    measuring(ours('sleeping.js', `${server.url}/sleep`, env), folder),
    prometheus.url,
  );
  const afterMs = (STALL.seconds * 1000) / 2;
  let freezeMs = 0;
  await runner.run(generator, async ({ running }) => {
    while (running() && (await phaseOf(server.url)) !== stalled.name) await sleep(50);
    await sleep(afterMs);
    freezeMs = await freeze(server.pid, STALL.freezeMs);
  });
  const { summary } = readSummary(folder);
  if (!summary) throw new Error('k6 left no measured.json');
  const { metrics } = summary;
  // Its log is written by now.
  await server.stop();

  const logged = readTimes(timesFile);
  /** @param {string} name of the phase @param {number} q */
  const compare = async (name, q) => {
    const times = logged.get(name) ?? [];
    const { count, latency } = metrics.latency({ phase: name });
    if (count !== times.length) {
      throw new Error(`${name}: k6 counted ${count} answers, the server ${times.length}`);
    }
    const actual = quantile(times, q);
    const k6 = latency?.[/** @type {'p50'} */ (`p${String(q * 100).replace('.', '')}`)] ?? Number.NaN;
    const histogram = 1000 * (await ask(prometheus.url, `histogram_quantile(${q}, ${durations(name)})`));
    // A histogram does not interpolate between two requests, and knows each up to its bucket.
    const [below, above] = neighbours(times, q);
    return {
      actual,
      k6Off: k6 - actual,
      k6Holds: Math.abs(k6 - actual) <= allowance(actual),
      histogramOff: histogram - actual,
      histogramHolds:
        histogram >= (below - allowance(below)) / (1 + BUCKET_SHARE) &&
        histogram <= (above + allowance(above)) * (1 + BUCKET_SHARE),
    };
  };
  const rows = [];
  for (const load of LOADS) {
    for (const q of QUANTILES) {
      const rounds = [];
      for (let round = 0; round < ROUNDS; round += 1) rounds.push(await compare(nameOf(load, round), q));
      const k6Holds = most(rounds.map((round) => round.k6Holds));
      const histogramHolds = most(rounds.map((round) => round.histogramHolds));
      const { median: actual } = spread(rounds.map((round) => round.actual));
      rows.push({
        holds: k6Holds && histogramHolds,
        cells: [
          `${load.distribution}, ${load.rate}/s`,
          `p${q * 100}`,
          actual.toFixed(2),
          off(
            rounds.map(({ k6Off }) => k6Off),
            actual,
          ),
          verdict(k6Holds),
          off(
            rounds.map(({ histogramOff }) => histogramOff),
            actual,
          ),
          verdict(histogramHolds),
        ],
      });
    }
  }
  console.log(
    `ms, medians of ${ROUNDS} rounds (min..max); in most of them k6 may be ${K6_OFF_MS} ms or ${K6_OFF_SHARE * 100}% off the server's log, ` +
      `the histogram a bucket (${(BUCKET_SHARE * 100).toFixed(1)}%) more`,
  );
  printTable(
    ['load', '', "server's log", 'the output lab is off by', '', 'Prometheus is off by', ''],
    rows.map(({ cells }) => cells),
  );

  const { count: answered, latency: waited } = metrics.latency({ phase: 'stalled' });
  const dropped = metrics.count('dropped_iterations', { scenario: 'stalled' });
  const expected = openLoop({ ...STALL, afterMs, freezeMs });
  const slow = Math.round(
    await ask(
      prometheus.url,
      `histogram_count(${durations('stalled')}) * histogram_fraction(1, +Inf, ${durations('stalled')})`,
    ),
  );
  const stallRows = [
    ['requests', expected.length, answered],
    ['slower than 1 s', expected.filter((ms) => ms > 1000).length, slow],
    ['p95, ms', quantile(expected, 0.95), waited?.p95],
    ['p99, ms', quantile(expected, 0.99), waited?.p99],
    ['p99.9, ms', quantile(expected, 0.999), waited?.p999],
    ['longest, ms', Math.max(...expected), waited?.max],
  ].map(([what, must, is]) => {
    const share = Number(is) / Number(must);
    const holds = share >= STALL_SHARE;
    return {
      holds,
      cells: [
        String(what),
        Number(must).toFixed(0),
        Number(is).toFixed(0),
        `${(share * 100).toFixed(1)}%`,
        verdict(holds),
      ],
    };
  });
  console.log(
    `\n${STALL.rate} requests/s for ${STALL.seconds} s, the server stopped for ${(freezeMs / 1000).toFixed(2)} s of them; ` +
      `${dropped} arrivals found no free user`,
  );
  printTable(
    ['', 'must show', 'shows', 'share', ''],
    stallRows.map(({ cells }) => cells),
  );
  return [...rows, ...stallRows].every(({ holds }) => holds);
});

/** @param {string} phase @returns {string} PromQL: the latencies of the whole phase */
function durations(phase) {
  return `sum(last_over_time(k6_mcp_request_duration_seconds{phase="${phase}"}[1h]))`;
}

/** @param {string} url of the server @returns {Promise<string>} which phase its latest call was of */
async function phaseOf(url) {
  return (await fetch(`${url}/phase`)).text();
}

/** @param {string} url of Prometheus @param {string} query @returns {Promise<number>} */
async function ask(url, query) {
  const answer = /** @type {any} */ (
    await (await fetch(`${url}/api/v1/query?query=${encodeURIComponent(query)}`)).json()
  );
  return Number(answer.data?.result?.[0]?.value?.[1]);
}

/** @param {boolean[]} rounds */
function most(rounds) {
  return rounds.filter(Boolean).length > rounds.length / 2;
}

/** @param {number[]} differences @param {number} actual */
function off(differences, actual) {
  const all = spread(differences);
  return `${spreadText(all, 2)}, ${((100 * all.median) / actual).toFixed(1)}%`;
}

/** @param {number} pid @param {number} ms @returns {Promise<number>} how long it was stopped */
async function freeze(pid, ms) {
  const started = performance.now();
  process.kill(pid, 'SIGSTOP');
  try {
    await sleep(ms);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  return performance.now() - started;
}

/** @param {string} file @returns {Map<string, number[]>} milliseconds by phase */
function readTimes(file) {
  /** @type {Map<string, number[]>} */
  const times = new Map();
  for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
    const [phase = '', , us] = line.split(' ');
    const list = times.get(phase) ?? [];
    list.push(Number(us) / 1000);
    times.set(phase, list);
  }
  return times;
}
