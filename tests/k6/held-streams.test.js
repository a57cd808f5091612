/** Nothing of a VU outlives it: neither where k6 goes on without it, nor where the run is interrupted. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { startCommand } from '../lab.js';
import { setUp, toolPath } from '../tool.js';
import { listen } from './listen.js';

setUp('k6');

/** @param {() => boolean} holds @param {string} what */
async function until(holds, what) {
  for (let tries = 0; !holds(); tries += 1) {
    assert.ok(tries < 400, `not within 20 s: ${what}`);
    await setTimeout(50);
  }
}

const ACKNOWLEDGED =
  'data: {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{}}\n\n';

/** Every request waits on its stream. */
async function startWaitingServer() {
  const streams = new Set();
  const { url, close } = await listen(
    createServer((request, response) => {
      request.resume();
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(ACKNOWLEDGED);
      streams.add(response);
      response.on('close', () => streams.delete(response));
    }),
  );
  return { url, close, open: () => streams.size };
}

/**
 * @param {string} held for how long its scenario holds streams
 * @param {(k6: {running: () => boolean, interrupt: () => void, open: () => number}) => Promise<void>} watch
 * @returns {Promise<{code: number | null, output: string}>}
 */
async function run(held, watch) {
  const server = await startWaitingServer();
  const args = ['run', '--quiet', '--address', '', 'tests/k6/held-streams.js'];
  const { child: k6, ended } = startCommand(toolPath('k6'), args, { URL: server.url, HELD: held });
  try {
    const running = () => k6.exitCode === null;
    await watch({ running, interrupt: () => k6.kill('SIGINT'), open: server.open });
    return await ended;
  } finally {
    k6.kill('SIGKILL');
    await server.close();
  }
}

test('streams are closed with their VUs, while k6 goes on', async () => {
  const { code, output } = await run('1s', async ({ running, open }) => {
    await until(() => open() === 10, 'ten streams');
    await until(() => open() === 0, 'no stream');
    assert.ok(running(), 'k6 goes on');
  });
  assert.equal(code, 0, output);
  assert.doesNotMatch(output, /level=error/);
  // What was opened is closed; what the end cut off is in no other metric.
  assert.match(output, /mcp_streams_closed\.*: 5 /);
  assert.match(output, /mcp_streams_opened\.*: 5 /);
  assert.doesNotMatch(output, /mcp_request_failed|mcp_requests/);
});

test('Ctrl-C ends them', async () => {
  const { code, output } = await run('1m', async ({ interrupt, open }) => {
    await until(() => open() === 10, 'ten streams');
    interrupt();
    await until(() => open() === 0, 'no stream');
  });
  assert.equal(code, 105, output);
  assert.doesNotMatch(output, /panic|goroutine/);
});
