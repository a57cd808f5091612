/** StdioClient in a k6 of its own: a server by others, and what is left of it however k6 ends. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { command } from '../lab.js';
import { processesWith, processTree } from '../process-tree.js';
import { toolPath } from '../tool.js';

const EVERYTHING = [
  process.execPath,
  'node_modules/@modelcontextprotocol/server-everything/dist/index.js',
  'stdio',
];
/** Starts the server as a launcher does, with a process next to it that hears neither the end of its input nor SIGTERM. */
const LAUNCHER = ['sh', '-c', 'trap "" TERM; sleep 300 & "$@"; true', 'launcher', ...EVERYTHING];

let runs = 0;

/** @param {string[]} server @param {Record<string, string>} env */
function k6(server, env) {
  runs += 1;
  const mark = `stdio-${process.pid}-${runs}`;
  const args = Object.entries({ COMMAND: JSON.stringify(server), MARK: mark, ...env }).flatMap((pair) => [
    '-e',
    pair.join('='),
  ]);
  return {
    args: ['run', '--quiet', '--address', '', ...args, 'tests/k6/stdio.js'],
    left: () => processesWith(`STDIO_MARK=${mark}`),
  };
}

/** @param {() => boolean} holds */
async function within10s(holds) {
  for (let tries = 0; tries < 100 && !holds(); tries += 1) await sleep(100);
  return holds();
}

for (const processes of ['', '2']) {
  test(`server-everything, ${processes || 'a process for each VU'}: each call gets its own answer, and nothing is left`, async () => {
    const { args, left } = k6(EVERYTHING, { DURATION: '2s', PROCESSES: processes });
    const { code, output } = await command(toolPath('k6'), args);
    assert.equal(code, 0, output);
    assert.ok(await within10s(() => left().length === 0), JSON.stringify(left()));
  });
}

for (const [moment, afterMs, server] of /** @type {const} */ ([
  ['starts', 0, LAUNCHER],
  ['loads', 1500, LAUNCHER],
])) {
  test(`k6 is killed as it ${moment}: neither the servers nor what they started are left`, async () => {
    const { args, left } = k6([...server], { DURATION: '60s' });
    const child = spawn(toolPath('k6'), args, { stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('close', resolve));
    assert.ok(await within10s(() => left().length > 0), 'no server was started');
    await sleep(afterMs);
    child.kill('SIGKILL');
    await ended;
    assert.ok(await within10s(() => left().length === 0), JSON.stringify(left()));
  });
}

test('k6 is killed together with what looks after its servers: they are not left', async () => {
  const { args, left } = k6(EVERYTHING, { DURATION: '60s' });
  const child = spawn(toolPath('k6'), args, { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('close', resolve));
  assert.ok(await within10s(() => left().length >= 4), 'no server was started');
  const guards = processTree(Number(child.pid)).filter((one) => one.command.startsWith('sh -c live='));
  assert.equal(guards.length, 1);
  for (const { pid } of guards) process.kill(pid, 'SIGKILL');
  child.kill('SIGKILL');
  await ended;
  assert.ok(await within10s(() => left().length === 0), JSON.stringify(left()));
});
