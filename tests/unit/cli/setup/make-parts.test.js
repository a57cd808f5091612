import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { makeParts } from '../../../../cli/setup/make-parts.ts';
import { Job, PartError } from '../../../../cli/setup/part.ts';

const cache = mkdtempSync(join(tmpdir(), 'make-parts-'));
after(() => rmSync(cache, { recursive: true }));

/** @param {import('node:test').TestContext} t @returns {string[]} what is said from now on */
function listen(t) {
  /** @type {string[]} */
  const said = [];
  t.mock.method(process.stderr, 'write', (/** @type {string} */ text) => said.push(text));
  return said;
}

/** @param {string} title @param {import('../../../../cli/setup/part.ts').Lane} lane @param {(job: Job) => Promise<unknown>} make */
const part = (title, lane, make) => ({ title, lane, seconds: 5, make });

test('lanes go on at once, parts of one lane after each other', async (t) => {
  listen(t);
  /** @type {string[]} */
  const steps = [];
  const installed = Promise.withResolvers();
  await makeParts(
    [
      part('first', 'build', async () => {
        steps.push('first begins');
        await installed.promise;
        steps.push('first ends');
      }),
      part('second', 'build', async () => steps.push('second')),
      part('package', 'packages', async () => {
        steps.push('package');
        installed.resolve(null);
      }),
    ],
    new Job(cache),
  );
  assert.deepEqual(steps, ['first begins', 'package', 'first ends', 'second']);
});

test('what fails is said at once, and retried when the rest is there', async (t) => {
  const said = listen(t);
  let tries = 0;
  const job = new Job(cache);
  const flaky = part('flaky', 'packages', () => {
    tries += 1;
    return job.run('flaky', ['sh', '-c', tries === 1 ? 'echo no network; exit 1' : 'true']);
  });
  await makeParts([flaky, part('other', 'build', async () => {})], job);
  assert.equal(tries, 2);
  const log = join(cache, 'flaky.log');
  assert.ok(said.includes(`flaky: failed (log: ${log}); it will be retried at the end\n`), said.join(''));
  assert.ok(said.includes('no network\nset-up, retry: flaky\n'), said.join(''));
  assert.match(said.at(-1) ?? '', /^set-up, once: done in \d+ s\n$/);
});

test('what fails twice ends it, with the end of what its program said', async (t) => {
  listen(t);
  const job = new Job(cache);
  const broken = part('broken', 'build', () =>
    job.fill(join(cache, 'tool'), async (unfinished) => {
      writeFileSync(join(unfinished, 'half'), '');
      await job.run('broken', ['sh', '-c', 'seq 100; exit 3']);
    }),
  );
  await assert.rejects(makeParts([broken], job), (error) => {
    assert.ok(error instanceof PartError);
    assert.match(error.message, /^broken: failed \(log: .*broken\.log\)$/);
    assert.match(error.said, /^1\n2\n[\s\S]*\n99\n100$/);
    assert.equal(error.said.split('\n').length, 24);
    return true;
  });
  assert.deepEqual(
    readdirSync(cache).filter((name) => name.startsWith('tool')),
    [],
  );
});

test('a folder that another set-up made meanwhile stays', async () => {
  const folder = join(cache, 'both');
  await new Job(cache).fill(folder, async () => {
    await new Job(cache).fill(folder, async (unfinished) => writeFileSync(join(unfinished, 'winner'), ''));
  });
  assert.ok(existsSync(join(folder, 'winner')));
  assert.deepEqual(
    readdirSync(cache).filter((name) => name.startsWith('both')),
    ['both'],
  );
});
