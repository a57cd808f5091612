/** What `make clean` removes, as people type it: its own entries of a folder that a stack created, and nothing else. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { command, markRunDir } from '../lab.js';

const scratch = mkdtempSync(join(tmpdir(), 'clean-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

let base = scratch;
beforeEach(() => {
  base = mkdtempSync(join(scratch, 'case-'));
});

/** @param {string} target of make @param {string} RUN_DIR @param {Record<string, string>} [env] */
const make = (target, RUN_DIR, env = {}) =>
  command('make', ['--silent', target, `RUN_DIR=${RUN_DIR}`], {
    STACK: 'native',
    TARGET_URL: '',
    MAKEFLAGS: '',
    ...env,
  });

/** @param {string} folder @param {string[]} names @returns {string} the folder, with files of these names */
function filled(folder, names) {
  for (const name of names) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), 'kept\n');
  }
  return folder;
}

/** @param {string} name @param {string[]} names as a stack of the version before left them, without a mark */
function olderStack(name, names) {
  const folder = filled(join(base, name), names);
  writeFileSync(join(folder, 'secrets.env'), `TARGET_TOKEN=x\nSUPERVISOR_PASSWORD=${'0a'.repeat(24)}\n`);
  return folder;
}

test('a folder of somebody else is refused by clean, down, up and a run; all of it stays', async () => {
  const names = ['thesis.txt', 'log/mine.txt', 'prometheus/data/mine.txt'];
  const folder = filled(join(base, 'documents'), names);
  for (const target of ['clean', 'down', 'up', 'spike', 'signals']) {
    const { code, output } = await make(target, folder, { PROFILE: 'smoke' });
    assert.equal(code, 2, output);
    const [line = ''] = output.split('\n').filter((one) => one.startsWith('error: '));
    assert.match(line, /^error: RUN_DIR is .*documents, which has other content than a stack .*; valid: /);
    assert.equal(output.match(/^error: /gm)?.length, 1, output);
  }
  for (const name of names) assert.equal(readFileSync(join(folder, name), 'utf8'), 'kept\n');
  assert.deepEqual(readdirSync(folder).sort(), ['log', 'prometheus', 'thesis.txt']);
});

test('a RUN_DIR that is a link, a file or no stack with a secrets.env of its own is refused', async () => {
  const own = olderStack('own', ['log/target.log']);
  symlinkSync(own, join(base, 'link'));
  writeFileSync(join(base, 'file'), 'kept\n');
  const other = filled(join(base, 'other'), ['secrets.env']);
  const marked = filled(join(base, 'marked'), ['thesis.txt']);
  symlinkSync(join(base, 'file'), join(marked, '.mcp-load-lab-stack'));
  for (const folder of ['link', 'file', 'other', 'marked']) {
    const { code, output } = await make('clean', join(base, folder));
    assert.equal(code, 2, output);
    assert.match(output, /^error: RUN_DIR is .*; valid: /m);
  }
  assert.ok(existsSync(join(own, 'log/target.log')) && existsSync(join(other, 'secrets.env')));
  assert.ok(existsSync(join(marked, 'thesis.txt')) && existsSync(join(base, 'file')));
});

test('no folder, and an empty one: nothing to do', async () => {
  mkdirSync(join(base, 'empty'));
  for (const name of ['none', 'empty']) {
    const { code, output } = await make('clean', join(base, name));
    assert.deepEqual([code, output], [0, '']);
  }
  assert.ok(existsSync(join(base, 'empty')));
});

test('a stack of the version before, which wrote no mark, is removed', async () => {
  const folder = olderStack('older', [
    'log/target.log',
    'prometheus/data/wal',
    'loaded/reference',
    'pids/target',
  ]);
  const { code, output } = await make('clean', folder);
  assert.equal(code, 0, output);
  assert.ok(!existsSync(folder));
});

