/**
 * What does a gateway cost? This is one trial: trials.ts alternates between direct and through the gateway.
 */
import { defineTest } from '../../lib/test.js';
import reference from '../../workloads/reference.js';

export const { options, setup, iterate } = defineTest({
  name: 'gateway',
  title: 'the same calls direct and through a gateway, in turn: what it adds, and what it takes away',
  group: 'around the server',
  about:
    'the same calls direct and through a gateway, in turn: what it adds at p50, p95, p99, with intervals. ContextForge (on SQLite, or `GATEWAY_STORE=stack`; `make gateway-up` starts it by itself), or any with `GATEWAY_URL=`',
  judgedBy: 'failures < 1%',
  servers: 'any',
  covers: ['MCP Gateway: Establishing a Baseline', 'MCP Gateway: Interpreting Results'],
  workload: reference,
  mix: 'get_user',
  phases: [
    { name: 'steady', rate: 1, duration: '20s', users: 6, labels: { load: 'steady' } },
    { name: 'loop', vus: 10, duration: '10s', labels: { load: 'loop' } },
  ],
  asWritten: true,
  warmUp: '2s',
  objectives: { each: { failure_share: 0.01 } },
});
