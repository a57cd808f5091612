/** What is wrong with the machine: it is said in one line, with the right exit code, and nothing is left behind. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { command, envFile, markRunDir, reportOf, runTest } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { processesWith } from '../process-tree.js';

await ownStack();

const BRIEF = ['PROFILE=smoke', 'RATE_SCALE=0.2', 'DURATION=6s', 'THRESHOLDS=off'];

/** @returns {Record<string, string>} the stack's target as someone else's, for a stack that only watches */
const elsewhere = () => ({
  TARGET_URL: envFile('stack.env').TARGET_URL ?? '',
  TARGET_TOKEN: envFile('secrets.env').TARGET_TOKEN ?? '',
  TOOL: 'get_user',
  ARGS: '{"user_id":1}',
});

/** @type {string} a folder of its own */
let base;
before(() => {
  base = mkdtempSync(join(tmpdir(), 'machine-'));
});
after(() => rmSync(base, { recursive: true, force: true }));

/**
 * Runs a script in namespaces of its own, with what it mounts and connects there, all of which ends with it.
 *
 * @param {string} kinds of `unshare`
 * @param {string} script
 * @param {Record<string, string>} [env]
 */
const apart = (kinds, script, env) => command('unshare', [...kinds.split(' '), 'bash', '-euc', script], env);

/** @param {string} kinds @returns {string | false} why that can't be done here */
function not(kinds) {
  try {
    execFileSync('unshare', [...kinds.split(' '), 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'pipe' });
    return false;
  } catch {
    return `this user may not make a namespace (unshare ${kinds})`;
  }
}
const noMounts = not('--mount');
const noNetwork = not('--mount --net');

test('a disk without room for the results: exit 1 before any load', { skip: noMounts }, async () => {
  const small = join(base, 'small');
  mkdirSync(small);
  const { code, output } = await apart(
    '--mount',
    `mount -t tmpfs -o size=10m none ${small}; scripts/run spike ${BRIEF.join(' ')}; exit`,
    { RESULTS_DIR: small },
  );
  assert.equal(code, 1, output);
  assert.match(
    output,
    /^error: only 10 MiB are free in .*small, but a run needs up to \d+; free some space/m,
  );
  assert.doesNotMatch(output, /loading/);
});

test('a disk that fills up under load: the verdict is shown, and is no pass', {
  skip: noMounts,
}, async () => {
  const full = join(base, 'full');
  mkdirSync(full);
  const { code, output } = await apart(
    '--mount',
    `mount -t tmpfs -o size=70m none ${full}
     scripts/run spike ${BRIEF.join(' ')} & run=$!
     until grep -qs ' left' ${full}/*/run.log || ! kill -0 $run; do sleep 0.1; done
     head -c 100M /dev/zero >${full}/filler 2>/dev/null || true
     code=0; wait $run || code=$?
     find ${full} -name '*.tmp'
     exit $code`,
    { RESULTS_DIR: full },
  );
  assert.equal(code, 1, output);
  assert.match(output, /^VERDICT error/m);
  assert.match(output, /^error: the results cannot be written to .*full.*: ENOSPC/m);
  assert.doesNotMatch(output, /\.tmp$/m, 'no half-written file stays');
});

/** @param {number} total kB @param {number} free kB @returns {string} of bash: what makes a machine, in its own namespace, have so much */
function withMemory(total, free) {
  const meminfo = join(base, `meminfo-${total}`);
  writeFileSync(meminfo, `MemTotal: ${total} kB\nMemFree: 200000 kB\nMemAvailable: ${free} kB\n`);
  return `mount --bind ${meminfo} /proc/meminfo`;
}

