/** Prometheus and node_exporter of the host, by what programs and apt on the PATH say. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { command } from '../../lab.js';

const folder = mkdtempSync(join(tmpdir(), 'packaged-'));
after(() => rmSync(folder, { recursive: true }));

/**
 * @param {string} script of scripts/common.sh's functions
 * @param {Record<string, string>} programs on the PATH, before all others: what each prints
 * @param {Record<string, string>} [env]
 */
async function say(script, programs, env = {}) {
  const bin = mkdtempSync(join(folder, 'bin-'));
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\ncat <<'TEXT'\n${text}\nTEXT\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const cache = join(folder, 'cache');
  mkdirSync(cache, { recursive: true });
  const path = `${bin}:${process.env.PATH}`;
  const { output } = await command('bash', ['-c', `. scripts/common.sh; ${script}`], {
    PATH: path,
    MCP_LOAD_LAB_CACHE: cache,
    ...env,
  });
  return output.trim().replaceAll(`${bin}/`, 'BIN/').replaceAll(`${cache}/`, 'CACHE/');
}

const PROMETHEUS = 'installed_tool prometheus';
const version = (/** @type {string} */ number) => `prometheus, version ${number} (branch: HEAD, revision: 0)`;

test('a program on the PATH is used if it is that tool, and new enough', async () => {
  for (const [prometheus = '', expected] of [
    [version('2.42.0+ds'), 'BIN/prometheus'],
    [version('3.15.0'), 'BIN/prometheus'],
    [version('2.9.2'), ''],
    [version('2.31.2'), ''],
    ['a game, version 9.0', ''],
  ])
    assert.match(
      await say(`${PROMETHEUS} || true`, { prometheus }),
      new RegExp(`^(${expected}|/usr/bin/prometheus)$`),
      prometheus,
    );
  const pinned = await say(
    `${PROMETHEUS} || echo none`,
    { prometheus: version('3.15.0') },
    { TOOLS_FROM_SOURCE: '1' },
  );
  assert.equal(pinned, 'none');
});

test('a package is used if apt has one that is new enough', async () => {
  const candidate = (/** @type {string} */ text) => ({
    'apt-cache': `prometheus:\n  Installed: (none)\n  Candidate: ${text}\n`,
  });
  assert.equal(await say('package_of prometheus', candidate('2.42.0+ds-5+b5')), 'prometheus');
  assert.equal(await say('package_of prometheus', candidate('2.31.2+ds1-1ubuntu1')), '');
  assert.equal(await say('package_of prometheus', candidate('(none)')), '');
  assert.equal(await say('package_of node_exporter', candidate('1.5.0-1+b6')), 'prometheus-node-exporter');
  assert.equal(await say('package_of prometheus', candidate('2.53.0'), { TOOLS_FROM_SOURCE: '1' }), '');
});

test('one that was built is used on, whatever else is there', async () => {
  const build =
    'dir=$(tool_dir prometheus); mkdir -p "$dir"; printf "#!/bin/sh\\n" >"$dir/prometheus"; chmod +x "$dir/prometheus"';
  const path = await say(`${build}; tool_path prometheus`, { prometheus: version('3.15.0') });
  assert.match(path, /^CACHE\/prometheus-[0-9a-f]{12}\/prometheus$/);
});
