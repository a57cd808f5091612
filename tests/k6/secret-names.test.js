/** A server that calls things by the token that it was sent. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runTest } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { scratchFolder } from '../scratch.js';
import { setUp } from '../tool.js';
import { startOffering } from './offering-server.js';

await ownStack({ up: 'later' });
setUp('k6');

test('a server that names itself, its tools and its errors after the token: nothing of it is shown or kept', async () => {
  // Longer than a name may be: cut before it is redacted, most of it would be shown.
  const token = `token-${'4711-'.repeat(20)}`;
  const secrets = join(scratchFolder(), 'secrets');
  // The environment does not have it: what k6 leaves has to be clean already.
  writeFileSync(secrets, `TARGET_TOKEN=${token}\n`, { mode: 0o600 });
  const inputSchema = { type: 'object', properties: {} };
  const annotations = { readOnlyHint: true };
  const server = await startOffering(
    {
      name: `server of ${token}`,
      tools: [
        ...['good', 'bad', token, encodeURIComponent(`see/${token}`)].map((name) => ({
          name,
          inputSchema,
          annotations,
        })),
        { name: `write ${token}`, inputSchema },
        {
          name: 'default',
          annotations,
          inputSchema: { type: 'object', properties: { a: { default: token } } },
        },
      ],
      resources: [{ uri: `a:${token}`, name: 'a' }],
      prompts: [{ name: token }],
    },
    (name) => ({ content: [{ type: 'text', text: `${name} ${token}` }], isError: name === 'bad' }),
  );
  try {
    const { output, folder, exitCode } = await runTest('sustained', {
      ...{ TARGET_URL: server.url, SECRET_SOURCE: `file=${secrets}` },
      ...{ PROFILE: 'smoke', DURATION: '2s', MAX_VUS: '5', THRESHOLDS: 'off' },
    });
    assert.ok(folder !== '', `${exitCode} ${output}`);
    assert.match(output, /3 tools.*a name contains a secret of this run/);
    assert.ok(
      server.requests.some(({ method, params }) => method === 'tools/call' && params.name === 'good'),
    );
    const texts = Object.fromEntries(
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name), 'utf8')]),
    );
    for (const [name, text] of Object.entries({ ...texts, terminal: output })) {
      assert.ok(
        !text.includes('4711'),
        `${name}: ${text
          .split('\n')
          .find((line) => line.includes('4711'))
          ?.slice(0, 500)}`,
      );
    }
  } finally {
    await server.close();
  }
});
