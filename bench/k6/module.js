/** A call with k6/x/mcp: all metrics and tags, and two latency limits. */
import mcp from 'k6/x/mcp';

export const options = { scenarios: { module: JSON.parse(__ENV.BENCH_SCENARIO ?? '') } };

const sessions = __ENV.BENCH_SESSIONS === '1';
const client = new mcp.StreamableHTTPClient({
  base_url: __ENV.TARGET_URL ?? '',
  protocolVersion: sessions ? '2025-11-25' : '2026-07-28',
});
const lookup = client.prepare(
  'tools/call',
  { name: 'lookup', arguments: { key: 'a' } },
  {
    tags: { operation: 'lookup', class: 'read' },
    limits: [85, 250],
    ...(__ENV.BENCH_EXPECT === '1' && { expect: (answer) => answer.ok }),
  },
);

export default function () {
  lookup.send();
}
