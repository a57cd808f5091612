/** A test of the lab that looks at each call's sizes and connections. */
import { defineTest } from '../../lib/test.js';
import reference from '../../workloads/reference.js';

export const { options, setup, iterate } = defineTest({
  name: 'observed',
  title: '40 calls of two users',
  servers: 'any',
  workload: reference,
  mix: 'get_user',
  asWritten: true,
  warmUp: '1s',
  observe: true,
  ...(__ENV.NEW_CONNECTIONS && { newConnections: true }),
  phases: [{ name: 'calls', vus: 2, iterations: 40, duration: '10s' }],
  objectives: {},
});
