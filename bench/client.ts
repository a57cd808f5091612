/**
 * `make bench-client`: measures the load generator's CPU time and memory per call. It compares k6/x/mcp with bare
 * `http.post`, and a scenario of lib/ with bare k6/x/mcp. Every round runs every generator once, so that the
 * measurements of a ratio are only minutes apart.
 */
import { join } from 'node:path';
import { toolPath } from '../cli/tool-path.ts';
import { judge, ratio, spread, spreadText } from './figures.ts';
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

const ROUNDS = count('ROUNDS', 8);
const REQUESTS = count('REQUESTS', 40_000);
/** Fewer, because an answer of 64 KB costs several times as much. */
const LARGE_REQUESTS = Math.ceil(REQUESTS / 4);
const VUS = 20;
/** The cost of a run with few requests (start of k6, VU initialization, a few calls) is subtracted. */
const START_UP_REQUESTS = VUS * 5;
/** Memory per VU is the difference between runs with many and with few VUs, divided by the difference in VUs. */
const MANY_VUS = count('USERS', 1000);
const FEW_VUS = Math.ceil(MANY_VUS / 10);
const CALLS_PER_VU = 10;
/** The number of VUs with a session each, and the calls per session. */
const SESSION_VUS = count('SESSIONS', 10_000);
const CALLS_PER_SESSION = 20;
const MAX_SESSIONS_GB = 4;
/** The number of concurrent streams: one per VU, and 20 per VU. */
const LISTENERS = count('LISTENERS', 2000);
const PER_VU = [1, 20];
/** The number of concurrent server processes, one per VU. */
const PROCESSES = count('PROCESSES', 500);
const GOGCS = (process.env.GOGC || '100,400').split(',');

const CPU = 'µs CPU/request';
const MEMORY = 'KB/VU';

type Name = keyof ReturnType<typeof generators>;
type Row = [what: string, unit: typeof CPU | typeof MEMORY, generator: Name, base: Name, limit?: number];

/** The limit applies to the ratio of the two generators. Rows without a limit are for comparison. */
const ROWS: Row[] = [
  ['JSON, 700 bytes', CPU, 'module', 'bare', 0.9],
  ['the same, with expect in JavaScript', CPU, 'expect', 'bare', 1],
  ['the same as SSE', CPU, 'sse', 'bare', 1],
  ['JSON, 64 KB', CPU, 'large', 'bareLarge', 0.9],
  ['JSON, 700 bytes, over stdio, against HTTP', CPU, 'stdio', 'module', 0.8],
  // Includes the script's JavaScript, tags and thresholds.
  ["a scenario's call, against the module alone", CPU, 'scenario', 'alone', 1.6],
  ['with the output lab, against none', CPU, 'lab', 'alone', 1.05],
  ['with remote write on top', CPU, 'remoteWrite', 'alone', 1.1],
  ['memory of a VU', MEMORY, 'module', 'bare', 1.25],
  ["memory of a scenario's VU, against the module alone", MEMORY, 'scenario', 'module'],
];

function generators(server: string, prometheus: string, folder: string) {
  const [url, large] = [`${server}/json`, `${server}/64k`];
  const module: Generator = { script: 'module.js', url };
  const bare: Generator = { script: 'bare.js', url };
  const args = ['--summary-mode=disabled'];
  const lab = { ...module, results: join(folder, 'lab') };
  return {
    bare,
    bareLarge: { ...bare, url: large },
    module,
    expect: { ...module, env: { BENCH_EXPECT: '1' } },
    sse: { ...module, url: `${server}/sse` },
    large: { ...module, url: large },
    stdio: { ...module, env: { BENCH_PROGRAM: toolPath('bench-server') } },
    alone: { ...module, args },
    lab,
    remoteWrite: { ...lab, prometheus },
    scenario: { ...oneTool(url), args },
  } satisfies Record<string, Generator>;
}

