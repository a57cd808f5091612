/**
 * What somebody does who has Docker, git and make: clones, types `make spike` in a terminal, looks, stops it, cleans up. The host's shell is
 * POSIX sh, and there is no bash and no Node.js on its PATH.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { after, test } from 'node:test';
import { freePort } from '../lab.js';
import { SIGNALS, STEADY_SPIKE, samplesOf } from '../stack/complete-run.js';
import { Clone, latest, PARTS } from './clone.js';
import { docker, dockerLines, inspect } from './docker.js';
import { inTerminal, terminalResult } from './terminal.js';

/** A person's environment: some of it would change what Node.js and k6 do. */
const FOREIGN = {
  FOREIGN_TOKEN: 'foreign-secret-1',
  AWS_SECRET_ACCESS_KEY: 'foreign-secret-2',
  K6_CLOUD_TOKEN: 'foreign-secret-3',
  NODE_OPTIONS: '--title=foreign-secret-4',
  K6_DURATION: '1s',
};
/** Variables of Compose's own, of another project of this person. */
const OTHER_PROJECT = {
  COMPOSE_PROJECT_NAME: 'somebody-elses',
  COMPOSE_FILE: '/nonexistent/compose.yml',
  LAB_USER: '65534:65534',
  LAB_RESULTS_DIR: '/nonexistent',
};
const clone = new Clone({ shell: 'dash' });
const runDir = join(clone.folder, '.run');
// As a folder is that somebody makes, and as a native stack leaves it.
mkdirSync(runDir, { mode: 0o755 });
after(() => clone.remove());
/** Compose's name for this clone. */
let project = '';

/** @param {string[]} words a command, typed in a terminal @param {Parameters<Clone['command']>[1]} [options] */
async function type(words, options) {
  const ended = await clone.command([...inTerminal(), ...words], options);
  return { ...ended, code: terminalResult(ended.output).code };
}

test('make spike: the verdict is a pass with every signal, and of the caller’s environment only the project’s variables get in', async () => {
  /** @type {any[]} */
  let running = [];
  const spike = await type(['make', 'spike'], {
    env: { ...FOREIGN, ...OTHER_PROJECT, ...STEADY_SPIKE },
    onOutput: (output) => {
      if (running.length === 0 && /baseline/.test(output)) running = clone.oneOffs();
    },
  });
  const { document, folder } = latest(clone.results);
  assert.equal(spike.code, 0, spike.output);
  assert.match(spike.output, /VERDICT pass \(exit code 0\)/);
  assert.equal(document.partial, null);
  assert.equal(document.target.server.name, 'mcp-load-lab-target');
  for (const signal of SIGNALS) assert.ok(samplesOf(document, signal) > 0, `${signal} has no samples`);
  assert.ok(existsSync(join(folder, 'report.html')));
  assert.deepEqual(document.environment.git, { commit: clone.git('rev-parse', 'HEAD'), dirty: false });

  assert.equal(running.length, 1, 'the container of the test was not seen');
  assert.ok(!JSON.stringify(running).includes('foreign-secret'));
  const given = running[0].Config.Env.map((/** @type {string} */ line) => line.split('=')[0]);
  for (const name of Object.keys(FOREIGN)) assert.ok(!given.includes(name), name);
  assert.ok(running[0].Config.Env.includes('PROFILE=smoke'));
  [project = ''] = clone.projects();
  assert.equal(clone.projects().length, 1);
  assert.match(project, /^mcp-load-lab-\d+$/);
  assert.equal(running[0].Config.User, `${process.getuid?.()}:${process.getgid?.()}`);
});

test('in .run no secret can be read by anybody else', () => {
  const secrets = Object.values(clone.envFile('secrets.env'));
  assert.ok(secrets.length > 5);
  const open = (/** @type {string} */ path) => (statSync(path).mode & 0o005) !== 0;
  const files = readdirSync(runDir, { recursive: true, withFileTypes: true, encoding: 'utf8' })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => secrets.some((secret) => readFileSync(path, 'utf8').includes(secret)));
  assert.ok(files.length > 3, `${files}`);
  const readable = files.filter((path) => {
    const folders = [];
    for (let at = dirname(path); at.startsWith(runDir); at = dirname(at)) folders.push(at);
    return [path, ...folders].every(open);
  });
  assert.deepEqual(
    readable.map((path) => relative(runDir, path)),
    [],
  );
});

