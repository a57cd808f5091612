/** Calls whose end the output lab has to tell. CASE says how it ends. */
import { sleep } from 'k6';
import exec from 'k6/execution';
import { Trend } from 'k6/metrics';
import mcp from 'k6/x/mcp';

const { URL = '', CASE = '' } = __ENV;

/** @type {Record<string, import('k6/options').Options['thresholds']>} */
const THRESHOLDS = {
  passes: { mcp_request_failed: ['rate<0.01'], 'mcp_slow{operation:call,limit:5000}': ['rate<=0.01'] },
  fails: { 'mcp_slow{operation:call,limit:0.001}': ['rate<=0.01'] },
  aborts: { mcp_requests: [{ threshold: 'count<10', abortOnFail: true }] },
  trend: { mcp_request_duration: ['p(95)<0.001'], own: ['max<=7', 'min>7'] },
  empty: { 'mcp_slow{operation:none}': ['rate<=0.01'], own: ['max<1'] },
};
const own = new Trend('own');

export const options = {
  scenarios: {
    calls: { executor: 'constant-arrival-rate', rate: 50, duration: __ENV.LASTS ?? '2s', preAllocatedVUs: 5 },
  },
  thresholds: THRESHOLDS[CASE] ?? {},
};

if (CASE === 'throws in init') throw new Error('in init');

const client = new mcp.StreamableHTTPClient({ base_url: URL, protocolVersion: '2026-07-28' });
const call = client.prepare(
  'tools/call',
  { name: 'a' },
  { tags: { operation: 'call' }, limits: [0.001, 5000] },
);

export function setup() {
  if (CASE === 'throws in set-up') throw new Error('in set-up');
}

export default function () {
  call.send();
  if (CASE === 'trend') own.add(7);
  if (CASE === 'stops') exec.test.abort('enough');
  if (CASE === 'is marked as failed') exec.test.fail('bad');
  if (CASE === 'lingers') sleep(20);
}
