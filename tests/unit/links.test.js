/** Every link of the documentation leads somewhere. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { pages, readPage } from '../markdown.js';

const read = new Map(pages().map((file) => [file, readPage(file)]));

for (const [file, { links, anchors }] of read) {
  test(`${file}: its links lead to files and headings that there are`, () => {
    for (const link of links.filter((href) => !/^[a-z]+:/.test(href))) {
      const [path = '', anchor = ''] = decodeURIComponent(link).split('#');
      const target = path === '' ? file : join(dirname(file), path);
      assert.ok(existsSync(target), `${link}: there is no ${target}`);
      if (anchor === '') continue;
      const there = target === file ? anchors : read.get(target)?.anchors;
      assert.ok(there?.has(anchor), `${link}: ${target} has no heading ${anchor}`);
    }
  });
}

test('every page is in the index, docs/README.md', () => {
  const index = read.get('docs/README.md')?.links.map((link) => join('docs', link.split('#')[0] ?? '')) ?? [];
  for (const file of read.keys()) {
    if (file === 'docs/README.md') continue;
    assert.ok(index.includes(file), `docs/README.md does not lead to ${file}`);
  }
});

test('README shows scenarios/spike.js as it is', () => {
  const shown = read.get('README.md')?.blocks.filter(({ language }) => language === 'js');
  assert.deepEqual(
    shown?.map(({ text }) => `${text}\n`),
    [readFileSync('scenarios/spike.js', 'utf8')],
  );
});
