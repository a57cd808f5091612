/**
 * The pipelines in deploy/, as they are run: GitHub's workflow by act, GitLab's template by gitlab-ci-local, each with the real scripts, k6, and a server that the pipeline starts. Of GitHub only what belongs to
 * others is stood in for: its actions, which can't be fetched here.
 */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parse, stringify } from 'yaml';
import { ofCommand } from '../../contract/variables.js';
import { command, freePort } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { copyProject, makeRepository } from '../pipelines/workspace.js';
import { toolPath } from '../tool.js';

await ownStack({ up: 'later', needs: ['pipelines'] });

const ACTION = 'deploy/github-action/action.yml';
const WORKFLOW = 'deploy/github-action/workflow.yml';
const TEMPLATE = 'deploy/gitlab/load-test.gitlab-ci.yml';
const SECRET = 'secret-of-the-pipeline';
/** Enough calls for a p95, and no more load than that. */
const SHORT = {
  PROFILE: 'smoke',
  REQUESTS: '200',
  CONCURRENCY: '2',
  TOOL: 'echo',
  ARGS: '{}',
  METRICS: 'p50',
  ALLOW_SINGLE_RUN: '1',
};

const folder = mkdtempSync(join(tmpdir(), 'mcp-load-lab-pipelines-'));
after(() => rmSync(folder, { recursive: true }));
const project = join(folder, 'project');
before(() => copyProject(project));

/** @param {string} name @returns {any} */
const yaml = (name) => parse(readFileSync(name, 'utf8'));

/** @param {string} text */
const expression = (text) => `\${{ ${text} }}`;

/** @param {number} port @param {number} delayMs of a call */
const serverCommand = (port, delayMs) =>
  `exec node ${join(project, 'tests/pipelines/server.js')} ${port} ${delayMs}`;

test('the action: an input is a variable, none is put into a command; what others made is pinned by commit', () => {
  const { inputs, outputs, runs } = yaml(ACTION);
  const [step, ...none] = runs.steps;
  assert.deepEqual(none, []);
  assert.ok(!step.run.includes('${{'));
  const used = Object.entries(step.env).map(([name, value]) => {
    const input = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(String(value))?.[1] ?? '';
    assert.ok(name in (ofCommand.ci ?? {}) || name === 'RESULTS_DIR', name);
    return input;
  });
  assert.deepEqual(used.sort(), Object.keys(inputs).sort());
  const written = readFileSync('cli/ci/ci.ts', 'utf8');
  for (const [name, { value }] of /** @type {[string, any][]} */ (Object.entries(outputs))) {
    assert.equal(value, `\${{ steps.load-test.outputs.${name} }}`);
    assert.match(written, new RegExp(`^ +'?${name}'?(:|,$)`, 'm'), name);
  }
  for (const { uses, run } of yaml(WORKFLOW).jobs['load-test'].steps) {
    assert.equal(run, undefined, 'the workflow has no commands of its own');
    assert.match(uses, /^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/);
  }
});

/** @param {string} place @param {string[]} args @param {Record<string, string>} env */
const inFolder = (place, args, env) =>
  command('bash', ['-c', 'cd "$1" && shift && exec "$@" </dev/null', 'bash', place, ...args], env);

/**
 * Runs the sample workflow as it is, but for where the server is and how long it is loaded.
 *
 * @param {object} given
 * @param {string} given.name of the folder
 * @param {number} given.delayMs of a call
 * @param {Record<string, string>} given.inputs
 * @param {Record<string, string>} [given.variables]
 */
