/** The templates for GitHub and GitLab, next to the defaults of `make ci`. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { pipeline } from '../../../../contract/variables/commands.js';

/** @param {string} name @returns {any} */
const yaml = (name) => parse(readFileSync(`deploy/${name}`, 'utf8'));
const { inputs } = yaml('github-action/action.yml');
const workflow = yaml('github-action/workflow.yml').jobs['load-test'];
const gitlab = yaml('gitlab/load-test.gitlab-ci.yml')['.mcp-load-test'];
const limit = Number(pipeline.LIMIT_MINUTES.default);

test('LIMIT_MINUTES has one default, and each job may take longer than that', () => {
  assert.equal(inputs['limit-minutes'].default, '');
  assert.ok(!('LIMIT_MINUTES' in gitlab.variables));
  assert.ok(workflow['timeout-minutes'] >= limit + 15);
  assert.ok(Number.parseInt(gitlab.timeout, 10) >= limit + 15);
  assert.ok(readFileSync('docs/ci.md', 'utf8').includes(`| \`LIMIT_MINUTES\` | ${limit}. `));
});

test('results go to the folder of the default', () => {
  assert.equal(inputs.results.default, 'results');
  assert.equal(gitlab.variables.RESULTS_DIR, '$CI_PROJECT_DIR/results');
  assert.deepEqual(gitlab.artifacts.paths, ['results/']);
  assert.equal(gitlab.artifacts.reports.junit, 'results/*/junit.xml');
});
