import assert from 'node:assert/strict';
import { test } from 'node:test';
import { command } from '../../lab.js';

/** @param {string} script of a program @param {string} reader a shell's, of what it says */
const piped = (script, reader) =>
  command('bash', ['-c', `node --input-type=module -e "$0" | ${reader}; exit "\${PIPESTATUS[0]}"`, script]);

test('a slow reader gets all that was said', async () => {
  const script = `import { leave } from './cli/leave.ts'; process.stdout.write('x'.repeat(300_000)); await leave();`;
  assert.deepEqual((await piped(script, '(sleep 0.3; wc -c)')).output.trim(), '300000');
});

test('a reader that is gone ends no program', async () => {
  const script = `import { leave, outliveReaders } from './cli/leave.ts'; outliveReaders();
    await new Promise((later) => setTimeout(later, 200));
    for (let n = 0; n < 9; n += 1) { process.stdout.write('said\\n'); await new Promise(setImmediate); }
    process.exitCode = 99; await leave();`;
  const { code, output } = await piped(script, 'true');
  assert.equal(code, 99, output);
});
