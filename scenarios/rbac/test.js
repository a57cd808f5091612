/** What does authorization cost, and is it reliable under load? Half of the guarded calls must be denied. */
import { defineTest } from '../../lib/test.js';
import rbac from '../../workloads/rbac.js';

export const { options, setup, iterate } = defineTest({
  name: 'rbac',
  title: '100 requests/s over REST from users with roles, and calls that must be denied',
  group: 'protocol and access',
  about: '100 requests/s over REST from users with roles, then calls that must be denied',
  judgedBy: '>= 100/s, p95 < 100 ms, failures < 1%; a single wrongly allowed call fails the run',
  servers: 'operations',
  covers: ['RBAC: Test Scenarios', 'RBAC: CSV Output Format'],
  workload: rbac,
  mix: 'guarded',
  phases: [
    { name: 'benchmark', rate: 100, duration: '60s', mix: 'scenarios' },
    { name: 'denials', rate: 100, duration: '30s' },
  ],
  objectives: { each: { p95_ms: 100, failure_rate: 0.01 } },
});
