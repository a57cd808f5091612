/** `make ci` on the real stack: its server, its limits, its exit codes. The pipelines of deploy/ are in pipelines.test.js. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { command, envFile, freePort } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { processTree } from '../process-tree.js';

await ownStack();

const folder = mkdtempSync(join(tmpdir(), 'mcp-load-lab-ci-'));
after(() => rmSync(folder, { recursive: true }));
const SHORT = { TEST: 'load', PROFILE: 'smoke', REQUESTS: '200', CONCURRENCY: '2', TOOL: 'echo', ARGS: '{}' };

/**
 * @param {Record<string, string>} variables
 * @param {string[]} [args]
 */
async function ci(variables, args = []) {
  const results = mkdtempSync(join(folder, 'results-'));
  const places = { RESULTS_DIR: results, BASELINES_DIR: join(folder, 'baselines') };
  return { ...(await command('scripts/ci', args, { ...places, ...variables })), results };
}

/** @param {number} port @param {string} [rest] */
const server = (port, rest = '') => ({
  SERVER_COMMAND: `node tests/pipelines/server.js ${port} ${rest}`,
  TARGET_URL: `http://127.0.0.1:${port}/mcp`,
});

/** @param {string} mark in a command line @returns {boolean} does anything of this process's still run? */
const runs = (mark) => processTree(1).some(({ command: line }) => line.includes(mark));

test('a run, without a colour or a question, and where all of it is; the server is gone afterwards', async () => {
  const port = await freePort();
  const { SERVER_COMMAND, TARGET_URL } = server(port);
  const run = await ci(
    { ...SHORT, SAVE_BASELINE: 'own', TESTID: 'named', SERVER_ENV: 'LANG', READY_S: '50' },
    [
      'RUNS=2',
      `SERVER_COMMAND=trap : TERM; ${SERVER_COMMAND}; printf "its last words"`,
      `TARGET_URL=${TARGET_URL}`,
    ],
  );
  assert.equal(run.code, 0, run.output);
  assert.match(
    run.output,
    /^ci: load, run 1 of 2: exit code 0, .*\/named-1\nci: load, run 2 of 2: exit code 0, .*\/named-2$/m,
  );
  assert.match(run.output, /^again: +make load .*TARGET_URL=/m);
  assert.doesNotMatch(run.output, /^longer:/m, 'REQUESTS are the same in each profile');
  assert.doesNotMatch(run.output, /^(again:| {10}).*(SERVER_|READY_)/m);
  assert.match(run.output, /^ci: artifacts: .*\nci: exit code 0: pass$/m);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: an escape code is what is looked for.
  assert.ok(!/\u001b/.test(run.output));
  assert.ok(!run.output.includes('::'), 'commands are for GitHub alone');
  assert.equal(JSON.parse(readFileSync(join(folder, 'baselines/own.json'), 'utf8')).runs.length, 2);
  const [own = ''] = readdirSync(run.results).filter((name) => name.startsWith('ci-'));
  assert.match(readFileSync(join(run.results, own, 'summary.md'), 'utf8'), /^\*\*exit code 0: pass\*\*\n/);
  assert.match(readFileSync(join(run.results, own, 'server.log'), 'utf8'), /\nits last words\n$/);
  assert.ok(!runs(`server.js ${port}`));
});

test('the time is over: what was measured is reported, nothing goes on, and the exit code is 124', async () => {
  const port = await freePort();
  const run = await ci({ ...SHORT, ...server(port), REQUESTS: '100000', LIMIT_MINUTES: '0.2' });
  assert.equal(run.code, 124, run.output);
  assert.ok(run.seconds < 60, `${run.seconds} s`);
  assert.match(run.output, /^ci: exit code 124: the time limit was reached$/m);
  const { verdict } = JSON.parse(readFileSync(join(run.results, 'latest/run.json'), 'utf8'));
  assert.match(verdict.reasons[0], /^interrupted after .*; the results cover the time until then$/);
  assert.ok(existsSync(join(run.results, 'latest/report.html')));
  assert.ok(!runs(`server.js ${port}`));
  assert.ok(!runs(run.results), 'k6 has ended');
});

