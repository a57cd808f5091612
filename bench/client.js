/**
 * `make bench-client`: what a call costs the load generator, in CPU and memory, against what it costs a bare k6
 * script. Every round runs every generator once, so that the ratios of a round are of the same few minutes.
 */
import { ratio, spread } from './figures.js';
import {
  bare,
  count,
  ours,
  Runner,
  run,
  SINGLE_TOOL,
  say,
  startPrometheus,
  startServer,
  streaming,
  withScenario,
} from './harness.js';
import { printTable, spreadText, verdict } from './table.js';

const ROUNDS = count('ROUNDS', 5);
const REQUESTS = count('REQUESTS', 60_000);
/** A 64 KB answer costs several times as much. */
const LARGE_REQUESTS = Math.ceil(REQUESTS / 4);
const VUS = 20;
/** What is subtracted: a run in which k6 starts, makes its users, and each calls a few times. */
const START_UP_REQUESTS = VUS * 5;
/** Memory per user is the difference between so many users and so few, each with a few calls. */
const MANY_VUS = count('USERS', 1000);
const FEW_VUS = Math.ceil(MANY_VUS / 10);
const CALLS_PER_VU = 10;

/**
 * @typedef {object} Cost what one way to call costs
 * @property {string} name
 * @property {import('./harness.js').Generator} generator
 * @property {number} requests 0: its memory per user is measured
 *
 * @typedef {object} Row
 * @property {string} what
 * @property {'µs CPU/request' | 'KB/user'} unit
 * @property {Cost} cost
 * @property {Cost} base
 * @property {number} limit on cost / base
 */

/**
 * @param {string} server
 * @param {string} prometheus
 * @param {string[]} gogcs '' = as scripts/run starts k6
 * @returns {Row[]}
 */
function plan(server, prometheus, gogcs) {
  const bareJson = { name: 'bare', generator: bare(`${server}/json`), requests: REQUESTS };
  const bareLarge = {
    name: 'bare, 64 KB',
    generator: bare(`${server}/64k`, { BENCH_READS_BODY: '1' }),
    requests: LARGE_REQUESTS,
  };
  const bareMemory = { ...bareJson, name: 'bare, memory', requests: 0 };

  return gogcs.flatMap((gogc) => {
    const label = gogc && ` (GOGC=${gogc})`;
    /** @param {string} path */
    const call = (path) =>
      ours('one-tool.js', `${server}${path}`, { ...SINGLE_TOOL, ...(gogc && { GOGC: gogc }) });
    const json = { name: `700 bytes${label}`, generator: call('/json'), requests: REQUESTS };
    const sse = { name: `SSE${label}`, generator: call('/sse'), requests: REQUESTS };
    const large = { name: `64 KB${label}`, generator: call('/64k'), requests: LARGE_REQUESTS };
    const streamed = {
      name: `700 bytes, streamed${label}`,
      generator: streaming(call('/json'), prometheus),
      requests: REQUESTS,
    };
    const memory = { ...json, name: `memory${label}`, requests: 0 };
    const unit = /** @type {const} */ ('µs CPU/request');
    return [
      { what: `tools/call, 700 bytes of JSON${label}`, unit, cost: json, base: bareJson, limit: 1.25 },
      { what: `the same as SSE${label}`, unit, cost: sse, base: bareJson, limit: 1.35 },
      { what: `tools/call, 64 KB of JSON${label}`, unit, cost: large, base: bareLarge, limit: 1.25 },
      { what: `memory per user${label}`, unit: 'KB/user', cost: memory, base: bareMemory, limit: 1.5 },
      {
        what: `700 bytes, streamed to Prometheus${label}`,
        unit,
        cost: streamed,
        base: json,
        limit: 1.1,
      },
    ];
  });
}

await run(async ({ folder, later }) => {
  const server = await startServer();
  later(server.stop);
  const prometheus = await startPrometheus(folder);
  later(prometheus.stop);
  const runner = new Runner(folder);

  /** @param {Cost} cost @param {string} executor @param {number} vus @param {number} iterations @param {number} calls */
  const load = async ({ name, generator }, executor, vus, iterations, calls) => {
    const before = await server.served();
    const usage = await runner.run(
      withScenario(generator, { executor, vus, iterations, maxDuration: '10m' }),
    );
    const answered = (await server.served()) - before;
    if (answered !== calls) throw new Error(`${name}: ${answered} of ${calls} calls were answered`);
    return usage;
  };

  /** @param {Cost} cost */
  const cpuUsPerRequest = async (cost) => {
    /** @param {number} requests */
    const cpuUs = async (requests) => (await load(cost, 'shared-iterations', VUS, requests, requests)).cpuUs;
    const startUp = await cpuUs(START_UP_REQUESTS);
    return ((await cpuUs(cost.requests)) - startUp) / (cost.requests - START_UP_REQUESTS);
  };

  /** @param {Cost} cost */
  const kilobytesPerUser = async (cost) => {
    /** @param {number} vus */
    const peakBytes = async (vus) =>
      (await load(cost, 'per-vu-iterations', vus, CALLS_PER_VU, vus * CALLS_PER_VU)).peakBytes;
    const few = await peakBytes(FEW_VUS);
    return ((await peakBytes(MANY_VUS)) - few) / (MANY_VUS - FEW_VUS) / 1000;
  };

  const rows = plan(server.url, prometheus.url, (process.env.GOGC ?? '').split(','));
  // By name: a base stands in several rows, and is measured once a round.
  const costs = [
    ...new Map(rows.flatMap(({ base, cost }) => [base, cost]).map((cost) => [cost.name, cost])).values(),
  ];
  /** @type {Record<string, number[]>} */
  const figures = Object.fromEntries(costs.map(({ name }) => [name, []]));
  for (let round = 1; round <= ROUNDS; round += 1) {
    say(`round ${round} of ${ROUNDS} ...`);
    // There and back: what comes late in one round comes early in the next.
    for (const cost of round % 2 === 1 ? costs : costs.toReversed()) {
      figures[cost.name]?.push(await (cost.requests > 0 ? cpuUsPerRequest(cost) : kilobytesPerUser(cost)));
    }
  }

  const judged = rows.map(({ what, unit, cost, base, limit }) => {
    const [own = [], theirs = []] = [figures[cost.name], figures[base.name]];
    const times = ratio(own, theirs);
    const holds = times.median <= limit;
    const cells = [
      what,
      unit,
      spreadText(spread(own), 1),
      spreadText(spread(theirs), 1),
      spreadText(times, 2),
      limit.toFixed(2),
      verdict(holds),
    ];
    return { holds, cells };
  });
  console.log(
    `median (min..max) of ${ROUNDS} rounds, each ratio within a round; base: bare k6, for the last row: not streamed`,
  );
  printTable(
    ['what', 'unit', 'ours', 'base', 'ratio', 'limit', ''],
    judged.map(({ cells }) => cells),
  );
  return judged.every(({ holds }) => holds);
});
