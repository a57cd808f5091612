/**
 * A call with k6/x/mcp: all metrics and tags, and two latency limits. With BENCH_STREAMS, each VU instead holds that
 * many streams for 10 s, each with one notification a second. With BENCH_PROGRAM, that program is the server.
 */
import mcp from 'k6/x/mcp';

const {
  TARGET_URL = '',
  BENCH_SCENARIO = '',
  BENCH_SESSIONS,
  BENCH_EXPECT,
  BENCH_STREAMS,
  BENCH_PROGRAM,
} = __ENV;

export const options = {
  scenarios: { module: { ...JSON.parse(BENCH_SCENARIO), exec: BENCH_STREAMS ? 'hold' : 'default' } },
  thresholds: BENCH_STREAMS ? { mcp_request_failed: ['rate==0'] } : {},
};

const protocolVersion = BENCH_SESSIONS ? '2025-11-25' : '2026-07-28';
const client = BENCH_PROGRAM
  ? new mcp.StdioClient({ path: BENCH_PROGRAM, args: ['stdio'], protocolVersion })
  : new mcp.StreamableHTTPClient({ base_url: TARGET_URL, protocolVersion });
const lookup = client.prepare(
  'tools/call',
  { name: 'lookup', arguments: { key: 'a' } },
  {
    tags: { operation: 'lookup', class: 'read' },
    limits: [85, 250],
    ...(BENCH_EXPECT && { expect: (answer) => answer.ok }),
  },
);

export default function () {
  lookup.send();
}

const listen = () => client.listen({ notifications: { toolsListChanged: true } }, { abandonAfter: '10s' });

export const hold = () => Promise.all(Array.from({ length: Number(BENCH_STREAMS) }, listen));
