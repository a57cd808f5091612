/** Does the server degrade over time? Each window is compared with the first. */
import { defineTest } from '../lib/test.js';
import reference from '../workloads/reference.js';

const windows = Array.from({ length: 12 }, (_, index) => `window-${String(index + 1).padStart(2, '0')}`);

export const { options, setup, iterate } = defineTest({
  name: 'soak',
  title: '400 requests/s from up to 50 VUs, in 12 windows',
  group: 'load over time',
  about: '400 requests/s for 24 hours from up to 50 VUs, in 12 windows',
  judgedBy:
    'failures < 0.05%; per window: p99 <= 1.3 x the first window, throughput >= 95.5% of the first window',
  servers: 'any',
  covers: [
    'MCP server: Endurance Test',
    'erlmcp: Time-Series Performance',
    'erlmcp: Memory Growth Under Sustained Load',
  ],
  workload: reference,
  mix: 'mixed',
  phases: windows.map((name) => ({ name, rate: 400, duration: '2h', users: 50 })),
  objectives: {
    all: { failure_rate: 0.0005 },
    each: { p99_vs_first: 1.3, throughput_vs_first: 0.955 },
  },
});
