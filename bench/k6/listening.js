/** Streams that each VU holds with k6/x/mcp; a notification a second comes on each. */
import mcp from 'k6/x/mcp';

const { TARGET_URL = '', BENCH_SCENARIO = '', BENCH_STREAMS } = __ENV;

export const options = {
  scenarios: { listening: JSON.parse(BENCH_SCENARIO) },
  thresholds: { mcp_request_failed: ['rate==0'] },
};

const client = new mcp.StreamableHTTPClient({ base_url: TARGET_URL, protocolVersion: '2026-07-28' });
const hold = () => client.listen({ notifications: { toolsListChanged: true } }, { abandonAfter: '10s' });

export default () => Promise.all(Array.from({ length: Number(BENCH_STREAMS) }, hold));
