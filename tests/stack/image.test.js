/**
 * The Dockerfile: read by the parser and the linter that build it, and its target `lab` made in a folder by what it copies and
 * runs, as far as that goes without an engine. What is run there is what a container would.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { command, envFile, prometheusAccess } from '../lab.js';
import { projectFiles } from '../project-files.js';
import { toolPath } from '../tool.js';

const folder = mkdtempSync(join(tmpdir(), 'mcp-load-lab-image-'));
after(() => rmSync(folder, { recursive: true }));

/**
 * @param {string} file
 * @param {string} [paths] one a line
 * @returns {{code: number | null, output: string}}
 */
function lint(file, paths = '') {
  const { status, stdout } = spawnSync(toolPath('dockerfile-lint'), [file, '.dockerignore'], {
    // The linter ends without reading its input where it can't parse the file: a stream would break then, in the test.
    input: paths,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  return { code: status, output: stdout };
}

const { code: itsCode, output: itsOutput } = lint('Dockerfile', projectFiles().join('\n'));
assert.equal(itsCode, 0, itsOutput);
/** @type {{warnings: any[], sent: string[], stages: {name: string, base: string, commands: {name: string, text: string, sources?: string[], from?: string}[]}[]}} */
const image = JSON.parse(itsOutput);

/** @param {string} source of a COPY @returns {string[]} the files that it takes of those that a build gets */
const taken = (source) => image.sent.filter((file) => file === source || file.startsWith(`${source}/`));

test('BuildKit has nothing to say about the Dockerfile; it has about a bad one', async () => {
  assert.deepEqual(image.warnings, []);
  const bad = join(folder, 'Dockerfile');
  writeFileSync(
    bad,
    'FROM node:24.19.0-bookworm-slim AS bad\nENV API_TOKEN=abc\nWORKDIR app\nCMD node a.js\n',
  );
  const rules = JSON.parse(lint(bad).output).warnings.map((/** @type {any} */ { rule }) => rule);
  assert.deepEqual(rules, ['SecretsUsedInArgOrEnv', 'WorkdirRelativePath', 'JSONArgsRecommended']);
  writeFileSync(bad, 'FORM node\n');
  assert.equal(lint(bad).code, 1);
});

test('what is copied is there, and .dockerignore lets it through; what was generated or is secret stays out', () => {
  for (const { name, commands } of image.stages) {
    for (const { sources = [], from } of commands) {
      if (from)
        assert.ok(
          image.stages.some((stage) => stage.name === from),
          `${name}: ${from}`,
        );
      else for (const source of sources) assert.ok(taken(source).length > 0, `${name}: ${source}`);
    }
  }
  for (const out of [
    '.run/secrets.env',
    'results/x/run.json',
    'node_modules/a',
    '.git/config',
    'tests/lab.js',
  ])
    assert.ok(!image.sent.includes(out), out);
});

test('.dockerignore keeps secrets, results and packages out of what is sent to a build', async () => {
  const out = ['.run/secrets.env', 'results/x/run.json', 'node_modules/a/index.js', '.git/config', '.env'];
  assert.deepEqual(JSON.parse(lint('Dockerfile', out.join('\n')).output).sent, []);
});

test('no image of the project runs as root', () => {
  for (const name of ['target', 'lab']) {
    const user = image.stages
      .find((stage) => stage.name === name)
      ?.commands.filter((each) => each.name === 'USER')
      .at(-1);
    assert.equal(user?.text, 'USER node', name);
  }
});

test('the target `lab`, made in a folder: a test runs there with nothing else of the project', async () => {
  const lab = image.stages.find(({ name }) => name === 'lab');
  const tools = join(folder, 'tools');
  const place = join(folder, 'opt');
  mkdirSync(place);
  for (const tool of /** @type {const} */ (['prometheus', 'node_exporter'])) {
    mkdirSync(join(tools, tool), { recursive: true });
    symlinkSync(toolPath(tool), join(tools, tool, tool));
  }
  const env = { MCP_LOAD_LAB_CACHE: join(folder, 'cache'), HOME: folder, NODE_ENV: '' };
  const inPlace = (/** @type {string} */ line, /** @type {Record<string, string>} */ more = {}) =>
    command('bash', ['-c', `cd "$0" && ${line}`, place], { ...env, ...more });
  for (const { name, text, sources = [], from } of lab?.commands ?? []) {
    if (name === 'COPY' && !from) {
      for (const source of sources.flatMap(taken)) {
        mkdirSync(join(place, source, '..'), { recursive: true });
        cpSync(source, join(place, source));
      }
    }
    // The one that needs the distribution's packages is scripts/setup's business here.
    if (name !== 'RUN' || text.includes('apt-get')) continue;
    const line = text.replace(/^RUN /, '').replaceAll('/tools/', `${tools}/`).replace('chown node:', 'true');
    const done = await inPlace(line);
    assert.equal(done.code, 0, `${line}\n${done.output}`);
  }
  const found = await inPlace(
    '. scripts/common.sh; "$(tool_path prometheus)" --version && "$(tool_path node_exporter)" --version',
  );
  assert.equal(found.code, 0, found.output);

  const start = lab?.commands.filter(({ name }) => name === 'CMD').at(-1)?.text ?? '';
  const [first] = JSON.parse(start.replace(/^CMD /, ''));
  const list = await inPlace(first);
  assert.equal(list.code, 0, list.output);
  assert.match(list.output, /^spike +33 s /m);

  // As docker-compose.yml starts it: Prometheus and the target are others'.
  const { PROMETHEUS_URL = '', TARGET_URL = '' } = envFile('stack.env');
  const { TARGET_TOKEN = '' } = envFile('secrets.env');
  const results = join(folder, 'results');
  const external = {
    STACK: 'external',
    PROMETHEUS_URL,
    ...prometheusAccess(),
    REFERENCE_URL: TARGET_URL,
    REFERENCE_TOKEN: TARGET_TOKEN,
    TARGET_URL: '',
    RUN_DIR: join(folder, 'run'),
    RESULTS_DIR: results,
    // As k6 is in the image: on the PATH.
    PATH: `${join(toolPath('k6'), '..')}:${process.env.PATH}`,
    PROFILE: 'smoke',
    REQUESTS: '200',
    CONCURRENCY: '2',
  };
  const run = await inPlace('scripts/run load', external);
  assert.ok(run.code === 0 || run.code === 98, run.output);
  const document = JSON.parse(readFileSync(join(results, 'latest/run.json'), 'utf8'));
  assert.equal(document.target.server.name, 'mcp-load-lab-target');
  assert.equal(document.phases.find((/** @type {any} */ { measured }) => measured).requests, 200);
  assert.ok(existsSync(join(results, 'latest/report.html')));
  assert.ok(!existsSync(join(place, 'tests')));

  for (const [without, message] of /** @type {const} */ ([
    [{ PROMETHEUS_URL: '' }, /^error: PROMETHEUS_URL is empty; valid: /m],
    [
      { PROMETHEUS_URL: 'http://me:sesame@127.0.0.1:9' },
      /^error: PROMETHEUS_URL has (?!.*sesame).*; valid: /m,
    ],
    [{ REFERENCE_URL: '' }, /^error: TARGET_URL is empty; valid: a server to load/m],
    [{ WORKERS: '2' }, /^error: WORKERS is set; valid: unset, /m],
  ])) {
    const refused = await inPlace('scripts/up', { ...external, RUN_DIR: join(folder, 'other'), ...without });
    assert.equal(refused.code, 2, refused.output);
    assert.match(refused.output, message);
  }
});
