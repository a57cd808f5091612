import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readK6Log } from '../../../analysis/collect/k6-log.ts';

const directory = mkdtempSync(join(tmpdir(), 'mcp-load-lab-log-'));
after(() => rmSync(directory, { recursive: true }));

/** @param {string | Buffer} content */
function read(content) {
  const path = join(directory, 'k6.log');
  writeFileSync(path, content);
  return readK6Log(path);
}

test('the first sample of each kind is kept', async () => {
  const { samples } = await read(
    [
      'time="t" level=error msg="failure http_5xx of echo: HTTP 503: busy" source=console',
      'time="t" level=error msg="failure http_5xx of echo: HTTP 503: still busy" source=console',
      'failure tool of get_user: no connection "a: b"',
    ].join('\n'),
  );
  assert.deepEqual(samples, { http_5xx: 'echo: HTTP 503: busy', tool: 'get_user: no connection "a: b"' });
});

test('the last words of a k6 that died are its message, not the place or a failure of the server', async () => {
  const log = await read('Error: boom\n\tat setup (file:///x.js:1:1(1))\n\nfailure tool of echo: late\n');
  assert.equal(log.lastLine, 'Error: boom');
});

test('no log, an empty and a binary one are no error', async () => {
  const nothing = {
    lastLine: null,
    failedPushesS: [],
    exceptions: {},
    uncaught: null,
    samples: {},
  };
  assert.deepEqual(await readK6Log(join(directory, 'none.log')), nothing);
  assert.deepEqual(await readK6Log(directory), nothing);
  assert.deepEqual(await read(''), nothing);
  const binary = Buffer.concat([Buffer.from([0xff, 0, 0xfe, 10]), Buffer.from('Error: boom')]);
  assert.equal((await read(binary)).lastLine, 'Error: boom');
  assert.equal((await read('time="t" level=error msg="broken \\q"\n')).exceptions.x, undefined);
});

test('the times at which k6 could not write to Prometheus', async () => {
  const log = await read(
    [
      'time="2026-11-20T21:14:08Z" level=error msg="Failed to send the time series data to the endpoint" error="HTTP POST request failed" output="Prometheus remote write"',
      'time="2026-11-20T21:14:09Z" level=error msg="failure tool of echo: Failed to send the time series data to the endpoint" source=console',
      'time="2026-11-20T21:14:10Z" level=error msg="Failed to send the time series data to the endpoint" error="got status code: 500" output="Prometheus remote write"',
    ].join('\n'),
  );
  const first = Date.parse('2026-11-20T21:14:08Z') / 1000;
  assert.deepEqual(log.failedPushesS, [first, first + 2]);
});

test('a line that does not say when it was is at no time', async () => {
  const line = 'time="the 5th" level=error msg="Failed to send the time series data to the endpoint"';
  assert.deepEqual((await read(line)).failedPushesS, []);
});

test('the first exception of each operation, and what threw it', async () => {
  const { exceptions, lastLine } = await read(
    [
      'time="t" level=error msg="exception in args() of get_user: Error: no \\"id\\": none" source=console',
      'time="t" level=error msg="exception in args() of get_user: Error: later" source=console',
      'time="t" level=error msg="exception in the start of a VU: TypeError: x" source=console',
    ].join('\n'),
  );
  assert.deepEqual(exceptions, {
    get_user: { function: 'args', message: 'Error: no "id": none' },
    'the start of a VU': { function: null, message: 'TypeError: x' },
  });
  assert.equal(lastLine, null);
});

test('exceptions that k6 itself logs are counted, and nothing that a script or a server says is taken for one', async () => {
  const own =
    'time="t" level=error msg="Error: \\"a\\"\\n\\tat x (t.js:1:1)\\n" executor=constant-vus hint="script exception" scenario=a source=stacktrace';
  const said = 'time="t" level=error msg="failure tool of x: y\\" executor=a scenario=b" source=console';
  // As k6 1 wrote it.
  const old = own.replace('hint="script exception" ', '');
  const { uncaught } = await read([own, said, old].join('\n'));
  assert.deepEqual(uncaught, { count: 2, first: 'Error: "a"' });
});

test('what a server says is no message of k6', async () => {
  const line = 'time="t" level=error msg="failure tool of x: level=error msg=Failed" source=console';
  assert.deepEqual((await read(line)).samples, { tool: 'x: level=error msg=Failed' });
});

test('in lines that were left out each write to Prometheus failed, where those around them did', async () => {
  const push = (/** @type {string} */ at) =>
    `time="2026-11-20T21:${at}Z" level=error msg="Failed to send the time series data to the endpoint" error="x"`;
  const cut = '\nthe middle of this log was removed\n';
  const log = await read([push('14:08'), push('14:10'), cut, push('14:20'), push('14:30')].join('\n'));
  const first = Date.parse('2026-11-20T21:14:08Z') / 1000;
  assert.deepEqual(
    log.failedPushesS.map((at) => at - first),
    [0, 2, 4, 6, 8, 10, 12, 22],
  );
  assert.deepEqual((await read(`${cut}\n${push('14:20')}`)).failedPushesS.length, 1);
});