test('what is not the stack’s stays, is named in one line, and the folder stays the stack’s', async () => {
  const folder = filled(join(base, 'mixed'), ['log/target.log', 'notes.txt', 'run.log', '.hidden/mine']);
  markRunDir(folder);
  const { code, output } = await make('clean', folder);
  assert.equal(code, 0, output);
  assert.match(output, /^.*mixed stays, with what is not the stack's: \.hidden notes\.txt run\.log$/m);
  assert.deepEqual(readdirSync(folder).sort(), ['.hidden', '.mcp-load-lab-stack', 'notes.txt', 'run.log']);
  rmSync(join(folder, '.hidden'), { recursive: true });
  for (const name of ['notes.txt', 'run.log']) rmSync(join(folder, name));
  assert.equal((await make('clean', folder)).code, 0);
  assert.ok(!existsSync(folder));
});

test('links inside lead nowhere: of each the link alone is removed', async () => {
  const precious = filled(join(base, 'precious'), ['data/thesis.txt', 'run-dir', 'targets/k6-mine.json']);
  for (const [name, leadsTo] of /** @type {const} */ ([
    ['postgres', join(precious, 'data')],
    ['prometheus', precious],
    ['log', join(precious, 'data')],
  ])) {
    const folder = olderStack(`with-${name}`, ['pids/target']);
    symlinkSync(leadsTo, join(folder, name));
    const { code, output } = await make('clean', folder);
    assert.equal(code, 0, output);
    assert.ok(!existsSync(folder), readdirSync(base).join());
    assert.deepEqual(readdirSync(precious).sort(), ['data', 'run-dir', 'targets'], name);
    assert.ok(
      existsSync(join(precious, 'data/thesis.txt')) && existsSync(join(precious, 'targets/k6-mine.json')),
    );
  }
});

test('the data that a stack of root keeps elsewhere is removed with it, and none of another stack', {
  skip: process.getuid?.() !== 0,
}, async () => {
  const outside = '/var/lib/mcp-load-lab';
  mkdirSync(outside, { recursive: true });
  /** @param {string} runDir that its note names */
  const dataOf = (runDir) => {
    const name = join(
      outside,
      [...Buffer.from(basename(base))]
        .map((byte) => byte.toString(16))
        .join('')
        .slice(-11),
    );
    const data = filled(`${name}${runDir.endsWith('own') ? 'a' : 'b'}`, ['data/PG_VERSION']);
    writeFileSync(join(data, 'run-dir'), `${runDir}\n`);
    after(() => rmSync(data, { recursive: true, force: true }));
    return join(data, 'data');
  };
  const own = olderStack('own', ['pids/target']);
  const neighbour = olderStack('neighbour', ['pids/target']);
  const [ofOwn, ofNeighbour] = [dataOf(own), dataOf(neighbour)];
  symlinkSync(ofNeighbour, join(neighbour, 'postgres'));
  symlinkSync(ofNeighbour, join(own, 'postgres'));
  const wrong = await make('clean', own);
  assert.equal(wrong.code, 0, wrong.output);
  assert.match(wrong.output, /postgres is a link to .*, which is not this stack's: it stays/);
  assert.ok(existsSync(join(ofNeighbour, 'PG_VERSION')) && lstatSync(join(neighbour, 'postgres')));
  olderStack('own', ['pids/target']);
  symlinkSync(ofOwn, join(own, 'postgres'));
  assert.equal((await make('clean', own)).code, 0);
  assert.deepEqual([existsSync(dirname(ofOwn)), existsSync(join(ofNeighbour, 'PG_VERSION'))], [false, true]);
});

/** @param {string} folder @returns {Promise<import('node:child_process').ChildProcess>} a process that its pid files name */
async function processOf(folder) {
  const child = spawn('sleep', ['600'], { detached: true });
  after(() => child.kill('SIGKILL'));
  const identity = `. scripts/common.sh; identity ${child.pid}`;
  const { output } = await command('bash', ['-c', identity], { RUN_DIR: join(base, 'none') });
  for (const name of ['supervisord', 'target']) writeFileSync(join(folder, 'pids', name), output);
  return child;
}

for (const kind of ['a RUN_DIR of another user', 'a RUN_DIR that is a link']) {
  test(`${kind} is refused by every command, and nothing that it names is ended`, {
    skip: kind.includes('user') && process.getuid?.() !== 0,
  }, async () => {
    const folder = filled(join(base, 'foreign'), ['stack.env', 'pids/target', 'log/target.log']);
    writeFileSync(join(folder, 'stack.env'), '# Written by scripts/up: \nSTACK=native\n');
    markRunDir(folder);
    const child = await processOf(folder);
    let RUN_DIR = folder;
    if (kind.includes('link')) {
      symlinkSync(folder, join(base, 'link'));
      RUN_DIR = join(base, 'link/');
    } else {
      for (const name of ['', 'pids', 'stack.env', '.mcp-load-lab-stack', 'pids/target'])
        chownSync(join(folder, name), 12_345, 12_345);
    }
    for (const words of [
      ...['down', 'status', 'logs', 'clean', 'up', 'signals', 'live', 'fresh-target', 'dashboards'],
      ...['ctl stop target', 'run spike', 'component target', 'setup node', 'compare-ab'],
    ]) {
      const [name = '', ...args] = words.split(' ');
      for (const STACK of ['native', 'docker']) {
        const { code, output } = await command(`scripts/${name}`, args, { RUN_DIR, STACK });
        assert.equal(code, 2, `${words}: ${output}`);
        assert.match(output, /^error: RUN_DIR is .*(belongs to someone else|a link); valid: /m);
      }
    }
    assert.equal(child.signalCode, null);
    assert.ok(existsSync(join(folder, 'log/target.log')));
  });
}

test('nobody else can hold a lock of the stack', { skip: process.getuid?.() !== 0 }, async () => {
  const RUN_DIR = join(base, 'run');
  const MCP_LOAD_LAB_CACHE = join(base, 'cache');
  for (const path of [scratch, base, tmpdir()]) chmodSync(path, 0o755);
  markRunDir(RUN_DIR);
  chmodSync(RUN_DIR, 0o755);
  mkdirSync(MCP_LOAD_LAB_CACHE);
  writeFileSync(join(MCP_LOAD_LAB_CACHE, 'lock'), '');
  const script = '. scripts/common.sh; umask 022; lock; write_stack_env native "" ""';
  const own = await command('bash', ['-c', script], { RUN_DIR, MCP_LOAD_LAB_CACHE });
  assert.equal(own.code, 0, own.output);
  for (const path of [RUN_DIR, join(MCP_LOAD_LAB_CACHE, 'lock')]) {
    const other = ['--reuid', 'nobody', '--clear-groups', '--regid', 'nogroup'];
    const { code, output } = await command('setpriv', [...other, 'flock', '--nonblock', path, 'true']);
    assert.match(output, /Permission denied/, `${path}: ${code}`);
  }
});

test('who waits for a lock says so, and ends with one line', async () => {
  const RUN_DIR = join(base, 'run');
  const MCP_LOAD_LAB_CACHE = join(base, 'cache');
  markRunDir(RUN_DIR);
  mkdirSync(MCP_LOAD_LAB_CACHE);
  for (const [file, call] of /** @type {const} */ ([
    [RUN_DIR, 'lock'],
    [join(MCP_LOAD_LAB_CACHE, 'lock'), 'write_stack_env native "" ""'],
  ])) {
    const holder = spawn('flock', ['--no-fork', file, 'sleep', '30']);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const script = `. scripts/common.sh; echo "$LOCK_TIMEOUT"; LOCK_TIMEOUT=1; ${call}`;
    const ended = await command('bash', ['-c', script], { RUN_DIR, MCP_LOAD_LAB_CACHE, LOCK_TIMEOUT: '900' });
    holder.kill('SIGKILL');
    assert.equal(ended.code, 1, ended.output);
    assert.ok(ended.seconds < 10);
    assert.match(ended.output, /^60\n/);
    assert.match(ended.output, /^error: .* did not end in 1 s/m);
  }
});

test('what the page and the relay of metrics leave in the folder goes with the stack', async () => {
  const folder = filled(join(base, 'own'), ['open.html', 'relay/127.0.0.1:3001.sock']);
  markRunDir(folder);
  const { code, output } = await make('clean', folder);
  assert.equal(code, 0, output);
  assert.ok(!existsSync(folder), output);
});
