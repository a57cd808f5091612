/**
 * `make bench-client`: what a call with k6/x/mcp costs the load generator, in CPU and memory, against bare `http.post` and against a script that
 * does the same work; and what a scenario's call costs, through lib/. Every round runs every generator once, so that the ratios of a round are
 * of the same few minutes.
 */
import { ratio, spread } from './figures.js';
import {
  bare,
  count,
  type Generator,
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
import { printTable, spreadText, verdict } from './table.js';

const ROUNDS = count('ROUNDS', 8);
const REQUESTS = count('REQUESTS', 40_000);
/** A 64 KB answer costs several times as much. */
const LARGE_REQUESTS = Math.ceil(REQUESTS / 4);
const VUS = 20;
/** What is subtracted: a run in which k6 starts, makes its VUs, and each calls a few times. */
const START_UP_REQUESTS = VUS * 5;
/** Memory per VU is the difference between so many VUs and so few, each with a few calls. */
const MANY_VUS = count('USERS', 1000);
const FEW_VUS = Math.ceil(MANY_VUS / 10);
const CALLS_PER_VU = 10;
/** All at once, each with a session and so many calls. */
const SESSION_VUS = count('SESSIONS', 10_000);
const CALLS_PER_SESSION = 20;
const MAX_SESSIONS_GB = 4;
/** Streams that are held at once: one by each VU, and twenty. */
const LISTENERS = count('LISTENERS', 2000);
const PER_VU = [1, 20];
const GOGCS = (process.env.GOGC || '100,400').split(',');

/** One way to call: `requests` 0: its memory per VU is measured. */
interface Cost {
  name: string;
  generator: Generator;
  requests: number;
}

interface Row {
  what: string;
  unit: 'µs CPU/request' | 'KB/VU';
  cost: Cost;
  base: Cost;
  /** On cost / base; without: for comparison. */
  limit?: number;
}

function plan(server: string, prometheus: string, folder: string): Row[] {
  return GOGCS.flatMap((gogc) => {
    const label = ` (GOGC=${gogc})`;
    const env = { GOGC: gogc };
    const by = (script: string, path: string, more = {}): Generator => ({
      script,
      env: { TARGET_URL: `${server}${path}`, ...env, ...more },
    });
    const cost = (name: string, generator: Generator, requests = REQUESTS): Cost => ({
      name: name + label,
      generator,
      requests,
    });
    const bareJson = cost('bare', bare(`${server}/json`, env));
    const bareLarge = cost('bare, 64 KB', bare(`${server}/64k`, env), LARGE_REQUESTS);
    const json = cost('module', by('module.js', '/json'));
    const withOutput = (...outputs: string[]): Generator => ({
      ...by('module.js', '/json'),
      args: ['--summary-mode=disabled', ...outputs],
    });
    const lab = withOutput('-o', `lab=${folder}/lab`);
    const alone = cost('module, no summary', withOutput());
    const called = ours('one-tool.js', `${server}/json`, { ...SINGLE_TOOL, ...env });
    const scenario = { ...called, args: ['--summary-mode=disabled'] };
    const unit = 'µs CPU/request';
    return [
      { what: `JSON, 700 bytes${label}`, unit, cost: json, base: bareJson, limit: 0.9 },
      {
        what: `the same with expect in JavaScript${label}`,
        unit,
        cost: cost('module, expect', by('module.js', '/json', { BENCH_EXPECT: '1' })),
        base: bareJson,
        limit: 1,
      },
      {
        what: `the same as SSE${label}`,
        unit,
        cost: cost('module, SSE', by('module.js', '/sse')),
        base: bareJson,
        limit: 1,
      },
      {
        what: `JSON, 64 KB${label}`,
        unit,
        cost: cost('module, 64 KB', by('module.js', '/64k'), LARGE_REQUESTS),
        base: bareLarge,
        limit: 0.9,
      },
      {
        what: `against a script that does the same work${label}`,
        unit,
        cost: json,
        base: cost('by hand', by('by-hand.js', '/json')),
        limit: 0.65,
      },
      {
        what: `a scenario's call, against the module alone${label}`,
        unit,
        cost: cost('scenario', scenario),
        base: alone,
        // With the script's JavaScript, tags and thresholds.
        limit: 1.6,
      },
      {
        what: `with the output lab, against none${label}`,
        unit,
        cost: cost('module, output lab', lab),
        base: alone,
        limit: 1.05,
      },
      {
        what: `with remote write on top${label}`,
        unit,
        cost: cost('module, output lab, remote write', streaming(lab, prometheus)),
        base: alone,
        limit: 1.1,
      },
      {
        what: `memory of a VU${label}`,
        unit: 'KB/VU',
        cost: { ...json, name: `memory${label}`, requests: 0 },
        base: { ...bareJson, name: `bare, memory${label}`, requests: 0 },
        limit: 1.25,
      },
      {
        what: `memory of a scenario's VU, against the module alone${label}`,
        unit: 'KB/VU',
        cost: { name: `scenario, memory${label}`, generator: scenario, requests: 0 },
        base: { ...json, name: `memory${label}`, requests: 0 },
      },
    ] satisfies Row[];
  });
}

await run(async ({ folder, later }) => {
  const server = await startServer();
  later(server.stop);
  const prometheus = await startPrometheus(folder);
  later(prometheus.stop);
  const runner = new Runner(folder);

  const load = async (
    { name, generator }: Cost,
    executor: string,
    vus: number,
    iterations: number,
    calls: number,
  ) => {
    const before = await server.served();
    const usage = await runner.run(
      withScenario(generator, { executor, vus, iterations, maxDuration: '10m' }),
    );
    const answered = (await server.served()) - before;
    if (answered !== calls) throw new Error(`${name}: ${answered} of ${calls} calls were answered`);
    return usage;
  };

  const cpuUsPerRequest = async (cost: Cost) => {
    const cpuUs = async (requests: number) =>
      (await load(cost, 'shared-iterations', VUS, requests, requests)).cpuUs;
    const startUp = await cpuUs(START_UP_REQUESTS);
    return ((await cpuUs(cost.requests)) - startUp) / (cost.requests - START_UP_REQUESTS);
  };

  const kilobytesPerVU = async (cost: Cost) => {
    const peakBytes = async (vus: number) =>
      (await load(cost, 'per-vu-iterations', vus, CALLS_PER_VU, vus * CALLS_PER_VU)).peakBytes;
    const few = await peakBytes(FEW_VUS);
    return ((await peakBytes(MANY_VUS)) - few) / (MANY_VUS - FEW_VUS) / 1000;
  };

  const rows = plan(server.url, prometheus.url, folder);
  // By name: one may be in several rows, and is measured once a round.
  const costs = [
    ...new Map(rows.flatMap(({ base, cost }) => [base, cost]).map((cost) => [cost.name, cost])).values(),
  ];
  const figures: Record<string, number[]> = Object.fromEntries(costs.map(({ name }) => [name, []]));
  for (let round = 1; round <= ROUNDS; round += 1) {
    say(`round ${round} of ${ROUNDS} ...`);
    // There and back: what comes late in one round comes early in the next.
    for (const cost of round % 2 === 1 ? costs : costs.toReversed()) {
      figures[cost.name]?.push(await (cost.requests > 0 ? cpuUsPerRequest(cost) : kilobytesPerVU(cost)));
    }
  }

  const judged = rows.map(({ what, unit, cost, base, limit }) => {
    const [own = [], theirs = []] = [figures[cost.name], figures[base.name]];
    const times = ratio(own, theirs);
    const holds = limit === undefined || times.median <= limit;
    const cells = [
      what,
      unit,
      spreadText(spread(own), 1),
      spreadText(spread(theirs), 1),
      spreadText(times, 2),
      limit?.toFixed(2) ?? '',
      limit === undefined ? '' : verdict(holds),
    ];
    return { holds, cells };
  });
  say(`${SESSION_VUS} sessions ...`);
  const sessions: Cost = {
    name: 'sessions',
    generator: { script: 'module.js', env: { TARGET_URL: `${server.url}/json`, BENCH_SESSIONS: '1' } },
    requests: 0,
  };
  const calls = SESSION_VUS * CALLS_PER_SESSION;
  const { peakBytes } = await load(sessions, 'per-vu-iterations', SESSION_VUS, CALLS_PER_SESSION, calls);
  const gigabytes = peakBytes / 1e9;
  const isWithin = gigabytes <= MAX_SESSIONS_GB;
  const last = [
    `${SESSION_VUS} VUs with sessions, ${CALLS_PER_SESSION} calls each`,
    'GB, peak',
    gigabytes.toFixed(2),
    '',
    '',
    MAX_SESSIONS_GB.toFixed(2),
    verdict(isWithin),
  ];
  const held: string[][] = [];
  for (const perVU of PER_VU) {
    say(`${LISTENERS} streams ...`);
    const scenario = { executor: 'per-vu-iterations', vus: Math.ceil(LISTENERS / perVU), iterations: 1 };
    const env = { TARGET_URL: `${server.url}/json`, BENCH_STREAMS: String(perVU) };
    let descriptors = 0;
    const usage = await runner.run(withScenario({ script: 'listening.js', env }, scenario), async (k6) => {
      for (; k6.running(); await sleep(200)) descriptors = Math.max(descriptors, k6.descriptors());
    });
    const most = await server.held();
    if (most !== scenario.vus * perVU) throw new Error(`${most} streams were held at once`);
    const what = `${most} streams held for 10 s, ${perVU} a VU`;
    held.push([what, 'MB, peak', (usage.peakBytes / 1e6).toFixed(0), '', '', '', '']);
    held.push([what, 'descriptors', String(descriptors), '', '', '', '']);
  }
  console.log(
    `median (min..max) of ${ROUNDS} rounds, each ratio within a round; base: bare k6 where no other is named`,
  );
  printTable(
    ['what', 'unit', 'k6/x/mcp', 'base', 'ratio', 'limit', ''],
    [...judged.map(({ cells }) => cells), last, ...held],
  );
  return isWithin && judged.every(({ holds }) => holds);
});
