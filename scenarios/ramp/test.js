/** How far does it go when the load grows? Only the first step is judged: what the machine does not manage is an overload. */
import { defineTest } from '../../lib/test.js';
import reference from '../../workloads/reference.js';

const rates = [100, 500, 1000, 1500, 2000, 2500, 3000];

export const { options, setup, iterate } = defineTest({
  name: 'ramp',
  title: '100 to 3,000 requests/s in seven steps over 30 minutes',
  group: 'load over time',
  about: '100 to 3,000 requests/s in seven steps over 30 minutes',
  judgedBy: 'the first step: p99 < 320 ms, failures < 0.1%; from which step on it is too much is named',
  servers: 'any',
  covers: ['MCP server: Auto-Scaling Configuration'],
  workload: reference,
  mix: 'mixed',
  phases: rates.map((rate, index) => ({
    name: `step-${rate}`,
    rate,
    // The one that is judged is long enough for a p99 at smoke, too.
    duration: index === 0 ? '312s' : '248s',
    // More than the server keeps busy at any step would only be memory of the generator, which keeps the users of
    // neighbouring steps at a time.
    users: Math.min(3 * rate, 300),
    labels: { rate },
    ...(index > 0 && { overload: true }),
  })),
  objectives: { 'step-100': { p99_ms: 320, failure_share: 0.001 } },
});
