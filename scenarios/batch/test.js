/** How large should a batch be? */
import { defineTest } from '../../lib/test.js';
import reference from '../../workloads/reference.js';

export const { options, setup, iterate } = defineTest({
  name: 'batch',
  title: 'process_batch by batch size',
  group: 'limits and tuning',
  about: 'batches of 10 to 500 items; 100 items in batches of 1 to 50; recommends a batch size',
  judgedBy: 'failures < 1% at each size',
  servers: 'operations',
  covers: ['MCP server: Batch Processing Tool'],
  workload: reference,
  mix: 'process_batch',
  phases: [
    ...[10, 50, 100, 500].map((items) => ({
      name: `size-${items}`,
      vus: 10,
      duration: '60s',
      labels: { items },
    })),
    ...[1, 5, 10, 20, 50].map((items) => ({
      name: `split-${items}`,
      vus: 1,
      duration: '60s',
      labels: { items, of: 100 },
    })),
  ],
  objectives: { each: { failure_rate: 0.01 } },
});
