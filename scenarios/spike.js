/**
 * What happens when the load rises twentyfold at once, and does the server come back by itself?
 * 100 requests/s for 5 minutes, 2,000 for 2 minutes, 100 again for 5 minutes. The spike itself is reported
 * and not judged; within 145 s of its end everything must be as it was before.
 */
import { defineTest } from '../lib/test.js';
import reference from '../workloads/reference.js';

const calm = { p99_ms: 85, failure_share: 0.001 };

export const { options, setup, iterate, handleSummary } = defineTest({
  name: 'spike',
  title: '100 requests/s, a spike of 2,000, 100 again',
  workload: reference,
  mix: 'mixed',
  phases: [
    { name: 'baseline', rate: 100, duration: '300s' },
    { name: 'spike', rate: 2000, duration: '120s', overload: true },
    // Still 100 requests/s: the time that the server is given to recover, then the rest of the 5 minutes.
    { name: 'recovery', rate: 100, duration: '145s', overload: true },
    { name: 'recovered', rate: 100, duration: '155s' },
  ],
  objectives: { baseline: calm, recovered: calm },
});
