import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { headline } from '../../analysis/judge/headline.ts';
import { renderTerminal } from '../../analysis/render/terminal.ts';

/** @param {string} path */
const read = (path) => readFileSync(new URL(`../../docs/${path}`, import.meta.url), 'utf8');

test('the end of a run in the documentation is what that run prints', () => {
  const run = JSON.parse(read('reports/pool-limited-spike/run.json'));
  const directory = `results/${run.testid}`;
  const options = { directory, colours: false, grafana: true };
  const printed = renderTerminal({ ...run, headline: headline(run) }, options);
  assert.equal(/```text\n(.*?)```/s.exec(read('reading-the-verdict.md'))?.[1], printed);
});
