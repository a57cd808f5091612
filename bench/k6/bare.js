/** What a user would write in k6 to call a tool, and nothing more: the yardstick. */
import http from 'k6/http';

const url = __ENV.TARGET_URL ?? '';
const readsBody = __ENV.BENCH_READS_BODY === '1';

export const options = { scenarios: { bare: JSON.parse(__ENV.BENCH_SCENARIO ?? '') } };

const body = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'lookup',
    arguments: { key: 'a' },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'bare', version: '1.0.0' },
    },
  },
});
const headers = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
  'MCP-Protocol-Version': '2026-07-28',
  'Mcp-Method': 'tools/call',
  'Mcp-Name': 'lookup',
};

export default function bare() {
  const response = http.post(url, body, { headers });
  if (readsBody && String(response.body).length < 1000) throw new Error('a short answer');
}
