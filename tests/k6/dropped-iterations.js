/** Iterations that sleep before their first call, at two arrival rates for which there are not enough VUs. */
import { sleep } from 'k6';
import mcp from 'k6/x/mcp';

const common = { preAllocatedVUs: 2, maxVUs: 2 };

/** @type {import('k6/options').Options} */
export const options = {
  scenarios: {
    constant: {
      ...common,
      executor: 'constant-arrival-rate',
      rate: 50,
      duration: '3s',
      tags: { phase: 'load' },
    },
    ramp: {
      ...common,
      executor: 'ramping-arrival-rate',
      startRate: 10,
      stages: [
        { duration: '1s', target: 50 },
        { duration: '2s', target: 50 },
      ],
      gracefulStop: '0s',
    },
  },
};

const client = new mcp.StreamableHTTPClient({ base_url: __ENV.URL ?? '', protocolVersion: '2026-07-28' });
const call = client.prepare('tools/call', { name: 'a' }, { tags: { operation: 'call' } });

export function setup() {
  call.send();
}

export default function () {
  sleep(0.02);
  call.send();
  call.send();
  sleep(0.04);
}