async function workflow({ name, delayMs, inputs, variables = {} }) {
  const home = join(folder, name);
  const uploaded = join(home, 'uploaded');
  const port = await freePort();
  const document = yaml(WORKFLOW);
  const job = document.jobs['load-test'];
  const step = job.steps.find((/** @type {any} */ { id }) => id === 'load-test');
  Object.assign(step.with, {
    'server-command': serverCommand(port, delayMs),
    'target-url': `http://127.0.0.1:${port}/mcp`,
    runs: '1',
    baselines: join(folder, 'github-baselines'),
    variables: Object.entries({ ...SHORT, ...variables })
      .map((pair) => `${pair.join('=')}\n`)
      .join(''),
    ...inputs,
  });
  makeRepository(join(home, 'repository'), { '.github/workflows/load-test.yml': stringify(document) });
  // In the place of the actions of others: nothing, and a copy of what is to be kept.
  const steps = [
    { shell: 'bash', env: { FROM: expression('inputs.path'), TO: uploaded }, run: 'cp -R "$FROM" "$TO"' },
  ];
  const standIns = { nothing: [{ shell: 'bash', run: 'true' }], upload: steps };
  for (const [standIn, does] of Object.entries(standIns)) {
    const action = {
      name: standIn,
      description: standIn,
      inputs: { path: { description: 'a path', required: false } },
    };
    mkdirSync(join(home, standIn), { recursive: true });
    writeFileSync(
      join(home, standIn, 'action.yml'),
      stringify({ ...action, runs: { using: 'composite', steps: does } }),
    );
  }
  const replaced = new Set(
    job.steps
      .map((/** @type {any} */ { uses }) => uses)
      .filter((/** @type {string} */ uses) => !uses.startsWith('actions/checkout@'))
      .map((/** @type {string} */ uses) => {
        const [, repository, ref] = /^([\w.-]+\/[\w.-]+)[^@]*@(.*)$/.exec(uses) ?? [];
        const local = repository?.endsWith('/mcp-load-lab')
          ? project
          : join(home, repository === 'actions/upload-artifact' ? 'upload' : 'nothing');
        return `${repository}@${ref}=${local}`;
      }),
  );
  const { code, output } = await inFolder(
    join(home, 'repository'),
    [
      toolPath('act'),
      ...[
        'push',
        '--json',
        '--no-cache-server',
        '--action-offline-mode',
        '--action-cache-path',
        join(home, 'cache'),
      ],
      ...['-P', 'ubuntu-24.04=-self-hosted', '--secret', 'TARGET_TOKEN'],
      ...[...replaced].flatMap((one) => ['--local-repository', one]),
      // This lane's stack, and not one of the workflow's own.
      ...['RUN_DIR', 'STACK', 'MAX_BACKGROUND_CPU'].flatMap((name_) => [
        '--env',
        `${name_}=${process.env[name_]}`,
      ]),
    ],
    { TARGET_TOKEN: SECRET, XDG_CONFIG_HOME: join(home, 'config'), MCP_LOAD_LAB_CACHE: cacheFolder() },
  );
  /** @type {any[]} */
  const lines = output.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });
  // What the scripts say, and what of it is a command to the runner.
  const said = lines.filter((line) => line.raw_output || line.raw).map((line) => line.raw ?? line.msg);
  return {
    code,
    output: said.join(''),
    commands: lines.filter(({ command: name_ }) => ['error', 'warning', 'notice'].includes(name_)),
    outputs: Object.fromEntries(
      lines
        .filter(({ command: name_ }) => name_ === 'set-output')
        .map(({ name: output_, arg }) => [output_, arg]),
    ),
    summary: lines.find(({ command: name_ }) => name_ === 'summary')?.content ?? '',
    uploaded,
    raw: output,
  };
}

/** Where the tools are: a runner has a home of its own. */
const cacheFolder = () => join(toolPath('act'), '../..');

/** @param {{uploaded: string}} run @returns {string[]} the files that were kept, with a star for what differs from run to run */
const kept = ({ uploaded }) =>
  readdirSync(uploaded, { recursive: true })
    .map((name) => String(name).replace(/\d{8}T\d{6}Z-[0-9a-f]{4}/, '*'))
    .sort();

