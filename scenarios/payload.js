/**
 * What does the size of a message cost? The same bytes to the server and back, 1 to 32 KB each way, from 10 users that
 * call again as soon as they have their answer; no database behind it.
 */
import { defineTest } from '../lib/test.js';
import reference from '../workloads/reference.js';

export const { options, setup, iterate, teardown } = defineTest({
  name: 'payload',
  title: 'messages of 1 to 32 KB each way',
  covers: ['erlmcp: Network I/O Benchmark', 'MCP Gateway: JSON Serialization Performance'],
  workload: reference,
  mix: 'payload',
  phases: [1, 2, 4, 8, 16, 32].map((kb) => ({ name: `${kb}-kb`, vus: 10, duration: '30s', labels: { kb } })),
  objectives: { each: { failure_share: 0.001 } },
});
