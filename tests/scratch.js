/**
 * The temporary folder of a test run. Its maker holds a lock in it as long as it lives, and everything that a test starts has it as TMPDIR:
 * the next run finds what an earlier one left that was killed, and removes that and nothing else.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { removeProjectsBelow } from './docker/leftovers.js';

const PREFIX = 'mcp-load-lab-test-';
const LOCK = 'lock';

/**
 * @param {string} file
 * @param {'--nonblock' | '--exclusive'} how to lock: only where nobody else has it, or when nobody else has it any more
 * @returns {number | undefined} a descriptor that holds the lock until it is closed, at the latest with this process
 */
function lock(file, how) {
  const descriptor = openSync(file, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  // The lock belongs to the open file, which the command shares with this process.
  const { status } = spawnSync('flock', [how, '3'], { stdio: ['ignore', 'ignore', 'ignore', descriptor] });
  if (status === 0) return descriptor;
  closeSync(descriptor);
  return undefined;
}

/**
 * Makes the folder, once, and sets TMPDIR to it; removes what dead runs have left. It is removed when this process ends.
 *
 * @returns {string} the folder; of tests that tests/main.js runs, that of tests/main.js
 */
export function scratchFolder() {
  const given = process.env.TEST_SCRATCH;
  if (given) return given;
  const temporary = tmpdir();
  const others = lock(join(temporary, `${PREFIX}lock-${process.getuid?.()}`), '--exclusive');
  for (const name of readdirSync(temporary)) {
    const folder = join(temporary, name);
    if (!name.startsWith(PREFIX) || !isOwn(folder) || !existsSync(join(folder, LOCK))) continue;
    const left = lock(join(folder, LOCK), '--nonblock');
    if (left === undefined) continue;
    removeAll(folder);
    closeSync(left);
  }
  const folder = mkdtempSync(join(temporary, PREFIX));
  // Databases run as users of their own, where this is root.
  chmodSync(folder, 0o711);
  lock(join(folder, LOCK), '--exclusive');
  if (others !== undefined) closeSync(others);
  Object.assign(process.env, { TMPDIR: folder, TEST_SCRATCH: folder });
  process.on('exit', () => removeAll(folder));
  return folder;
}

/** @param {string} path @returns {boolean} a folder that this user made: others write to the same place */
function isOwn(path) {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.getuid?.();
}

/** @param {string} folder whose processes, stacks, containers and files go */
export function removeAll(folder) {
  for (const pid of processesOf(folder)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
  const found = spawnSync('find', [folder, '-maxdepth', '5', '-name', '.mcp-load-lab-stack'], {
    encoding: 'utf8',
  });
  for (const mark of found.stdout.split('\n').filter(Boolean)) {
    const RUN_DIR = dirname(mark);
    // A clone's own stack is removed by the clone's own command, wherever it runs.
    const clone = dirname(RUN_DIR);
    const isOfClone = existsSync(join(clone, 'scripts/clean'));
    const { STACK: _, ...env } = process.env;
    spawnSync('scripts/clean', [], {
      cwd: isOfClone ? clone : process.cwd(),
      env: { ...env, RUN_DIR, ...(isOfClone ? {} : { STACK: 'native' }) },
      stdio: 'ignore',
      timeout: 60_000,
    });
  }
  removeProjectsBelow(folder);
  rmSync(folder, { recursive: true, force: true });
}

/** @param {string} folder @returns {number[]} processes that a test with this folder started, or that work in it */
function processesOf(folder) {
  const all = existsSync('/proc') ? readdirSync('/proc') : [];
  return all.flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
    try {
      const environment = readFileSync(`/proc/${name}/environ`, 'latin1').split('\0');
      // PostgreSQL writes over its environment.
      const command = readFileSync(`/proc/${name}/cmdline`, 'latin1');
      const isOurs = environment.includes(`TMPDIR=${folder}`) || command.includes(`${folder}/`);
      return isOurs ? [Number(name)] : [];
    } catch {
      // It has ended, or is another user's.
      return [];
    }
  });
}
