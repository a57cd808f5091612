/** The minimal k6 script that calls a tool by MCP 2026-07-28; the baseline of the comparison. */
import http from 'k6/http';

const { TARGET_URL = '', BENCH_SCENARIO = '' } = __ENV;

export const options = { scenarios: { bare: JSON.parse(BENCH_SCENARIO) } };

const headers = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
  'MCP-Protocol-Version': '2026-07-28',
  'Mcp-Method': 'tools/call',
  'Mcp-Name': 'lookup',
};
const params = {
  name: 'lookup',
  arguments: { key: 'a' },
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'bare', version: '1.0.0' },
  },
};
const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });

export default function bare() {
  http.post(TARGET_URL, body, { headers });
}
