/**
 * How does throughput grow with the number of instances? This script is one trial (trials.ts). Each VU makes
 * its next call when it has an answer.
 */
import { defineTest } from '../../lib/test.js';
import reference from '../../workloads/reference.js';

export const { options, setup, iterate } = defineTest({
  name: 'scaling',
  title: '1, 2 and 4 instances behind a load balancer, with the same number of VUs per instance',
  group: 'limits and tuning',
  about:
    'throughput, efficiency and p99 of `INSTANCES="1 2 4"` behind HAProxy; `PRICE_PER_INSTANCE_HOUR` adds cost columns',
  judgedBy: 'failures < 1%',
  servers: 'reference',
  does: 'starts instances of the reference target',
  covers: ['MCP server: Horizontal Scaling', 'erlmcp: Cluster Scaling Recommendations'],
  workload: reference,
  mix: 'mixed',
  phases: [{ name: 'load', vus: 20, duration: '60s' }],
  asWritten: true,
  warmUp: '3s',
  objectives: { each: { failure_rate: 0.01 } },
});
