/** What does the size of a message cost? The VUs call without a pause, and no database is involved. */
import { defineTest } from '../../lib/test.js';
import { payloadOf, SIZES_KB } from '../../workloads/payload-of.js';
import reference from '../../workloads/reference.js';

export const { options, setup, iterate, teardown } = defineTest({
  name: 'payload',
  title: 'messages of 1 to 32 KB in each direction',
  group: 'protocol and access',
  about:
    'messages of 1 to 32 KB in each direction from 10 VUs; on your own server, a text argument grows from 1 to 32 KB: the first argument whose schema allows it, or an argument of the tool in `TOOLS=`',
  judgedBy: 'failures < 0.1%',
  servers: 'any',
  covers: ['erlmcp: Network I/O Benchmark', 'MCP Gateway: JSON Serialization Performance'],
  workload: reference,
  mix: 'payload',
  fit: payloadOf,
  phases: SIZES_KB.map((kb) => ({ name: `${kb}-kb`, vus: 10, duration: '30s', labels: { kb } })),
  objectives: { each: { failure_rate: 0.001 } },
});
