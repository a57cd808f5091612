/** What the conformance suite has a client's user do: look at what a server offers, and call all of it. */
import { check, sleep } from 'k6';
import exec from 'k6/execution';
import mcp from 'k6/x/mcp';
import { paramHeaders } from '../../lib/param-headers.js';

export const options = { iterations: 1, thresholds: { checks: ['rate==1.0'] } };

const {
  MCP_CONFORMANCE_SCENARIO: scenario = '',
  MCP_CONFORMANCE_PROTOCOL_VERSION: version,
  SERVER_URL = '',
} = __ENV;
const context = JSON.parse(__ENV.MCP_CONFORMANCE_CONTEXT ?? '{}');
const client = new mcp.StreamableHTTPClient({
  base_url: SERVER_URL,
  // This scenario's server settles on 2025-03-26, whatever it is asked for.
  protocolVersion: scenario === 'sse-retry' ? 'auto' : /** @type {any} */ (version || 'auto'),
  oauth: scenario.startsWith('auth/') ? oauth() : undefined,
});

function oauth() {
  const { client_id = 'nobody', client_secret, private_key_pem, valid_jwt } = context;
  const clientSecret = client_secret ?? (private_key_pem || valid_jwt ? undefined : 'nothing');
  // The suite's authorization servers are on other ports.
  const trustedHosts = ['localhost', '127.0.0.1'];
  return {
    clientId: client_id,
    clientSecret,
    privateKey: private_key_pem,
    assertion: valid_jwt,
    trustedHosts,
  };
}

export default async function () {
  try {
    const { capabilities } = client.connect();
    // This scenario's server asks on the stream that no call opens.
    const stream = scenario.startsWith('elicitation') && client.listen({}, { abandonAfter: '3s' });
    if (stream) sleep(1);
    useAll(capabilities);
    await stream;
    client.close();
  } catch (error) {
    // k6 would go on, and end well.
    exec.test.abort(String(error));
  }
}

/** @param {Record<string, unknown>} capabilities */
function useAll(capabilities) {
  const tools = client.listAllTools();
  // The one tool of this scenario's server is there to be looked at.
  if (scenario !== 'json-schema-ref-no-deref') callAll(tools);
  if (capabilities.resources) {
    for (const { uri } of client.listAllResources()) answered(`reads ${uri}`, client.readResource({ uri }));
  }
  if (capabilities.prompts) {
    for (const { name } of client.listAllPrompts()) answered(`gets ${name}`, client.getPrompt({ name }));
  }
}

/** @param {any[]} tools */
function callAll(tools) {
  for (const call of toolCalls(tools)) {
    const marked = paramHeaders(tools.find(({ name }) => name === call.name)?.inputSchema);
    if ('invalid' in marked) continue;
    answered(`calls ${call.name}`, client.callTool(call, { paramHeaders: marked.headers }));
  }
}

/** @param {any[]} tools @returns {{name: string, arguments: object}[]} */
function toolCalls(tools) {
  if (context.toolCalls) return context.toolCalls;
  const focal = tools.find(({ name }) => name === 'json_schema_2020_12_tool');
  const known = /** @type {Record<string, object>} */ ({
    add_numbers: { a: 5, b: 3 },
    valid_tool: { region: 'us-west1' },
    json_schema_echo: { schema: focal?.inputSchema },
  });
  return tools.map(({ name }) => ({ name, arguments: known[name] ?? {} }));
}

/** @param {string} what @param {import('k6/x/mcp').Answer} answer */
function answered(what, { failure }) {
  check(failure, { [what]: () => failure === null });
}
