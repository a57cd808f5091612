/** A release from its making to its use: k6 of a clean clone, served on loopback, in place of a build. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { command } from '../lab.js';
import { setUp } from '../tool.js';

setUp('k6');
const folder = mkdtempSync(join(tmpdir(), 'release-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const clone = join(folder, 'clone');
execFileSync('git', ['clone', '--quiet', process.cwd(), clone]);
const make = (env = {}) => command('make', ['--no-print-directory', '-C', clone, 'release'], env);

const server = createServer(({ url = '' }, response) => {
  response.end(readFileSync(join(clone, 'dist', url)));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
after(() => server.close());
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());

/** Set-up in a cache of its own. @param {string} name @param {string} path the PATH */
async function setUpIn(name, path) {
  const cache = join(folder, name);
  const { code, output } = await command(join(clone, 'scripts/setup'), ['k6'], {
    MCP_LOAD_LAB_CACHE: cache,
    RELEASE_URL: `http://127.0.0.1:${port}`,
    PATH: path,
  });
  const [k6 = ''] = readdirSync(cache).filter((one) => /^k6-[0-9a-f]{12}$/.test(one));
  return {
    code,
    output,
    version: k6 && execFileSync(join(cache, k6, 'k6'), ['version'], { encoding: 'utf8' }),
  };
}

/** Of every program on the PATH but go. */
function withoutGo() {
  const bin = join(folder, 'bin');
  execFileSync('mkdir', [bin]);
  for (const path of (process.env.PATH ?? '').split(':').toReversed()) {
    for (const name of existsSync(path) ? readdirSync(path) : []) {
      if (name === 'go') continue;
      rmSync(join(bin, name), { force: true });
      symlinkSync(join(path, name), join(bin, name));
    }
  }
  return bin;
}

test('it is made of a clean clone alone, for platforms that there are', async () => {
  const unknown = await make({ PLATFORMS: 'plan9-x64' });
  assert.notEqual(unknown.code, 0);
  assert.match(unknown.output, /^error: PLATFORMS has "plan9-x64"; valid: linux-x64, /m);
  appendFileSync(join(clone, 'README.md'), '\n');
  const dirty = await make();
  assert.notEqual(dirty.code, 0);
  assert.match(dirty.output, /^error: this is no clean clone/m);
  execFileSync('git', ['-C', clone, 'checkout', '--quiet', 'README.md']);
});

test('it is used without Go, and a program with another checksum is refused, and built', async () => {
  const made = await make();
  assert.equal(made.code, 0, made.output);
  const [program = '', ...none] = readdirSync(join(clone, 'dist'));
  assert.deepEqual(none, []);
  const taken = await setUpIn('taken', withoutGo());
  assert.equal(taken.code, 0, taken.output);
  assert.match(taken.version, /k6\/x\/mcp/);

  const bytes = readFileSync(join(clone, 'dist', program));
  bytes[1000] = (bytes[1000] ?? 0) ^ 1;
  writeFileSync(join(clone, 'dist', program), bytes);
  const built = await setUpIn('built', process.env.PATH ?? '');
  assert.equal(built.code, 0, built.output);
  assert.match(
    built.output,
    /^k6-\S+ cannot be used from RELEASE_URL: its checksum is \S+, expected \S+; building it instead$/m,
  );
  assert.match(built.version, /k6\/x\/mcp/);
});
