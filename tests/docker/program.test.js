/** A server that is a program, in an image of somebody's own: loaded and watched there as a program of this host is. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { assertJudged, Clone } from './clone.js';
import { docker, dockerLines, inspect } from './docker.js';

const IMAGE = `somebody-elses-${process.pid}`;
const SECRET = 'open-sesame-open-sesame';
/** Has the variable and the folder of the image, and its user. */
const OWN_COMMAND = `FROM ${/^FROM (node:\S+)/m.exec(readFileSync('Dockerfile', 'utf8'))?.[1]}
WORKDIR /server
COPY overlap.js package.json ./
ENV MODE=concurrent
USER node
ENTRYPOINT ["node", "overlap.js"]
CMD ["concurrent"]
`;
const BRIEF = { PROFILE: 'smoke', DURATION: '12s', THRESHOLDS: 'off' };
/** @type {Clone} */
let clone;
before(() => {
  clone = new Clone({ shell: 'dash' });
  const folder = join(clone.base, 'image');
  mkdirSync(folder);
  writeFileSync(join(folder, 'Dockerfile'), OWN_COMMAND);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  copyFileSync('tests/servers/overlap.js', join(folder, 'overlap.js'));
  docker('build', '--tag', IMAGE, folder);
});
after(async () => {
  await clone.remove();
  docker('image', 'rm', '--force', IMAGE);
});

/** @param {any} run @param {string} name */
const signal = (run, name) => run.document.signals.find((/** @type {any} */ one) => one.signal === name);

test('the command of the image: it is found out, loaded and watched', async () => {
  const run = await clone.run('sustained', { ...BRIEF, TARGET_IMAGE: IMAGE, PROCESSES: '2' });
  assertJudged(run);
  const { target, variables, phases } = run.document;
  assert.equal(target.server.name, 'overlap');
  assert.equal(target.url, 'stdio:node overlap.js concurrent');
  assert.equal(variables.TARGET_IMAGE, IMAGE);
  assert.equal(variables.TARGET_COMMAND, 'node overlap.js concurrent');
  assert.equal(phases.at(-1).failed, 0, run.output);
  for (const name of ['cpu', 'busiest_thread', 'memory', 'open_files'])
    assert.ok(signal(run, name)?.samples > 0, `${name}: ${run.output}`);
  // The servers, and nothing of what starts them.
  assert.ok(signal(run, 'workers').max <= 3, `${signal(run, 'workers').max} processes`);
  const { groups, target: found } = JSON.parse(readFileSync(join(run.folder, 'host-watch.json'), 'utf8'));
  assert.equal(found, 'found', JSON.stringify(groups));
});

test('a command of one’s own, with a variable; what it does wrong is named', async () => {
  const run = await clone.run(
    'sustained',
    {
      ...{ ...BRIEF, TARGET_IMAGE: IMAGE, PROCESSES: '1', TARGET_ENV: 'KEY' },
      TARGET_COMMAND: `sh -c '[ -n "$KEY" ] && exec node /server/overlap.js lock'`,
    },
    { env: { KEY: SECRET } },
  );
  assert.match(JSON.stringify(run.document?.findings), /stopped answering/, run.output);
  assert.ok(!run.output.includes(SECRET));
  // Nothing of a run is left but what starts programs.
  const [container = ''] = clone.containers('label=com.docker.compose.service=program');
  const left = dockerLines('top', container, '-eo', 'pid,comm')
    .slice(1)
    .map((line) => line.replace(/^ *\d+ +/, ''));
  assert.deepEqual(
    left.filter((name) => !/^(docker-init|tini|stdio-runner)$/.test(name)),
    [],
  );
  const [{ Config, HostConfig, NetworkSettings }] = inspect(container);
  assert.deepEqual([Config.User, Config.WorkingDir, HostConfig.CapDrop], ['node', '/server', ['ALL']]);
  // No part of the stack is on its networks, but for Prometheus and what watches the server.
  assert.deepEqual(
    Object.keys(NetworkSettings.Networks)
      .map((name) => name.replace(/^.*_/, ''))
      .sort(),
    ['program', 'watched'],
  );
});

test('its cold start is measured there', async () => {
  const run = await clone.run('cold-start', {
    PROFILE: 'smoke',
    TARGET_IMAGE: IMAGE,
    AT_ONCE: '1 2',
    STARTS: '2',
  });
  assertJudged(run);
  assert.match(run.output, /tools-list/);
});

test('a plan starts it and leaves nothing', async () => {
  const run = await clone.make('plan', { TARGET_IMAGE: IMAGE });
  assert.equal(run.code, 0, run.output);
  assert.match(run.output, /\bquick\b/);
  assert.deepEqual(clone.containers('label=com.docker.compose.service=program'), []);
});

/** @type {[what: string, variables: Record<string, string>, code: number, says: RegExp][]} */
const REFUSED = [
  [
    'no image',
    { TARGET_IMAGE: 'no-such-image' },
    2,
    /^error: TARGET_IMAGE is "no-such-image", which is not available locally and cannot be pulled/m,
  ],
  ['no name', { TARGET_IMAGE: '$(id)' }, 2, /^error: TARGET_IMAGE is "\$\(id\)"; valid: an image name$/m],
  [
    'a URL as well',
    { TARGET_IMAGE: 'a', TARGET_URL: 'http://127.0.0.1:1/mcp' },
    2,
    /^error: TARGET_URL cannot be combined with TARGET_COMMAND or TARGET_IMAGE/m,
  ],
  [
    'a command that the image does not have',
    { TARGET_IMAGE: IMAGE, TARGET_COMMAND: 'no-such-program' },
    3,
    /no-such-program cannot be used \(the server ended: exit status 127: [\s\S]*not found/,
  ],
];
for (const [what, variables, code, says] of REFUSED)
  test(`${what}: exit code ${code}, and one line`, async () => {
    const run = await clone.run('load', { PROFILE: 'smoke', ...variables });
    assert.equal(run.code, code, run.output);
    assert.match(run.output, says);
  });
