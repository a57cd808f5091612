/** Every link of the documentation leads somewhere, and README says what the code says. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { profiles } from '../../contract/profiles.js';
import { number } from '../../contract/units.js';
import { planPhases } from '../../lib/phases.js';
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

test('README says what make spike sends', () => {
  const phases = readFileSync('scenarios/spike.js', 'utf8').matchAll(
    /name: '(\w+)', rate: (\d+), duration: '(\w+)'/g,
  );
  const shape = [...phases].map(([, name = '', rate, duration = '']) => ({
    name,
    rate: Number(rate),
    duration,
  }));
  const config = { DURATION: null, RATE_SCALE: 1, MAX_VUS: 1000 };
  const text = readFileSync('README.md', 'utf8');
  const { quick, smoke } = profiles;
  assert.ok(quick && smoke);
  const [before = 0, spike = 0, after = 0] = [[0, 1], [2], [3, 4]].map((indexes) =>
    indexes.reduce((sum, at) => sum + Number(planPhases(shape, quick, config)[at]?.duration_s), 0),
  );
  const sent = number(100 * (before + after) + 2000 * spike);
  assert.ok(
    text.includes(
      `100 requests/s for ${before} s, 2,000/s for ${spike} s, and 100/s for ${after} s: ${sent} requests`,
    ),
  );
  const [, low, high] = planPhases(shape, smoke, config);
  assert.ok(text.includes(`(${low?.offered_rps}/s, ${high?.offered_rps}/s)`));
});
