/** What the collector takes of a run's runners, and what of others. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { collector } from '../../deploy/kubernetes/collector.ts';
import { listen } from '../k6/listen.js';

const TOKEN = 'a-token-of-the-run';
const root = mkdtempSync(join(tmpdir(), 'collector-'));
let folder = '';
let url = '';
/** @type {Awaited<ReturnType<typeof listen>>} */
let listening;
const limits = { 'measured.json': 1000, 'seconds.jsonl': 100_000 };
before(async () => {
  folder = join(root, 'data');
  listening = await listen(collector({ runners: ['run-1', 'run-2'], token: TOKEN, folder, limits }));
  url = listening.url;
});
beforeEach(() => rmSync(folder, { recursive: true, force: true }));
after(async () => {
  await listening.close();
  rmSync(root, { recursive: true });
});

/** @param {string} path @param {string} body @param {{token?: string, method?: string}} [how] */
async function put(path, body, { token = TOKEN, method = 'PUT' } = {}) {
  const { status } = await fetch(url + path, { method, body, headers: { Authorization: `Bearer ${token}` } });
  return status;
}
const left = () => {
  try {
    return readdirSync(folder, { recursive: true }).sort();
  } catch {
    return [];
  }
};

test('what a runner measured is taken once, and is there as it was sent', async () => {
  assert.equal(await put('/run-1/seconds.jsonl', 'x'.repeat(100_000)), 201);
  assert.equal(await put('/run-1/measured.json', '{"a":1}'), 201);
  assert.equal(await put('/run-1/measured.json', '{"a":2}'), 409);
  assert.equal(await put('/run-2/measured.json', '{"b":1}'), 201);
  assert.equal(readFileSync(join(folder, 'run-1/measured.json'), 'utf8'), '{"a":1}');
  assert.deepEqual(left(), [
    'run-1',
    'run-1/measured.json',
    'run-1/seconds.jsonl',
    'run-2',
    'run-2/measured.json',
  ]);
});

test('of two at a time one is taken', async () => {
  const all = await Promise.all(
    Array.from({ length: 8 }, (_, index) => put('/run-1/measured.json', `${index}`)),
  );
  assert.deepEqual(all.sort(), [201, 409, 409, 409, 409, 409, 409, 409]);
  assert.deepEqual(left(), ['run-1', 'run-1/measured.json']);
});

test('nobody without the token leaves anything, nor finds out what is there', async () => {
  await put('/run-1/measured.json', '{}');
  const before = left();
  for (const token of ['', 'another', TOKEN.slice(1), 'x'.repeat(10_000)])
    for (const path of ['/run-2/measured.json', '/run-1/measured.json', '/nowhere', '/'])
      assert.equal(await put(path, '{}', { token }), 401, `${token.slice(0, 30)} ${path}`);
  assert.equal((await fetch(`${url}/run-1/measured.json`)).status, 401);
  assert.equal((await fetch(`${url}/ready`)).status, 200);
  assert.deepEqual(left(), before);
});

/** A path that fetch would tidy up. @param {string} path */
const raw = (path) =>
  new Promise((resolve, reject) => {
    const asked = request(
      url,
      { path, method: 'PUT', headers: { Authorization: `Bearer ${TOKEN}` } },
      (response) => resolve(response.resume().statusCode),
    );
    asked.on('error', reject).end('{}');
  });

test('with the token nothing but the files of its runners, of a bounded size', async () => {
  for (const path of [
    ...[
      '/run-3/measured.json',
      '/run-1/other.json',
      '/run-1',
      '/',
      '/run-1/measured.json/x',
      '//measured.json',
    ],
    ...[
      '/../run-1/measured.json',
      '/run-1/../../measured.json',
      '/run-1/%2e%2e/measured.json',
      '/run-1/constructor',
    ],
    ...['/run-1/__proto__', '/run-1/measured.json?x', '/ready'],
  ])
    assert.equal(await raw(path), 404, path);
  assert.equal(await put('/run-1/measured.json', '{}', { method: 'POST' }), 405);
  assert.equal(await put('/run-1/measured.json', 'x'.repeat(1001)), 413);
  assert.deepEqual(left(), []);
});

test('a body without a length is cut off at the limit, and one that breaks off leaves nothing', async () => {
  const chunked = await fetch(`${url}/run-1/measured.json`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${TOKEN}` },
    duplex: 'half',
    body: new ReadableStream({
      pull(controller) {
        controller.enqueue(new TextEncoder().encode('x'.repeat(600)));
      },
    }),
  }).catch(() => ({ status: 413 }));
  assert.equal(chunked.status, 413);
  await new Promise((resolve) => {
    const { port } = new URL(url);
    const socket = connect(Number(port), '127.0.0.1', () => {
      socket.write(
        `PUT /run-1/measured.json HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Length: 500\r\n\r\nhalf`,
      );
      setTimeout(() => socket.destroy(), 50);
    });
    socket.on('close', resolve);
  });
  for (let tries = 0; left().length > 1 && tries < 100; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(left(), ['run-1']);
  assert.equal(await put('/run-1/measured.json', '{"whole":true}'), 201);
});