for (const { name, total, free, run, users } of [
  { name: 'a machine with 1 GB', total: 1e6, free: 7e5, run: `spike ${BRIEF.join(' ')}`, users: '\\d+' },
  {
    name: 'a machine with 2 GB and the users of a large test',
    total: 2e6,
    free: 17e5,
    run: 'spike',
    users: '1300',
  },
]) {
  test(`${name}: what is missing, before anything starts`, { skip: noMounts }, async () => {
    const env = { RUN_DIR: join(base, 'little/run'), RESULTS_DIR: join(base, 'little/results') };
    const { code, output } = await apart(
      '--mount',
      `${withMemory(total, free)}; scripts/run ${run}; exit`,
      env,
    );
    assert.equal(code, 1, output);
    const needed = `this run needs about \\d+, of which k6 with ${users} VUs needs \\d+`;
    assert.match(
      output,
      RegExp(
        `^error: only ${Math.floor(free / 1024)} MiB of memory are free, but ${needed}; .*MAX_VUS.*GENERATOR_MEMORY`,
        'm',
      ),
    );
    assert.ok(!existsSync(`${env.RUN_DIR}/stack.env`), 'nothing was started');
  });
}

/**
 * @param {Promise<any>} run until it ends
 * @param {string} name of a variable
 * @param {string} needle as `NAME=value`, which its processes have
 * @returns {Promise<string[]>} the values that its processes had
 */
async function watchEnvironment(run, name, needle) {
  const values = new Set();
  let over = false;
  run.finally(() => (over = true));
  while (!over) {
    for (const { environment } of processesWith(needle)) {
      for (const entry of environment)
        if (entry.startsWith(`${name}=`)) values.add(entry.slice(name.length + 1));
    }
    await setTimeout(500);
  }
  return [...values];
}

test('no network but loopback, where all is built, and little memory: a fresh stack, a run, a verdict', {
  skip: noNetwork,
}, async () => {
  const env = { RUN_DIR: join(base, 'offline/run'), RESULTS_DIR: join(base, 'offline/results') };
  const run = apart(
    '--mount --net',
    `ip link set lo up
     ${withMemory(9e5, 2e6)}
     code=0; scripts/run spike ${BRIEF.join(' ')} || code=$?
     scripts/clean
     exit $code`,
    env,
  );
  const limits = watchEnvironment(run, 'GOMEMLIMIT', `RUN_DIR=${env.RUN_DIR}`);
  const { code, output } = await run;
  assert.ok(code === 0 || code === 98, output.slice(-3000));
  assert.match(output, /^VERDICT/m);
  const [limit = '', ...none] = await limits;
  assert.deepEqual(none, []);
  assert.ok(Number.parseInt(limit, 10) > 9e5 / 1024 / 4, `k6 has room for its users' garbage: ${limit}`);
  assert.ok(!existsSync(env.RUN_DIR));
});

test('Prometheus can not start: exit 1, its name and its own words; what was started is gone', async () => {
  const env = { RUN_DIR: join(base, 'blind/run'), RESULTS_DIR: join(base, 'blind/results'), ...elsewhere() };
  markRunDir(env.RUN_DIR);
  mkdirSync(`${env.RUN_DIR}/prometheus/data`, { recursive: true });
  // A folder where a file of its own has to be.
  mkdirSync(`${env.RUN_DIR}/prometheus/data/queries.active`);
  const { code, output } = await command('scripts/run', ['spike', ...BRIEF], env);
  assert.equal(code, 1, output);
  assert.match(output, /^error: prometheus (does not start|is not healthy)/m);
  assert.match(output, /queries\.active/);
  assert.ok(!existsSync(`${env.RUN_DIR}/stack.env`));
  assert.ok(!existsSync(env.RESULTS_DIR));
});

test('PostgreSQL can not start: exit 1, its name and its own words', async () => {
  const env = { RUN_DIR: join(base, 'damaged/run'), RESULTS_DIR: join(base, 'damaged/results') };
  markRunDir(env.RUN_DIR);
  // A cluster by its version alone.
  mkdirSync(`${env.RUN_DIR}/postgres`, { recursive: true, mode: 0o755 });
  copyFileSync(`${process.env.RUN_DIR}/postgres/PG_VERSION`, `${env.RUN_DIR}/postgres/PG_VERSION`);
  const { code, output } = await command('scripts/run', ['spike', ...BRIEF], env);
  await command('scripts/clean', [], env);
  assert.equal(code, 1, output);
  assert.match(output, /^error: postgres (does not start|is not healthy)/m);
  assert.match(output, /the end of .*postgres\.log\n.*postgres/s);
});

