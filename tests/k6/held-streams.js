/** Streams and calls that k6/x/mcp waits for when their VUs end: at the end of their scenario, or with the run. */
import { sleep } from 'k6';
import mcp from 'k6/x/mcp';

const { URL = '', HELD = '' } = __ENV;

export const options = {
  scenarios: {
    waiting: { executor: 'constant-vus', vus: 5, duration: HELD, gracefulStop: '1s' },
    after: { executor: 'shared-iterations', iterations: 1, exec: 'rest', startTime: '1s' },
  },
};

const client = new mcp.StreamableHTTPClient({ base_url: URL, protocolVersion: '2026-07-28' });

export default async function () {
  await Promise.all([client.listen(), client.requestAsync('tools/call', { name: 'never' })]);
}

export function rest() {
  sleep(5);
}
