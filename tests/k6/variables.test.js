/** What variables say of the protocol is how set-up and users speak. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { command } from '../lab.js';
import { toolPath } from '../tool.js';
import { startOffering } from './offering-server.js';

test('TARGET_PROTOCOL names a version, SESSIONS_MODE=per-call gives each call a session of its own', async () => {
  const server = await startOffering({ tools: [{ name: 'look', inputSchema: { type: 'object' } }] });
  const { code, output } = await command(
    toolPath('k6'),
    ['run', '--quiet', '--summary-mode=disabled', '--address', '', 'tests/k6/few-calls.js'],
    {
      ...{ PROFILE: 'smoke', DURATION: '1s', MAX_VUS: '2', THRESHOLDS: 'off' },
      ...{ TARGET_URL: server.url, TOOL: 'look', ARGS: '{}' },
      ...{ TARGET_PROTOCOL: '2025-06-18', SESSIONS_MODE: 'per-call' },
    },
  );
  await server.close();
  assert.equal(code, 0, output);
  const begun = server.requests.filter(({ method }) => method === 'initialize');
  const calls = server.requests.filter(({ method }) => method === 'tools/call');
  assert.deepEqual([...new Set(begun.map(({ params }) => params.protocolVersion))], ['2025-06-18']);
  // Set-up's comes on top.
  assert.equal(begun.length, calls.length + 1);
});
