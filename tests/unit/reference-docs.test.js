/** What documentation and `make` say of the code, where the code can say it itself. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SERVERS } from '../../contract/servers.js';
import { testNames } from '../../contract/tests.js';
import { FILES, PAGES, renew } from '../../scripts/reference.ts';
import { command } from '../lab.js';

for (const page of Object.keys(PAGES)) {
  test(`${page} is what the code says; \`make docs\` writes it`, async () => {
    const { text, renewed } = await renew(page);
    assert.ok(text === renewed, `${page} is not of this version: make docs`);
  });
}

for (const [name, text] of Object.entries(FILES)) {
  test(`${name} is what the code says; \`make docs\` writes it`, async () => {
    assert.ok(readFileSync(name, 'utf8') === (await text()), `${name} is not of this version: make docs`);
  });
}

test('make help is one screen, and names each test', () => {
  const lines = readFileSync('scripts/help.txt', 'utf8').trimEnd().split('\n');
  assert.ok(lines.length <= 40 && lines.every((line) => line.length <= 110));
  const words = new Set(lines.join(' ').split(/\s+/));
  for (const name of testNames()) assert.ok(words.has(name), name);
});

test('make list says of a test that only counts calls how many, not how long they may take', () => {
  const line = /^load .*$/m.exec(readFileSync('scripts/list.txt', 'utf8'))?.[0] ?? '';
  assert.deepEqual(line.match(/\S+ calls(?= )|\d+ min/g), Array(4).fill('5,000 calls'), line);
});

test('docs/tests.md says of each test what make list says: which servers it can load', () => {
  const [head = '', ...lines] = readFileSync('scripts/list.txt', 'utf8').split('\n\n')[0]?.split('\n') ?? [];
  const [from, to] = [head.indexOf('servers'), head.indexOf('what it measures')];
  const listed = lines.map((line) => [line.split(' ')[0], line.slice(from, to).trim()]);
  const page = readFileSync('docs/tests.md', 'utf8');
  const documented = [...page.matchAll(/^\| `make ([\w-]+)` \| ([^|]+) \|/gm)].map(([, name, cell]) => [
    name,
    cell,
  ]);
  assert.deepEqual(documented.sort(), listed.sort());
  for (const { label, about } of Object.values(SERVERS)) assert.ok(page.includes(`| ${label} | ${about} |`));
});

test('make, make help, help-all and list need nothing but a shell', async (t) => {
  const bin = mkdtempSync(join(tmpdir(), 'bin-'));
  t.after(() => rmSync(bin, { recursive: true }));
  for (const name of ['sh', 'make', 'cat'])
    symlinkSync(
      execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim(),
      join(bin, name),
    );
  for (const [target, says] of /** @type {const} */ ([
    ['', /^ {2}make spike +100 requests/m],
    ['help', /^ {2}make spike +100 requests/m],
    ['help-all', /^ {2}TARGET_URL /m],
    ['list', /^spike +33 s +2 min 10 s +12 min 30 s +any +100 requests/m],
  ])) {
    const { code, output } = await command('/usr/bin/env', [
      '-i',
      `PATH=${bin}`,
      'make',
      ...(target ? [target] : []),
    ]);
    assert.equal(code, 0, output);
    assert.match(output, says);
  }
});