test('GitHub, pass: the run is kept, annotated and becomes the baseline; no word of the server is a command', async () => {
  // The server is given the token by name, and prints it.
  const variables = { SERVER_ENV: 'TARGET_TOKEN' };
  const run = await workflow({ name: 'pass', delayMs: 1, inputs: {}, variables });
  assert.equal(run.code, 0, run.output);
  assert.equal(run.outputs['exit-code'], '0');
  assert.match(run.outputs.testids, /^load-\w+-\w+$/);
  assert.match(run.summary, /^\*\*exit code 0: pass\*\*$/m);
  assert.match(run.summary, /^## Thresholds$/m);
  const left = kept(run);
  for (const file of [
    'load-*/report.html',
    'load-*/junit.xml',
    'load-*/run.json',
    'ci-*/server.log',
    'ci-*/summary.md',
  ])
    assert.ok(left.includes(file), `${file}: ${left.join(' ')}`);
  assert.deepEqual(
    run.commands.map(({ command: level, kvPairs, arg }) => [level, kvPairs.title, arg]),
    [
      ['notice', 'no baseline', 'the baseline main does not exist yet; nothing is compared'],
      ['notice', 'load test load: pass', '1 threshold held'],
    ],
  );
  assert.ok(existsSync(join(folder, 'github-baselines/main.json')));
  // From the first line on text is text, until all of it is said.
  const token = /::stop-commands::([0-9a-f]{32})/.exec(run.output)?.[1];
  const resumed = run.output.indexOf(`::${token}::`);
  assert.ok(resumed > run.output.indexOf('VERDICT'));
  assert.ok(run.output.indexOf('::notice') > resumed);
  // The secret was there to be used, and is in nothing that is kept or said.
  const log = left.find((name) => name === 'ci-*/server.log') ?? '';
  assert.ok(log);
  for (const name of readdirSync(run.uploaded, { recursive: true, withFileTypes: true })) {
    if (!name.isFile()) continue;
    const text = readFileSync(join(name.parentPath, name.name));
    assert.ok(!text.includes(SECRET), name.name);
    if (name.name === 'server.log') assert.match(text.toString(), /^starting with \*\*\*$/m);
  }
  assert.ok(!run.raw.includes(SECRET));
});

test('GitHub, a missed objective: 99, an error next to the change, and everything kept', async () => {
  const run = await workflow({
    name: 'missed',
    delayMs: 1,
    inputs: { baseline: '' },
    variables: { THRESHOLDS: 'load.p95_ms=0.01' },
  });
  assert.equal(run.code, 1, run.output);
  assert.equal(run.outputs['exit-code'], '99');
  assert.match(run.summary, /^\*\*exit code 99: /m);
  const [verdict] = run.commands;
  assert.equal(verdict?.command, 'error');
  assert.equal(verdict?.kvPairs.title, 'load test load: fail');
  assert.match(verdict?.arg, /^load p95 was .*, objective < 0.01 ms/);
  assert.ok(kept(run).includes('load-*/report.html'));
});

test('GitHub, slower than the baseline: 99, and the annotation says by how much', async () => {
  assert.ok(existsSync(join(folder, 'github-baselines/main.json')), 'the first run kept it');
  const run = await workflow({ name: 'slower', delayMs: 20, inputs: {} });
  assert.equal(run.code, 1, run.output);
  assert.equal(run.outputs['exit-code'], '99');
  const compared = run.commands.find(({ kvPairs }) => /^compared/.test(kvPairs.title));
  assert.equal(compared?.command, 'error');
  assert.equal(compared?.kvPairs.title, 'compared with main: fail');
  assert.match(compared?.arg, /^p50 in load is worse: \+[\d,]+ %/m);
  assert.match(run.summary, /\| compared with main \| 99 \|/);
  assert.ok(kept(run).includes('compare-*/comparison.html'));
  assert.ok(kept(run).includes('compare-*/junit.xml'));
});

/**
 * @param {object} given
 * @param {string} given.name of the folder
 * @param {number} given.delayMs of a call
 * @param {Record<string, string>} given.variables of the job
 */
async function gitlab({ name, delayMs, variables }) {
  const home = join(folder, name);
  const port = await freePort();
  const job = {
    extends: '.mcp-load-test',
    variables: {
      MCP_LOAD_LAB: project,
      SERVER_COMMAND: serverCommand(port, delayMs),
      TARGET_URL: `http://127.0.0.1:${port}/mcp`,
      ...SHORT,
      ...variables,
    },
  };
  makeRepository(home, {
    'load-test.gitlab-ci.yml': readFileSync(TEMPLATE, 'utf8'),
    '.gitlab-ci.yml': stringify({ include: [{ local: 'load-test.gitlab-ci.yml' }], 'load-test': job }),
  });
  const modules = join(process.cwd(), 'tests/pipelines/node_modules');
  const { code, output } = await inFolder(
    home,
    [
      join(modules, 'node/bin/node'),
      join(modules, 'gitlab-ci-local/dist/index.js'),
      ...['--home', home, '--force-shell-executor', '--no-color', 'load-test'],
    ],
    // As GitLab gives a job its masked variables: by the environment.
    { TARGET_TOKEN: SECRET },
  );
  const artifacts = join(home, '.gitlab-ci-local/artifacts/load-test');
  return {
    code,
    output,
    uploaded: join(artifacts, 'results'),
    home,
    baselines: join(home, 'baselines'),
  };
}

test('GitLab, pass and then slower: the exit code is kept, JUnit and reports are artifacts either way', async () => {
  const fast = await gitlab({ name: 'gitlab-fast', delayMs: 1, variables: { SAVE_BASELINE: 'main' } });
  assert.equal(fast.code, 0, fast.output);
  assert.match(fast.output, /json schema validated/);
  assert.ok(kept(fast).includes('load-*/junit.xml'), kept(fast).join(' '));
  assert.ok(kept(fast).includes('load-*/report.html'));
  assert.ok(!fast.output.includes(SECRET));

  const slow = await gitlab({
    name: 'gitlab-slow',
    delayMs: 20,
    variables: { BASE: 'main', BASELINES_DIR: fast.baselines },
  });
  assert.notEqual(slow.code, 0, slow.output);
  assert.match(slow.output, /ci: exit code 99: /);
  assert.ok(kept(slow).includes('compare-*/comparison.html'), kept(slow).join(' '));
  assert.ok(kept(slow).includes('compare-*/junit.xml'));
});
