/** Interrupts a command as a user, a terminal or a CI system does, and looks at what it leaves. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processesWith } from '../process-tree.js';

/**
 * Runs a command as a terminal does, in a session of its own, and sends it a signal when it has said something.
 *
 * @param {string[]} words the command
 * @param {object} how
 * @param {RegExp} how.at in what it says, or in the run's log
 * @param {number} [how.afterMs] so long after it
 * @param {NodeJS.Signals} [how.signal]
 * @param {boolean} [how.alone] to the command alone; otherwise to all of its process group, as Ctrl-C
 * @param {boolean} [how.typed] on a terminal, where Ctrl-C is typed
 * @param {number} [how.againMs] the same again, so many ms later
 * @param {Record<string, string>} [how.env]
 * @returns {Promise<{code: number | null, signal: string | null, output: string, tookS: number, id: string}>}
 *   tookS: from the first signal to the end
 */
export async function interrupt(
  words,
  { at, afterMs = 0, signal = 'SIGINT', alone = false, typed = false, againMs, env = {} },
) {
  count += 1;
  const id = `interrupted-${process.pid}-${count}`;
  // It becomes the command: a shell in between would get the Ctrl-C as well, and end with a code of its own.
  const [file = '', ...args] = typed ? ['script', '-qefc', `exec ${words.join(' ')}`, '/dev/null'] : words;
  const child = spawn(file, args, {
    detached: true,
    stdio: 'pipe',
    env: { ...process.env, TESTID: id, ...env },
  });
  if (!typed) child.stdin.end();
  const pid = /** @type {number} */ (child.pid);
  let output = '';
  let sentAt = 0;
  const send = () => {
    sentAt ||= Date.now();
    if (typed) child.stdin.write('\x03');
    else process.kill(alone ? pid : -pid, signal);
  };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const log = join(folderOf(id), 'run.log');
  const watching = setInterval(() => {
    if (!at.test(output + (existsSync(log) ? readFileSync(log, 'utf8') : ''))) return;
    clearInterval(watching);
    setTimeout(send, afterMs);
    if (againMs !== undefined) setTimeout(send, afterMs + againMs);
  }, 20);
  const [code, by] = await new Promise((resolve) => child.on('close', (...how) => resolve(how)));
  clearInterval(watching);
  assert.ok(sentAt > 0, `it never said ${at}:\n${output}`);
  return { code, signal: by, output, tookS: (Date.now() - sentAt) / 1000, id };
}
let count = 0;

/** @param {string} needle */
export async function nothingIsLeft(needle) {
  const commands = () => processesWith(needle).map(({ command }) => command);
  let left = commands();
  // What was told to end needs a moment.
  for (let tries = 0; left.length > 0 && tries < 20; tries += 1) {
    await sleep(100);
    left = commands();
  }
  assert.deepEqual(left, []);
}

/** @param {string} id */
const folderOf = (id) => join(process.env.RESULTS_DIR ?? 'results', id);
/** @param {string} id */
export const documentOf = (id) => JSON.parse(readFileSync(join(folderOf(id), 'run.json'), 'utf8'));

/** @param {Awaited<ReturnType<typeof interrupt>>} ended */
export async function isPartial({ id, output, code, tookS }) {
  assert.equal(code, 105, `exit code ${code}: ${output}`);
  assert.ok(tookS < 15, `${tookS} s`);
  const { verdict, partial, phases } = documentOf(id);
  assert.deepEqual([verdict.outcome, verdict.exit_code], ['error', 105]);
  assert.match(
    verdict.reasons[0],
    /^interrupted after [\d.]+ s of [\d.]+ (s|min).*; the results cover the time/,
  );
  assert.ok(partial.ran_s >= 1 && partial.ran_s < partial.planned_s, JSON.stringify(partial));
  assert.ok(phases[0].start, 'its phases are in it');
  assert.match(output, /partial: [\d.]+ s of/);
  for (const file of ['report.html', 'report.md']) {
    assert.match(readFileSync(join(folderOf(id), file), 'utf8'), /partial: [\d.]+ s of/, file);
  }
  for (const file of ['junit.xml', 'summary.csv', 'measured.json', 'timeline.json', 'run.log']) {
    assert.ok(existsSync(join(folderOf(id), file)), file);
  }
  await nothingIsLeft(`TESTID=${id}`);
  const registered = readdirSync(join(process.env.RUN_DIR ?? '.run', 'prometheus/targets'));
  assert.deepEqual(
    registered.filter((file) => file.includes(id)),
    [],
    'Prometheus scrapes it no more',
  );
}
