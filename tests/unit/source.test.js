/** What holds for the whole tree. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { projectFiles } from '../project-files.js';

/** @param {string} command @param {string[]} args */
function succeeds(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  assert.equal(status, 0, `${stdout}${stderr}`.slice(-4000));
}

const files = projectFiles();

test('shell scripts parse', () => {
  const scripts = files.filter(
    (name) => /^(scripts\/|\.ci\/)/.test(name) && !/\.(js|ts|txt|awk)$/.test(name),
  );
  assert.ok(scripts.length > 5);
  for (const script of scripts) succeeds('bash', ['-n', script]);
});

test('files of the project that shell scripts name are there', () => {
  const scripts = files.filter((name) => /^(scripts|\.ci)\/[^.]+(\.sh)?$/.test(name));
  const named = scripts.flatMap((script) =>
    [...readFileSync(script, 'utf8').matchAll(/\$ROOT\/([\w./-]+\.[jt]s)\b/g)].map(([, path = '']) => path),
  );
  assert.ok(named.length > 0);
  assert.deepEqual(
    named.filter((path) => !files.includes(path)),
    [],
  );
});

/** Is it a test's k6 script? */
const isScript = (/** @type {string} */ file) => /^scenarios\/[\w-]+(\/test)?\.js$/.test(file);

test('lib/ runs inside k6: it imports k6, itself and nothing else', () => {
  for (const name of files.filter((file) => /^(lib|workloads)\/.*\.js$/.test(file) || isScript(file))) {
    for (const [, from = ''] of readFileSync(name, 'utf8').matchAll(
      /^(?:import|export) .*from '([^']+)';/gm,
    )) {
      assert.match(from, /^(k6(\/\w+)*|\.{1,2}\/[\w./-]+\.js)$/, `${name} imports ${from}`);
    }
  }
});

/** Rooms by floor: what is here imports its own room, and lower floors. The lowest comes first. */
const FLOORS = [
  ['contract', 'xk6-mcp'],
  ['lib', 'page', 'dashboards', 'target'],
  ['workloads'],
  ['k6 scripts'],
  ['analysis'],
  ['cli'],
  ['scenarios'],
  ['scripts'],
  ['bench', 'deploy'],
];
const floorOf = (/** @type {string} */ room) => FLOORS.findIndex((rooms) => rooms.includes(room));
/** What a test has next to its k6 script is above the rooms that load it by its name. */
const roomOf = (/** @type {string} */ path) =>
  isScript(path) ? 'k6 scripts' : (path.split('/', 1)[0] ?? '');

test('imports go down: a file knows its own room and those on lower floors', () => {
  const known = files.filter((file) => /\.[jt]s$/.test(file) && floorOf(roomOf(file)) >= 0);
  assert.ok(known.length > 400);
  const upward = known.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(?:from |import\()'(\.[^']+)'/g)].flatMap(([, from = '']) => {
      const other = roomOf(join(dirname(file), from));
      const down = other === roomOf(file) || floorOf(other) < floorOf(roomOf(file));
      return down ? [] : [`${file} imports ${from}`];
    }),
  );
  assert.deepEqual(upward, []);
});

test('no file imports itself by way of others', () => {
  const imports = new Map(
    files.filter((file) => /\.[jt]s$/.test(file)).map((file) => [file, importsOf(file)]),
  );
  /** @type {Map<string, 'open' | 'done'>} */
  const seen = new Map();
  const visit = (/** @type {string} */ file, /** @type {string[]} */ way) => {
    assert.notEqual(seen.get(file), 'open', `${[...way, file].join(' -> ')}`);
    if (seen.has(file)) return;
    seen.set(file, 'open');
    for (const next of imports.get(file) ?? []) visit(next, [...way, file]);
    seen.set(file, 'done');
  };
  for (const file of imports.keys()) visit(file, []);
});

/** @param {string} file @returns {string[]} files whose values it imports; types alone are no dependence at run time */
function importsOf(file) {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/^(?:import|export) (?!type )([^;]*?) from '(\.[^']+)';/gm)].flatMap(
    ([, names = '', from = '']) =>
      /^\{(\s*type [\w ]+,?)*\s*\}$/.test(names) ? [] : [join(dirname(file), from)],
  );
}

test('the lock file names no host', () => {
  assert.ok(!readFileSync('package-lock.json', 'utf8').includes('"resolved"'));
});
