/** The reports in docs/reports are of real runs, and are what this version makes of their figures. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { validateRun } from '../../analysis/run.js';
import { validateTimeline } from '../../analysis/timeline.js';
import { REPORTS, render } from '../../docs/reports/render.js';

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

test('there are three reports', () => assert.equal(REPORTS.length, 3));

test('the page about them leads to each, and nothing on it is left to be filled in', () => {
  const page = readFileSync(new URL('../../docs/reports/README.md', import.meta.url), 'utf8');
  for (const folder of REPORTS) assert.ok(page.includes(`](${basename(folder)}/`), folder);
  assert.doesNotMatch(page, /@@|TODO/);
});

for (const folder of REPORTS) {
  const name = basename(folder);
  const read = (/** @type {string} */ file) => readFileSync(join(folder, file), 'utf8');

  test(`${name}: rendered anew it is the same (else: node docs/reports/render.js)`, () => {
    const directory = mkdtempSync(join(tmpdir(), 'docs-reports-'));
    try {
      for (const file of render(folder, directory))
        assert.ok(
          readFileSync(join(directory, file), 'utf8') === read(file),
          `${file} is not of this version`,
        );
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  test(`${name}: is valid, in the README, and names no path of the machine that it was made on`, () => {
    if (existsSync(join(folder, 'run.json'))) {
      assert.equal(validateRun(JSON.parse(read('run.json'))), null);
      assert.equal(validateTimeline(JSON.parse(read('timeline.json'))), null);
    }
    const page = readdirSync(folder).find((file) => file.endsWith('.html'));
    assert.ok(README.includes(`docs/reports/${name}/${page}`), `README.md does not link to ${name}/${page}`);
    for (const file of readdirSync(folder))
      assert.doesNotMatch(read(file), /(?<![\w.:/-])\/(?:home|root|tmp|work|usr|var)\//, file);
  });
}
