/** What k6 says of its end is read, whatever the environment says about its log, and however much a server made it say before. */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { inspect } from '../../../cli/run/inspect.ts';
import { command } from '../../lab.js';
import { setUp } from '../../tool.js';

setUp('k6');

const folder = mkdtempSync(join(tmpdir(), 'k6-'));
after(() => rmSync(folder, { recursive: true }));

test('K6_LOG_OUTPUT and K6_LOG_FORMAT of the environment', async () => {
  Object.assign(process.env, { K6_LOG_OUTPUT: 'none', K6_LOG_FORMAT: 'json' });
  await assert.rejects(
    inspect('spike', { PROFILE: 'x' }),
    /^Error: PROFILE is "x"; valid: smoke, quick, full/,
  );
});

test('a server that makes it say more than is kept', async () => {
  const talks = join(folder, 'k6-2');
  writeFileSync(
    talks,
    '#!/bin/sh\nhead -c 500000 /dev/zero | tr "\\0" x | fold -w 500 >&2\necho "\ntest aborted: exit 3: nobody answers" >&2\nexit 108\n',
  );
  chmodSync(talks, 0o755);
  const script = `import { discover } from './cli/discovery/discover.ts'; console.log(JSON.stringify(await discover('${folder}/none.json', true)))`;
  const { output } = await command('node', ['--input-type=module', '-e', script], { K6_FOUND: talks });
  assert.match(output, /"code":3,"reason":"nobody answers"/);
});

test('options of k6 in the environment change no run', async () => {
  const shows = join(folder, 'k6-3');
  writeFileSync(shows, '#!/bin/sh\nenv\n');
  chmodSync(shows, 0o755);
  const script = `import { runK6 } from './cli/k6.ts'; console.log((await runK6(['run'], { env: { K6_CONFIG: 'own' } })).stdout)`;
  const { output } = await command('node', ['--input-type=module', '-e', script], {
    ...{ K6_FOUND: shows, K6_INSECURE_SKIP_TLS_VERIFY: 'true', K6_HTTP_DEBUG: 'full', K6_CONFIG: 'foreign' },
  });
  const options = [...output.matchAll(/^K6_\w+=.*$/gm)].map(([option]) => option);
  // Of scripts/common.sh.
  const ofProject = /^K6_(AUTO_EXTENSION_RESOLUTION|NO_USAGE_REPORT)=/;
  assert.deepEqual(
    options.filter((option) => !ofProject.test(option)),
    ['K6_CONFIG=own'],
  );
});

test("K6_LISTEN_HOST is for someone else's stack alone", async () => {
  const script = `import { loadStack } from './cli/stack.ts'; loadStack(); console.log('host', process.env.K6_LISTEN_HOST)`;
  for (const [kind, expected] of /** @type {const} */ ([
    ['native', 'undefined'],
    ['external', '0.0.0.0'],
  ])) {
    writeFileSync(join(folder, 'stack.env'), `STACK=${kind}\n`);
    const { output } = await command('node', ['--input-type=module', '-e', script], {
      ...{ RUN_DIR: folder, K6_LISTEN_HOST: '0.0.0.0' },
    });
    assert.equal(output, `host ${expected}\n`);
  }
});
