/** One load of a target at a time. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { claimTarget } from '../../../cli/run/claim.ts';

process.env.CLAIMS_DIR = mkdtempSync(join(tmpdir(), 'claims-'));
after(() => rmSync(process.env.CLAIMS_DIR ?? '', { recursive: true }));

const URL_OF_TARGET = 'http://127.0.0.1:3001/mcp';

test('a second load of the same target is refused with the name of the first, of another one it is not', async () => {
  const release = await claimTarget('first', `${URL_OF_TARGET}?key=1`);
  await assert.rejects(claimTarget('second', `${URL_OF_TARGET}?key=2`), {
    code: 2,
    message: `first is already loading ${URL_OF_TARGET}; wait for it to finish, or load another target`,
  });
  const other = await claimTarget('third', 'http://127.0.0.1:3002/mcp');
  const reference = await claimTarget('fourth');
  await assert.rejects(
    claimTarget('fifth'),
    /^Error: fourth is already loading the reference target of the stack in /,
  );
  await Promise.all([release, other, reference].map((end) => end()));
});

test('what is released can be claimed again at once', async () => {
  for (const testid of ['sixth', 'seventh']) {
    const release = await claimTarget(testid, URL_OF_TARGET);
    await release();
  }
});
