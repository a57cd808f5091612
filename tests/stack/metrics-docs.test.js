/** docs/metrics.md against what runs really pushed: their series and labels. A run of its own, as short as can be. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientMetrics } from '../../scripts/metric-reference.js';
import { askPrometheus, assertMeasured, runTest } from '../lab.js';

/** What docs/metrics.md says that all have. */
const COMMON = ['__name__', 'testid', 'test', 'profile', 'scenario'];
const known = new Map(clientMetrics().map((metric) => [metric.series, metric]));

test('every series of a run is in the table, with its labels', async () => {
  // With labels of its phases, sessions, and what only a run without samples has.
  const run = await runTest('batch', {
    ...{ PROFILE: 'smoke', OBJECTIVES: 'off', DURATION: '9s' },
    ...{ MCP_ERA: 'legacy', SAMPLES: 'stream' },
  });
  assertMeasured(run);
  /** @type {Record<string, string>[]} labels of each that the run pushed */
  const series = await askPrometheus('series', {
    'match[]': `{__name__=~"k6_mcp_.+",testid="${run.document.testid}"}`,
  });
  assert.ok(new Set(series.map(({ __name__ }) => __name__)).size >= 8);
  const ofPhases = run.document.phases.flatMap((/** @type {any} */ { labels }) => Object.keys(labels));
  assert.ok(ofPhases.length > 0);
  for (const { __name__ = '', ...labels } of series) {
    const metric = known.get(__name__);
    assert.ok(metric, `docs/metrics.md has no ${__name__}`);
    const tags = metric.tags.map((tag) => tag.replace(/ .*/, ''));
    for (const label of Object.keys(labels))
      assert.ok([...COMMON, ...tags, ...ofPhases].includes(label), `${__name__} has the label ${label}`);
  }
});
