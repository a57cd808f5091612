/** A call of the bench's server, as 2026-07-28 has it. */
export const headers = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
  'MCP-Protocol-Version': '2026-07-28',
  'Mcp-Method': 'tools/call',
  'Mcp-Name': 'lookup',
};

/** @param {object} args */
export const paramsOf = (args) => ({
  name: 'lookup',
  arguments: args,
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'bare', version: '1.0.0' },
  },
});
