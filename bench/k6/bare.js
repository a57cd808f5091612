/** What a user would write in k6 to call a tool, and nothing more: the yardstick. */
import http from 'k6/http';
import { headers, paramsOf } from './lookup.js';

const url = __ENV.TARGET_URL ?? '';

export const options = { scenarios: { bare: JSON.parse(__ENV.BENCH_SCENARIO ?? '') } };

const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: paramsOf({ key: 'a' }) });

export default function bare() {
  http.post(url, body, { headers });
}
