/** A test of the lab that is short enough to look at every call that it makes. */
import { defineTest } from '../../lib/test.js';
import reference from '../../workloads/reference.js';

export const { options, setup, iterate } = defineTest({
  name: 'few-calls',
  title: '20 calls a second',
  servers: 'any',
  workload: reference,
  mix: 'mixed',
  phases: [{ name: 'calls', rate: 100, users: 5, duration: '10s' }],
  objectives: {},
});
