/**
 * `make bench-watcher`: what the watcher beside k6 costs, and what it costs k6. Each round runs the same load with it and without.
 *
 *   ROUNDS=5  REQUESTS=60000
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../experiments/free-port.js';
import { toolPath } from '../experiments/tool-path.js';
import { ratio, spread } from './figures.js';
import { count, ours, run, SINGLE_TOOL, say, startServer } from './harness.js';
import { printTable, spreadText, verdict } from './table.js';

const ROUNDS = count('ROUNDS', 5);
const REQUESTS = count('REQUESTS', 60_000);
const VUS = 20;
/** Of one processor. */
const MOST_CPU = 0.01;
/** Of what k6's own cost differs by from run to run. */
const MOST_RATIO = 1.03;

const ROOT = fileURLToPath(new URL('..', import.meta.url));

await run(async ({ folder, later }) => {
  const server = await startServer();
  later(server.stop);
  const { script, env } = ours('one-tool.js', `${server.url}/json`, {
    ...SINGLE_TOOL,
    BENCH_SCENARIO: JSON.stringify({
      executor: 'shared-iterations',
      vus: VUS,
      iterations: REQUESTS,
      maxDuration: '10m',
    }),
    SUMMARY_FILE: join(folder, 'summary.json'),
  });

  /** @param {boolean} watched @returns {Promise<{k6Us: number, share: number}>} share of one processor that the watcher took */
  const load = async (watched) => {
    const address = `127.0.0.1:${await freePort()}`;
    const file = join(folder, 'host-watch.json');
    const watcher = watched
      ? spawn(process.execPath, [join(ROOT, 'analysis/host-watch.js'), file, address, String(process.pid)], {
          env: { ...process.env, TARGET_URL: server.url },
          stdio: ['ignore', 'ignore', 'inherit'],
        })
      : null;
    const usage = join(folder, 'usage.json');
    const arguments_ = ['run', '--quiet', '--address', address, join(ROOT, 'bench/k6', script)];
    const k6 = spawn(toolPath('rusage'), [usage, toolPath('k6'), ...arguments_], {
      env: { ...process.env, ...env },
      stdio: 'ignore',
    });
    const code = await new Promise((resolve) => k6.once('exit', resolve));
    if (code !== 0) throw new Error(`k6 ended with ${code}`);
    const { user_us, system_us } = JSON.parse(readFileSync(usage, 'utf8'));
    const k6Us = (user_us + system_us) / REQUESTS;
    if (!watcher) return { k6Us, share: 0 };
    const ended = new Promise((resolve) => watcher.once('exit', resolve));
    watcher.kill();
    await ended;
    const { points, columns } = JSON.parse(readFileSync(file, 'utf8'));
    /** @param {string} column from the first look on: Node's own start is over by then */
    const grown = (column) => points.at(-1)[columns.indexOf(column)] - points[0][columns.indexOf(column)];
    if (!(grown('delays') > 0)) throw new Error('k6 gave the watcher no sign of life');
    return { k6Us, share: grown('watcher') / grown('at_s') };
  };

  /** @type {number[]} */
  const without = [];
  /** @type {number[]} */
  const beside = [];
  /** @type {number[]} */
  const shares = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    say(`round ${round} of ${ROUNDS} ...`);
    for (const watched of round % 2 === 1 ? [true, false] : [false, true]) {
      const { k6Us, share } = await load(watched);
      (watched ? beside : without).push(k6Us);
      if (watched) shares.push(100 * share);
    }
  }
  const times = ratio(beside, without);
  const cost = spread(shares);
  const holds = [times.median <= MOST_RATIO, cost.median <= 100 * MOST_CPU];
  printTable(
    ['what', 'median (min..max)', 'limit', ''],
    [
      ['k6, µs CPU/request, without the watcher', spreadText(spread(without), 1), '', ''],
      ['with it', spreadText(spread(beside), 1), '', ''],
      ['ratio within a round', spreadText(times, 3), MOST_RATIO.toFixed(2), verdict(holds[0] ?? false)],
      [
        'the watcher, % of one processor',
        spreadText(cost, 2),
        (100 * MOST_CPU).toFixed(2),
        verdict(holds[1] ?? false),
      ],
    ],
  );
  return holds.every(Boolean);
});