test('the images have names that nobody else can publish, none runs as root, and none has what is not its business', () => {
  const images = inspect(...clone.containers()).map(({ Config }) => Config.Image);
  const own = [...new Set(images.filter((image) => image.includes('mcp-load-lab')))];
  assert.ok(own.length > 0);
  // Docker takes the first part for a registry: there is none on this host.
  for (const image of own) {
    assert.match(image, /^localhost\/mcp-load-lab\//);
    assert.ok(image.endsWith(`:${project}`), image);
    const [{ Config }] = inspect(image);
    assert.equal(Config.User, 'node', image);
    const files = dockerLines('run', '--rm', '--network=none', '--entrypoint=ls', image, '-A');
    for (const name of ['.run', 'results', '.git', 'tests'])
      assert.ok(!files.includes(name), `${image} has ${name}`);
  }
});

test('k6 in the image is built from xk6-mcp/, in the version that its go.mod pins', () => {
  const image = `localhost/mcp-load-lab/lab:${project}`;
  const version = /go\.k6\.io\/k6\/v2 (v\S+)/.exec(readFileSync('xk6-mcp/go.mod', 'utf8'))?.[1];
  for (const k6 of ['k6', '"$(. scripts/common.sh; tool_path k6)"']) {
    const said = docker('run', '--rm', '--network=none', image, 'bash', '-c', `${k6} version`);
    assert.ok(said.startsWith(`k6 ${version} `), said);
    assert.match(said, /k6\/x\/mcp/);
  }
});

test('make up and make status: each part is healthy; make logs shows one part’s', async () => {
  const up = await type(['make', 'up']);
  assert.equal(up.code, 0, up.output);
  const status = await type(['make', 'status']);
  assert.equal(status.code, 0, status.output);
  for (const part of PARTS) assert.match(status.output, new RegExp(`^${part} +up `, 'm'));
  const logs = await clone.make('logs', { COMPONENT: 'postgres' });
  assert.match(logs.output, /database system is ready to accept connections/);
  assert.doesNotMatch(logs.output, /prometheus/);
});

test('make live: the page of the run, on this host’s loopback, from a container, until Ctrl-C; make dashboards names Grafana', async () => {
  const port = String(await freePort());
  let pid = 0;
  /** @type {Promise<any> | undefined} */
  let page;
  const live = await clone.command(['make', 'live'], {
    env: { PORT: port },
    onStart: (number) => (pid = number),
    onOutput: (output) => {
      const [, token] = /^http:\/\/127\.0\.0\.1:\d+\/#token=(\S+)$/m.exec(output) ?? [];
      if (!token || page) return;
      const headers = { authorization: `Bearer ${token}` };
      page = fetch(`http://127.0.0.1:${port}/page.json`, { headers })
        .then((answer) => answer.json())
        .finally(() => process.kill(-pid, 'SIGINT'));
    },
  });
  const { headline, plots } = /** @type {any} */ (await page) ?? {};
  assert.equal(headline, latest(clone.results).document.headline, live.output);
  assert.equal(plots.strip.length, 4);
  const dashboards = await clone.make('dashboards');
  assert.match(dashboards.output, /^http:\/\/127\.0\.0\.1:\d+\/d\/mcp-overview\?var-testid=\S+ {2}Grafana/m);
});

test('make down ends all of it and keeps the data; make clean leaves nothing but the results', async () => {
  const down = await type(['make', 'down'], { env: OTHER_PROJECT });
  assert.equal(down.code, 0, down.output);
  assert.deepEqual(clone.containers(), []);
  assert.ok(Clone.leftOf(project).some((name) => name === `${project}_postgres`));
  const clean = await type(['make', 'clean'], { env: OTHER_PROJECT });
  assert.equal(clean.code, 0, clean.output);
  assert.deepEqual(Clone.leftOf(project), []);
  assert.ok(!existsSync(join(clone.folder, '.run')));
  assert.ok(existsSync(join(clone.results, 'latest/report.html')));
});