test("Prometheus' disk fills up under load: the client's figures stay, the server's are said to be missing", {
  skip: noMounts,
}, async () => {
  const env = {
    RUN_DIR: join(base, 'crammed/run'),
    RESULTS_DIR: join(base, 'crammed/results'),
    ...elsewhere(),
  };
  const { code, output } = await apart(
    '--mount',
    `. scripts/common.sh; own_run_dir; set +e
     data=$RUN_DIR/prometheus/data; mkdir -p $data
     mount -t tmpfs -o size=70m none $data
     scripts/run spike ${BRIEF.join(' ')} & run=$!
     until grep -qs ' left' $RESULTS_DIR/*/run.log || ! kill -0 $run; do sleep 0.1; done
     head -c 100M /dev/zero >$data/filler 2>/dev/null || true
     code=0; wait $run || code=$?
     umount -l $data; scripts/clean
     exit $code`,
    env,
  );
  const document = JSON.parse(readFileSync(`${env.RESULTS_DIR}/latest/run.json`, 'utf8'));
  assert.ok(code === 0 || code === 98, output.slice(-3000));
  const report = reportOf({ folder: `${env.RESULTS_DIR}/latest` });
  assert.match(report, /k6 could not write to Prometheus for \d+ % of/);
  assert.match(output, /^VERDICT/m);
  assert.ok(document.phases[1].requests > 0);
});

test('a run of the same name as another: exit 2, and the other stays as it is', async () => {
  const RESULTS_DIR = join(base, 'named');
  const kept = join(RESULTS_DIR, 'nightly/run.json');
  mkdirSync(join(RESULTS_DIR, 'nightly'), { recursive: true });
  writeFileSync(kept, '{}');
  const { code, output } = await command('scripts/run', ['spike', 'TESTID=nightly', ...BRIEF], {
    RESULTS_DIR,
  });
  assert.equal(code, 2, output);
  assert.match(output, /^error: TESTID "nightly" already exists/m);
  assert.equal(readFileSync(kept, 'utf8'), '{}');
});

for (const TESTID of ['../elsewhere', 'latest', 'a b', '']) {
  test(`TESTID="${TESTID}" ${TESTID === '' ? 'is none' : 'is refused'}`, async () => {
    // Without a TESTID, another error keeps the run from starting.
    const words = [`TESTID=${TESTID}`, ...(TESTID === '' ? ['RATE_SCALE=none'] : [])];
    const { code, output } = await command('scripts/run', ['spike', ...words]);
    assert.equal(code, 2, output);
    assert.match(output, TESTID === '' ? /RATE_SCALE/ : /^error: TESTID is ".*; valid: /m);
  });
}

test('two runs at once: of one target the second is told to wait, of different ones each has its own', async () => {
  const plain = { PROFILE: 'smoke', RATE_SCALE: '0.1', DURATION: '6s', THRESHOLDS: 'off' };
  const TESTID = `first-${process.pid}`;
  /** @type {Promise<[Awaited<ReturnType<typeof command>>, Awaited<ReturnType<typeof runTest>>]> | undefined} */
  let alongside;
  const first = await runTest('spike', { ...plain, TESTID }, () => {
    // The same server under another name is another one, as far as anyone can tell.
    const { TARGET_URL = '', ...rest } = elsewhere();
    const other = { ...plain, ...rest, TARGET_URL: TARGET_URL.replace('127.0.0.1', 'localhost') };
    alongside = Promise.all([command('scripts/run', ['spike', ...BRIEF]), runTest('spike', other)]);
    return alongside;
  });
  const [refused, second] = (await alongside) ?? [];
  assert.equal(refused?.code, 2, refused?.output);
  assert.match(
    refused?.output ?? '',
    new RegExp(`^error: ${TESTID} is loading the reference target of .*RUN_DIR=`, 'm'),
  );
  for (const run of [first, second]) {
    assert.ok(run?.document, run?.output);
    assert.ok(run.document.phases.at(-1).requests > 0);
  }
  assert.notEqual(first.folder, second?.folder);
});
