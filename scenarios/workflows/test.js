/**
 * What does each usual step of a client cost? The test uses the legacy era, because a 2026-07-28 subscription
 * is a stream.
 */
import { defineTest } from '../../lib/test.js';
import workflows from '../../workloads/workflows.js';
import { workflowsOf } from '../../workloads/workflows-of.js';

/** 10,000 and 5,000 operations at a rate below the server's capacity. Each VU has its own session. */
const USERS = 20;
const phases = [
  { name: 'tool-call', rate: 200 },
  { name: 'resource-list', rate: 200 },
  { name: 'resource-subscribe', rate: 100 },
  { name: 'prompt-list', rate: 200 },
  { name: 'tool-sequence', rate: 100 },
];

export const { options, setup, iterate, teardown } = defineTest({
  name: 'workflows',
  title: 'tool call, resource list, resource subscribe, prompt list, tool call sequence',
  group: 'protocol and access',
  about: 'tool call, resource list, resource subscription, prompt list, a sequence of three tool calls',
  judgedBy: 'p99 < 10, 10, 15, 10 and 30 ms, in this order',
  servers: 'any',
  covers: ['erlmcp: MCP Protocol Benchmarks'],
  workload: workflows,
  fit: workflowsOf,
  phases: phases.map((phase) => ({ ...phase, operation: phase.name, duration: '50s', users: USERS })),
  objectives: {
    each: { failure_rate: 0.001 },
    'tool-call': { p99_ms: 10 },
    'resource-list': { p99_ms: 10 },
    'resource-subscribe': { p99_ms: 15 },
    'prompt-list': { p99_ms: 10 },
    'tool-sequence': { sequence_p99_ms: 30 },
  },
});