await Bench.run(async (bench) => {
  const server = await startBenchServer(bench);
  const all = generators(server.url, await startPrometheus(bench), bench.folder);

  const loaded = async (generator: Generator, scenario: object, calls: number) => {
    const before = await server.served();
    const usage = await runK6({ ...generator, scenario: { ...scenario, maxDuration: '10m' } }, bench);
    const answered = generator.env?.BENCH_PROGRAM ? calls : (await server.served()) - before;
    if (answered !== calls)
      throw new Error(`${generator.script}: ${answered} of ${calls} calls were answered`);
    return usage;
  };
  const each = (generator: Generator, vus: number, iterations: number) =>
    loaded(generator, { executor: 'per-vu-iterations', vus, iterations }, vus * iterations);
  const shared = (generator: Generator, iterations: number) =>
    loaded(generator, { executor: 'shared-iterations', vus: VUS, iterations }, iterations);
  const costs = {
    [CPU]: async (generator: Generator) => {
      const requests = generator.url === all.large.url ? LARGE_REQUESTS : REQUESTS;
      const startUp = await shared(generator, START_UP_REQUESTS);
      const many = await shared(generator, requests);
      return (many.cpuUs - startUp.cpuUs) / (requests - START_UP_REQUESTS);
    },
    [MEMORY]: async (generator: Generator) => {
      const few = await each(generator, FEW_VUS, CALLS_PER_VU);
      const many = await each(generator, MANY_VUS, CALLS_PER_VU);
      return (many.peakBytes - few.peakBytes) / (MANY_VUS - FEW_VUS) / 1000;
    },
  };

  // A generator can be in several rows; it is measured once a round.
  const names = ROWS.flatMap(([, unit, generator, base]) =>
    [generator, base].map((name) => `${unit}:${name}`),
  );
  const measured = GOGCS.flatMap((gogc) => [...new Set(names)].map((name) => `${name}:${gogc}`));
  const figures: Record<string, number[]> = Object.fromEntries(measured.map((key) => [key, []]));
  for (let round = 1; round <= ROUNDS; round += 1) {
    logProgress(`round ${round} of ${ROUNDS} ...`);
    // The order is reversed every other round, so that drift cancels out.
    for (const key of round % 2 === 1 ? measured : measured.toReversed()) {
      const [unit, name, GOGC = ''] = key.split(':') as [Row[1], Name, string];
      const generator: Generator = all[name];
      figures[key]?.push(await costs[unit]({ ...generator, env: { ...generator.env, GOGC } }));
    }
  }
  const judged = GOGCS.flatMap((gogc) =>
    ROWS.map(([what, unit, generator, base, limit]) => {
      const [own = [], bases = []] = [generator, base].map((name) => figures[`${unit}:${name}:${gogc}`]);
      const times = ratio(own, bases);
      const spreads = [spreadText(spread(own), 1), spreadText(spread(bases), 1), spreadText(times, 2)];
      const cells = [`${what} (GOGC=${gogc})`, unit, ...spreads, limit?.toFixed(2) ?? ''];
      return { cells, ...(limit && { holds: times.median <= limit }) };
    }),
  );

  logProgress(`${SESSION_VUS} sessions ...`);
  const sessions = { ...all.module, env: { BENCH_SESSIONS: '1' } };
  const gigabytes = (await each(sessions, SESSION_VUS, CALLS_PER_SESSION)).peakBytes / 1e9;
  const what = `${SESSION_VUS} VUs with sessions, ${CALLS_PER_SESSION} calls each`;
  const cells = [what, 'GB, peak', gigabytes.toFixed(2), '', '', MAX_SESSIONS_GB.toFixed(2)];
  judged.push({ cells, holds: gigabytes <= MAX_SESSIONS_GB });

  for (const perVU of PER_VU) {
    logProgress(`${LISTENERS} streams ...`);
    const vus = Math.ceil(LISTENERS / perVU);
    const scenario = { executor: 'per-vu-iterations', vus, iterations: 1 };
    let descriptors = 0;
    const listening = { ...all.module, env: { BENCH_STREAMS: String(perVU) }, scenario };
    const { peakBytes } = await runK6(listening, bench, async (address) => {
      const [open] = await ownMetrics(address, 'process_open_fds');
      descriptors = Math.max(descriptors, open || 0);
    });
    if (descriptors < vus * perVU) throw new Error(`${descriptors} streams at most were held concurrently`);
    const what = `${vus * perVU} streams held for 10 s, ${perVU} a VU`;
    judged.push({ cells: [what, 'MB, peak', (peakBytes / 1e6).toFixed(0), '', '', ''] });
    judged.push({ cells: [what, 'descriptors', String(descriptors), '', '', ''] });
  }
  logProgress(`${PROCESSES} processes ...`);
  const processes = { executor: 'per-vu-iterations', vus: PROCESSES, iterations: CALLS_PER_VU };
  const { peakBytes } = await runK6({ ...all.stdio, scenario: processes }, bench);
  const megabytes = (peakBytes / 1e6).toFixed(0);
  judged.push({ cells: [`${PROCESSES} server processes held`, 'MB, peak', megabytes, '', '', ''] });
  console.log(
    `median (min..max) of ${ROUNDS} rounds, each ratio within a round; base: bare k6 unless stated otherwise`,
  );
  return judge(['what', 'unit', 'k6/x/mcp', 'base', 'ratio', 'limit'], judged);
});