test('a server that does not get ready is exit code 3, with its own last words', async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const words = 'printf "no such\\033[2J database\\n" >&2; exit 7';
  const died = await ci({ ...SHORT, SERVER_COMMAND: words, TARGET_URL: url });
  assert.equal(died.code, 3, died.output);
  assert.match(
    died.output,
    /^ci: the server exited with code 7 before it was ready; last output: no such \[2J database$/m,
  );
  const [own = ''] = readdirSync(died.results).filter((name) => name.startsWith('ci-'));
  assert.equal(readFileSync(join(died.results, own, 'server.log'), 'utf8').trim(), 'no such [2J database');
  const silent = await ci({ ...SHORT, SERVER_COMMAND: 'exec sleep 987', TARGET_URL: url, READY_S: '1' });
  assert.equal(silent.code, 3, silent.output);
  assert.match(silent.output, /^ci: the server was not ready within 1 s: http:.* did not answer$/m);
  assert.ok(!runs('sleep 987'));
  const refusing = `${envFile('stack.env').PROMETHEUS_URL}/-/ready`;
  const other = await ci({ ...SHORT, ...server(port), READY_URL: refusing, READY_S: '3' });
  assert.equal(other.code, 3, other.output);
  assert.match(other.output, /did not answer with 2xx; last output: .*listening on/);
});

test('a pipeline that is called off ends everything, with the exit code of its signal', async () => {
  const url = `http://127.0.0.1:${await freePort()}/mcp`;
  const variables = { ...SHORT, SERVER_COMMAND: 'sleep 986; true', TARGET_URL: url, RESULTS_DIR: folder };
  const started = spawn('scripts/ci', {
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  for await (const chunk of started.stdout) {
    if (`${chunk}`.includes('starting the server')) setTimeout(() => started.kill('SIGTERM'), 500);
  }
  assert.equal(started.exitCode ?? (await once(started, 'close'))[0], 143);
  assert.ok(!runs('sleep 986'));
});

test('on GitHub: what a server says on its way out is no command, and what ci says of it is', async () => {
  const files = { GITHUB_OUTPUT: join(folder, 'output'), GITHUB_STEP_SUMMARY: join(folder, 'summary') };
  const words = 'echo "::error title=forged::100%, by the server"; exit 1';
  const given = { ...SHORT, SERVER_COMMAND: words, TARGET_URL: 'http://127.0.0.1:1/mcp' };
  const run = await ci({ ...given, ...files, GITHUB_ACTIONS: 'true' });
  assert.equal(run.code, 3, run.output);
  const commands = run.output.split('\n').filter((line) => line.startsWith('::'));
  const [, token] = /^::stop-commands::(\w{32})$/.exec(commands[0] ?? '') ?? [];
  assert.deepEqual(commands.slice(1), [
    `::${token}::`,
    '::error title=the server under test::the server exited with code 1 before it was ready; last output: ::error title=forged::100%25, by the server',
  ]);
  assert.match(
    readFileSync(files.GITHUB_OUTPUT, 'utf8'),
    /^exit-code=3\nresults=.*\nsummary=.*summary.md\ntestids=\n$/,
  );
  assert.match(readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8'), /^\*\*exit code 3: /);
});

/** @type {[Record<string, string>, RegExp][]} */
const WRONG_USE = [
  [{ TEST: 'nope' }, /TEST is "nope"; valid: baseline, /],
  [{ RUNS: '0' }, /RUNS is "0"; valid: a whole number above 0/],
  [{ LIMIT_MINUTES: 'soon' }, /LIMIT_MINUTES is "soon"; valid: a number above 0/],
  [
    { SERVER_COMMAND: 'true' },
    /TARGET_URL is empty; valid: the URL of the server that SERVER_COMMAND starts/,
  ],
  [{ READY_URL: 'here' }, /READY_URL is "here"; valid: an http or https URL/],
  [{ BASE: 'nope' }, /there is no baseline "nope"; create it with SAVE_BASELINE=nope/],
  [{ SAVE_BASELINE: '../x' }, /SAVE_BASELINE is "..\/x"; valid: up to 64 letters/],
  [{ METRICS: 'p98' }, /METRICS has "p98"; valid: throughput/],
  [
    { VARIABLES: '# as in a file\n\nNOPE=1' },
    /got "NOPE"; valid: NAME=value with a NAME of make help-all, such as/,
  ],
];

for (const [variables, message] of WRONG_USE) {
  test(`make ci ${JSON.stringify(variables)}: exit 2 and one line, before anything is started`, async () => {
    const { code, output, results } = await ci(variables);
    assert.equal(code, 2, output);
    assert.match(output, message);
    assert.equal(output.split('\n').filter((line) => line.startsWith('error: ')).length, 1, output);
    assert.ok(!existsSync(join(results, 'latest')));
  });
}
