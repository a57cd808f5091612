import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { inScope, total } from '../../../analysis/collect/groups.ts';
import { validatePlan } from '../../../analysis/collect/plan.ts';
import { readSummary } from '../../../analysis/collect/summary.ts';
import { measuredDocument } from './build.js';

const directory = mkdtempSync(join(tmpdir(), 'mcp-load-lab-summary-'));
after(() => rmSync(directory, { recursive: true }));

/** @param {unknown} content */
function read(content) {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  writeFileSync(join(directory, 'measured.json'), text);
  return readSummary(directory);
}

const good = () => measuredDocument({ phases: [{ name: 'baseline', figures: {} }] });

test('what was measured is read', () => {
  const { summary, problem } = read(good());
  assert.equal(problem, null);
  assert.equal(summary?.plan.test, 'spike');
  assert.equal(summary?.ranS, 20);
  assert.equal(total(inScope(summary?.groups ?? [], { phase: 'baseline' }), 'requests'), 200);
});

test('what is missing or broken is one plain line', () => {
  rmSync(join(directory, 'measured.json'), { force: true });
  assert.equal(readSummary(directory).problem, 'k6 left no measured.json');
  const negative = good();
  negative.groups[0].requests = -1;
  for (const content of ['', '{"schema":', '\u001b[2J', [], { ...good(), schema: 'other' }, negative])
    assert.equal(read(content).problem, 'measured.json is not a mcp-load-lab/measured/2 document');
  const wrong = good();
  wrong.plan.phases[0].duration_s = '20';
  assert.match(read(wrong).problem ?? '', /no valid test plan: \/phases\/0\/duration_s must be number$/);
  const hostile = good();
  hostile.plan.phases[0] = 5;
  hostile.plan['a\r\n\u001b[31m'] = 5;
  assert.match(read(hostile).problem ?? '', /must be object$/);
  assert.doesNotMatch(read(hostile).problem ?? '', /\p{Cc}/u);
});

test('what a script adds to its plan is no error', () => {
  const more = good();
  more.plan.news = { a: 1 };
  more.plan.phases[0].colour = 'red';
  assert.equal(read(more).problem, null);
});

test('a plan is told from what is none', () => {
  const { plan } = good();
  assert.equal(validatePlan(plan), null);
  assert.match(validatePlan({ ...plan, phases: 5 }) ?? '', /^\/phases must be array$/);
  assert.match(validatePlan(null) ?? '', /must be object$/);
});
