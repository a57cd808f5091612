/**
 * How much growing load can the server sustain? Only the first step is judged, because later steps may be an
 * overload.
 */
import { defineTest } from '../../lib/test.js';
import reference from '../../workloads/reference.js';

const rates = [100, 500, 1000, 1500, 2000, 2500, 3000];

export const { options, setup, iterate } = defineTest({
  name: 'ramp',
  title: '100 to 3,000 requests/s in seven steps over 30 minutes',
  group: 'load over time',
  about: '100 to 3,000 requests/s in seven steps over 30 minutes',
  judgedBy: 'first step: p99 < 320 ms, failures < 0.1%; the report names the step that overloads the server',
  servers: 'any',
  covers: ['MCP server: Auto-Scaling Configuration'],
  workload: reference,
  mix: 'mixed',
  phases: rates.map((rate, index) => ({
    name: `step-${rate}`,
    rate,
    // The judged step is long enough for a p99 even at PROFILE=smoke.
    duration: index === 0 ? '312s' : '248s',
    // Do not plan more VUs. They would only use memory, because the generator keeps the VUs of adjacent steps
    // at the same time.
    users: Math.min(3 * rate, 300),
    labels: { rate },
    ...(index > 0 && { overload: true }),
  })),
  objectives: { 'step-100': { p99_ms: 320, failure_rate: 0.001 } },
});
