/** No code of a parent folder or of the caller's environment replaces the code that is pinned here. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { command } from '../../lab.js';

const folder = mkdtempSync(join(tmpdir(), 'foreign-'));
after(() => rmSync(folder, { recursive: true }));
const evil = join(folder, 'evil.js');
writeFileSync(evil, 'console.log("evil ran")');
const evilShell = join(folder, 'evil.sh');
writeFileSync(evilShell, 'echo evil ran');

test('a go.work of a parent folder is not used by what the scripts build', async () => {
  const module = join(folder, 'project');
  mkdirSync(module);
  writeFileSync(join(folder, 'go.work'), 'go 1.26\n\nuse ./project\n');
  writeFileSync(join(module, 'go.mod'), 'module project\n\ngo 1.26\n');
  const seen = await command('go', ['-C', module, 'env', 'GOWORK'], { GOWORK: '' });
  assert.match(seen.output, /go\.work/);
  const built = await command('bash', ['-c', `. scripts/common.sh; go -C "${module}" env GOWORK`], {
    GOWORK: '',
  });
  assert.equal(built.output, 'off\n');
});

test("Node.js runs nothing of the caller's NODE_OPTIONS and NODE_PATH", async () => {
  const env = { NODE_OPTIONS: `--require ${evil}`, NODE_PATH: folder };
  const { code, output } = await command('scripts/node', ['-p', 'process.env.NODE_PATH ?? "none"'], env);
  assert.deepEqual([code, output], [0, 'none\n']);
});

test("bash runs nothing of the caller's BASH_ENV, by make and by scripts/lab", async () => {
  const env = { BASH_ENV: evilShell, RUN_DIR: join(folder, 'run'), STACK: 'native', MAKELEVEL: '' };
  for (const [file, ...args] of [['make', '-s', 'status'], ['scripts/status']]) {
    const { output } = await command(file ?? '', args, env);
    assert.match(output, /no stack is up/);
    assert.doesNotMatch(output, /evil ran/, file);
  }
});
