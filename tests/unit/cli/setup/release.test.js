/** Programs of a release on loopback: taken by their checksum alone. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sha256, THIS_PLATFORM, takeRelease } from '../../../../cli/setup/release.ts';

const PROGRAM = Buffer.from('#!/bin/sh\necho the program\n');
const files = [
  { name: 'k6', version: 'abc', platform: THIS_PLATFORM, sha256: sha256(PROGRAM) },
  { name: 'k6', version: 'bad', platform: THIS_PLATFORM, sha256: sha256(Buffer.from('another')) },
  { name: 'k6', version: 'gone', platform: THIS_PLATFORM, sha256: sha256(PROGRAM) },
];

/** @type {string[]} */
const asked = [];
const server = createServer(({ url = '' }, response) => {
  asked.push(url);
  if (url.includes('gone')) response.writeHead(404).end();
  else response.end(PROGRAM);
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const folder = mkdtempSync(join(tmpdir(), 'release-'));
after(() => {
  server.close();
  rmSync(folder, { recursive: true });
});
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
const url = `http://127.0.0.1:${port}/v1/`;
const path = join(folder, 'k6');

test('the program of this version and platform is taken, and can be run', async () => {
  assert.deepEqual(await takeRelease('k6', '/cache/k6-abc', path, { url, files }), { isTaken: true });
  assert.deepEqual(asked, [`/v1/k6-abc-${THIS_PLATFORM}`]);
  assert.deepEqual(readFileSync(path), PROGRAM);
  assert.equal(statSync(path).mode & 0o777, 0o755);
  rmSync(path);
});

test('one with another checksum, or that is not there, is refused, with the reason', async () => {
  const bad = await takeRelease('k6', '/cache/k6-bad', path, { url, files });
  assert.match(
    bad.reason ?? '',
    /^k6-bad-\S+ cannot be used from RELEASE_URL: its checksum is [0-9a-f]{64}, expected [0-9a-f]{64}$/,
  );
  const gone = await takeRelease('k6', '/cache/k6-gone', path, { url, files });
  assert.match(gone.reason ?? '', /: answered 404$/);
  const nobody = await takeRelease('k6', '/cache/k6-abc', path, { url: 'http://127.0.0.1:1', files });
  assert.match(nobody.reason ?? '', /: (ECONNREFUSED|bad port)$/);
  assert.equal(existsSync(path), false);
});

test('a version, platform or tool that the release has not, and no RELEASE_URL: nothing is asked', async () => {
  const before = asked.length;
  const other = files.map((one) => ({ ...one, platform: 'plan9-x64' }));
  /** @type {[tool: string, folder: string, release: Parameters<typeof takeRelease>[3]][]} */
  const cases = [
    ['k6', '/cache/k6-later', { url, files }],
    ['act', '/cache/act-abc', { url, files }],
    ['k6', '/cache/k6-abc', { url, files: other }],
    ['k6', '/cache/k6-abc', { url: '', files }],
  ];
  for (const [tool, of, release] of cases)
    assert.equal((await takeRelease(tool, of, path, release)).isTaken, false);
  assert.equal(asked.length, before);
});
