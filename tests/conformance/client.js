/**
 * What the conformance suite has a client's user do: look at what a server offers, and call all of it. How that goes
 * over the wire is `lib/`'s business alone.
 */
import { check } from 'k6';
import exec from 'k6/execution';
import { signIn } from '../../lib/auth/auth.js';
import { readConfig } from '../../lib/config.js';
import { connect } from '../../lib/mcp/connect.js';
import { paramHeaders } from '../../lib/mcp/param-headers.js';

export const options = { iterations: 1, thresholds: { checks: ['rate==1.0'] } };

const { MCP_CONFORMANCE_SCENARIO: scenario } = __ENV;
const context = JSON.parse(__ENV.MCP_CONFORMANCE_CONTEXT ?? '{}');
const config = readConfig(__ENV);

export default async function () {
  try {
    const { auth } = await signIn(config);
    useAll(connect(config, auth));
  } catch (error) {
    // k6 would go on, and end well.
    exec.test.abort(String(error));
  }
}

/** @param {import('../../lib/mcp/asking-client.js').AskingClient} client */
function useAll(client) {
  const { capabilities } = client.connection;
  const tools = client.listTools();
  // The one tool of this scenario's server is there to be looked at.
  if (scenario !== 'json-schema-ref-no-deref') callAll(client, tools);
  if (capabilities.resources) {
    for (const { uri } of client.listResources()) answered(`reads ${uri}`, client.readResource(uri));
  }
  if (capabilities.prompts) {
    for (const { name } of client.listPrompts()) answered(`gets ${name}`, client.getPrompt(name));
  }
  client.close();
}

/** @param {import('../../lib/mcp/asking-client.js').AskingClient} client @param {any[]} tools */
function callAll(client, tools) {
  for (const { name, args } of toolCalls(tools)) {
    const marked = paramHeaders(tools.find((tool) => tool.name === name)?.inputSchema);
    if ('invalid' in marked) continue;
    const call = client.prepare('tools/call', { name }, { withArguments: true, headers: marked.headers });
    answered(`calls ${name}`, client.send(call, args));
  }
}

/** @param {any[]} tools @returns {{name: string, args: Record<string, unknown>}[]} */
function toolCalls(tools) {
  if (context.toolCalls) {
    return context.toolCalls.map((/** @type {any} */ call) => ({ name: call.name, args: call.arguments }));
  }
  const focal = tools.find(({ name }) => name === 'json_schema_2020_12_tool');
  const known = /** @type {Record<string, Record<string, unknown>>} */ ({
    add_numbers: { a: 5, b: 3 },
    valid_tool: { region: 'us-west1' },
    json_schema_echo: { schema: focal?.inputSchema },
  });
  return tools.map(({ name }) => ({ name, args: known[name] ?? {} }));
}

/** @param {string} what @param {import('../../lib/mcp/answer.js').Answer} answer */
function answered(what, { failure }) {
  check(failure, { [what]: () => failure === null });
}
