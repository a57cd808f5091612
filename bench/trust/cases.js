/**
 * Disturbances of a run, and whether the run must be invalid. The rates are for a machine with two CPUs shared by
 * generator, target and database. On a larger machine the load is lighter, but the expected results are the same.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { burn } from '../attribution/disturb.js';
import { startBenchServer } from '../harness.ts';

/**
 * @typedef {import('../lab-stack.js').LabStack} LabStack
 *
 * @typedef {object} Case
 * @property {string} name
 * @property {RegExp | null} reason why the run must be invalid; null: it may fail, but must not be invalid
 * @property {string} test
 * @property {Record<string, string>} [variables]
 * @property {() => string | null} [missing] returns what this machine lacks for the case
 * @property {(lab: LabStack) => Promise<{variables?: Record<string, string>, undo: () => unknown}>} [prepare]
 *   called before the run
 * @property {(k6: {pid: number, lab: LabStack, seconds: (count: number) => Promise<unknown>}) => Promise<() =>
 * unknown>} [disturb]
 *   called at the start of the first measured phase; resolves to a function that undoes it
 * @property {boolean} [early] call `disturb` at the start of the warm-up instead
 */

const SPIKE = { PROFILE: 'quick', DURATION: '24s' };
/** @param {number} scale factor of 850 requests/s */
const steady = (scale) => ({
  PROFILE: 'quick',
  DURATION: '15s',
  RATE_SCALE: String(scale),
  THRESHOLDS: 'off',
});
/** One more than the number of CPUs, so that no CPU is idle. */
const CROWD = availableParallelism() + 1;

/** @type {Case[]} */
export const CASES = [
  { name: 'healthy: 85 requests/s', reason: null, test: 'sustained', variables: steady(0.1) },
  { name: 'healthy: 255 requests/s', reason: null, test: 'sustained', variables: steady(0.3) },
  { name: 'healthy: spike, no CPU left', reason: null, test: 'spike', variables: SPIKE },
  {
    name: 'healthy: 100 users without a pause, no CPU left',
    reason: null,
    test: 'load',
    variables: { REQUESTS: '20000', CONCURRENCY: '100' },
  },
  {
    name: 'slow server: every statement takes 0.7 s',
    reason: null,
    test: 'spike',
    variables: { ...SPIKE, RATE_SCALE: '0.2' },
    prepare: async (lab) => {
      await lab.faults({ slow_statement_ms: 700 });
      return { undo: () => lab.faults({}) };
    },
  },
  {
    name: 'starved: k6 has the lowest priority on busy processors',
    reason: /load generator was short of CPU/,
    test: 'sustained',
    variables: steady(0.2),
    disturb: async ({ pid }) => {
      comeLast(pid);
      return burn(CROWD);
    },
  },
  {
    name: 'starved: a quota of a fifth of one processor',
    reason: /load generator (used .* it may use|was short of CPU)/,
    test: 'sustained',
    variables: steady(0.3),
    missing: () => (quotaFolder() ? null : 'no cgroup can be created here'),
    // A quota usually exists from the start, and it is read only every ten seconds.
    early: true,
    disturb: async ({ pid }) => limit(pid, 0.2),
  },
  {
    name: 'starved: one processor of Go, 50 users without a pause',
    reason: /load generator (used .* it may use|was short of CPU)/,
    test: 'load',
    variables: { GOMAXPROCS: '1' },
    prepare: cheapServer,
  },
  {
    name: 'starved: a server that costs less than k6, 50 users without a pause',
    reason: /load generator (used .* it may use|was short of CPU)/,
    test: 'load',
    prepare: cheapServer,
  },
  {
    name: 'starved: k6 stops for 2 s',
    reason: /load generator was short of CPU/,
    test: 'sustained',
    variables: steady(0.1),
    disturb: async ({ pid, seconds }) => {
      await seconds(5);
      process.kill(pid, 'SIGSTOP');
      await sleep(2000);
      process.kill(pid, 'SIGCONT');
      return () => {};
    },
  },
  {
    name: 'another process on every processor',
    reason: /other processes used .* most of it by "(node|MainThread)"/,
    test: 'sustained',
    variables: steady(0.1),
    disturb: () => burn(availableParallelism()),
  },
  {
    name: 'too few VUs: MAX_VUS=1',
    reason: /too few users/,
    test: 'spike',
    variables: { ...SPIKE, MAX_VUS: '1' },
  },
  {
    name: 'Prometheus unavailable for 8 s of a run',
    reason: null,
    test: 'sustained',
    variables: steady(0.1),
    disturb: awayForSeconds,
  },
];

/** @type {NonNullable<Case['disturb']>} */
async function awayForSeconds({ lab, seconds }) {
  await seconds(2);
  await lab.sh(['scripts/ctl', 'stop', 'prometheus']);
  await sleep(8000);
  await lab.sh(['scripts/ctl', 'start', 'prometheus']);
  return () => {};
}

/** @type {NonNullable<Case['prepare']>} */
async function cheapServer() {
  const server = await startBenchServer();
  const variables = {
    TARGET_URL: `${server.url}/json`,
    TOOL: 'lookup',
    ARGS: '{"key":"a"}',
    REQUESTS: '80000',
    CONCURRENCY: '50',
    THRESHOLDS: 'off',
  };
  return { variables, undo: server.stop };
}

/**
 * Sets the lowest priority. With autogroup, the priority of the process' session matters too.
 *
 * @param {number} pid
 */
function comeLast(pid) {
  for (const thread of readdirSync(`/proc/${pid}/task`)) execFileSync('renice', ['-n', '19', '-p', thread]);
  const session = `/proc/${pid}/autogroup`;
  if (existsSync(session)) writeFileSync(session, '19');
}

const PERIOD_US = 100_000;

/** @returns {{folder: string, quota: [file: string, text: (us: number) => string][]} | null} a cgroup that can be created here */
function quotaFolder() {
  const name = `mcp-load-lab-${process.pid}`;
  const kinds = [
    {
      folder: `/sys/fs/cgroup/cpu/${name}`,
      quota: [
        ['cpu.cfs_period_us', () => String(PERIOD_US)],
        ['cpu.cfs_quota_us', (/** @type {number} */ us) => String(us)],
      ],
    },
    {
      folder: `/sys/fs/cgroup/${name}`,
      quota: [['cpu.max', (/** @type {number} */ us) => `${us} ${PERIOD_US}`]],
    },
  ];
  for (const kind of /** @type {NonNullable<ReturnType<typeof quotaFolder>>[]} */ (kinds)) {
    try {
      mkdirSync(kind.folder);
      const usable = kind.quota.every(([file]) => existsSync(`${kind.folder}/${file}`));
      rmdirSync(kind.folder);
      if (usable) return kind;
    } catch {
      // The other cgroup version, or missing permissions.
    }
  }
  return null;
}

/** @param {number} pid @param {number} cores @returns {() => void} */
function limit(pid, cores) {
  const { folder, quota } = /** @type {NonNullable<ReturnType<typeof quotaFolder>>} */ (quotaFolder());
  mkdirSync(folder);
  for (const [file, text] of quota) writeFileSync(`${folder}/${file}`, text(cores * PERIOD_US));
  writeFileSync(`${folder}/cgroup.procs`, String(pid));
  return () => {
    // The cgroup is empty once k6 has exited.
    if (readFileSync(`${folder}/cgroup.procs`, 'utf8') === '') rmdirSync(folder);
  };
}
