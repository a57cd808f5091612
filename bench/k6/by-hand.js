/** What k6/x/mcp does, written in k6's JavaScript: the answer is read, and the same metrics are counted. */
import http from 'k6/http';
import { Counter, Rate, Trend } from 'k6/metrics';
import { headers, paramsOf } from './lookup.js';

export const options = { scenarios: { hand: JSON.parse(__ENV.BENCH_SCENARIO ?? '') } };

const requests = new Counter('mcp_requests');
const failed = new Rate('mcp_request_failed');
const duration = new Trend('mcp_request_duration', true);
const slow = new Rate('mcp_slow');
const tags = { method: 'tools/call', operation: 'lookup', class: 'read' };
const limits = [85, 250].map((limit) => ({ limit, tags: { ...tags, limit: String(limit) } }));
const url = __ENV.TARGET_URL ?? '';
let id = 0;

export default function () {
  id += 1;
  const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: paramsOf({ key: 'a' }) });
  const response = http.post(url, body, { headers });
  let ok = response.status === 200;
  try {
    const message = JSON.parse(String(response.body));
    ok &&= message.jsonrpc === '2.0' && message.id === id && message.result.isError !== true;
  } catch {
    ok = false;
  }
  requests.add(1, tags);
  failed.add(!ok, tags);
  duration.add(response.timings.duration, tags);
  for (const one of limits) slow.add(response.timings.duration >= one.limit, one.tags);
}
