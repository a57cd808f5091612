/**
 * What does a gateway cost? This script is one trial. trials.ts alternates between direct calls and calls
 * through the gateway.
 */
import { defineTest } from '../../lib/test.js';
import reference from '../../workloads/reference.js';

export const { options, setup, iterate } = defineTest({
  name: 'gateway',
  title: 'the same calls direct and through a gateway: added latency, lost throughput',
  group: 'around the server',
  about:
    'the same calls direct and through a gateway, alternating: added latency at p50, p95 and p99, with confidence intervals. The gateway is ContextForge (SQLite, or `GATEWAY_STORE=stack`), or any other with `GATEWAY_URL=`; `make gateway-up` starts only ContextForge',
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
  objectives: { each: { failure_rate: 0.01 } },
});
