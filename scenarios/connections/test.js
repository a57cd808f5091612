/** How many sessions does a server hold, and what does each cost it? This is the load of each trial (trials.ts). */
import { defineTest } from '../../lib/test.js';
import reference from '../../workloads/reference.js';

export const { options, setup, iterate, teardown } = defineTest({
  name: 'connections',
  title: 'idle and active sessions, from 100 to as many as the machine holds',
  group: 'protocol and access',
  about:
    'idle and active sessions from 100 up; memory for each with its interval, handshakes/s, churn, abandoned sessions',
  judgedBy: 'failures < 1%; the reference target gives back what nobody uses',
  servers: 'any',
  covers: ['erlmcp: Concurrent Connection Scaling'],
  workload: reference,
  mix: 'get_user',
  phases: [{ name: 'calls', vus: 5, duration: '30s' }],
  asWritten: true,
  warmUp: '2s',
  objectives: { each: { failure_share: 0.01 } },
});
