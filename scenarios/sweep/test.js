/**
 * How does a setting affect the server? This script is one run (trials.ts). VUs call without a pause, so the
 * server limits the throughput.
 */
import { defineTest } from '../../lib/test.js';
import reference from '../../workloads/reference.js';

export const { options, setup, iterate } = defineTest({
  name: 'sweep',
  title: 'one setting of the reference target, value by value: SETTING=WORKERS VALUES="1 2 4"',
  group: 'limits and tuning',
  about:
    '`SETTING=POOL_SIZE VALUES="5 25"`: repeated runs of the reference target with each value, in random order; recommends a value, or reports that the differences are inconclusive',
  judgedBy: 'failures < 1%',
  servers: 'reference',
  does: 'restarts the reference target with other settings',
  covers: [
    'MCP server: Worker Process Count',
    'MCP server: Database Connection Pool Size',
    'MCP server: Cache Configuration',
    'MCP server: Serialization Format',
    'NPM MCP server: Configuration Recommendations',
  ],
  workload: reference,
  mix: 'mixed',
  asWritten: true,
  warmUp: '3s',
  phases: [{ name: 'load', vus: 50, duration: '15s' }],
  objectives: { each: { failure_rate: 0.01 } },
});
