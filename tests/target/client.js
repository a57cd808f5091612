import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { TOKEN } from './services.js';

/** The versions that the target serves. */
export const MODERN = '2026-07-28';
export const LEGACY = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

const ACCEPT = 'application/json, text/event-stream';

/**
 * Connects the official client.
 * @param {{url: string}} target
 * @param {string} version the one protocol version that the client speaks
 */
export async function connectClient(target, version) {
  const client = new Client(
    { name: 'target-test', version: '1.0.0' },
    {
      versionNegotiation: { mode: version === MODERN ? { pin: MODERN } : 'legacy' },
      supportedProtocolVersions: [version],
    },
  );
  const transport = new StreamableHTTPClientTransport(new URL(target.url), {
    requestInit: { headers: { Authorization: `Bearer ${TOKEN}` } },
  });
  await client.connect(transport);
  return { client, transport };
}

/**
 * @typedef {object} Answer
 * @property {number} status
 * @property {Headers} headers
 * @property {any} message the JSON-RPC message, undefined where the body is none
 */

/**
 * Posts one message as it stands.
 * @param {{url: string}} target
 * @param {unknown} message text is sent as it is
 * @param {Record<string, string>} [headers]
 * @returns {Promise<Answer>}
 */
export async function post(target, message, headers = {}) {
  const response = await fetch(target.url, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${TOKEN}`,
      'Content-Type': 'application/json',
      Accept: ACCEPT,
      ...headers,
    },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  });
  const text = await response.text();
  const json = response.headers.get('content-type')?.startsWith('text/event-stream')
    ? (/^data: (\{.*)$/m.exec(text)?.[1] ?? '')
    : text;
  return {
    status: response.status,
    headers: response.headers,
    message: json.startsWith('{') ? JSON.parse(json) : undefined,
  };
}

/**
 * Calls a tool in the modern way.
 * @param {{url: string}} target
 * @param {string} name
 * @param {object} input
 * @param {Record<string, string>} [headers]
 */
export function callTool(target, name, input, headers = {}) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: input, _meta: meta },
  };
  return post(target, message, {
    'MCP-Protocol-Version': MODERN,
    'Mcp-Method': 'tools/call',
    'Mcp-Name': name,
    ...headers,
  });
}

/**
 * Calls a tool and returns its structured content; a tool error is thrown.
 * @param {{url: string}} target
 * @param {string} name
 * @param {object} input
 * @returns {Promise<any>}
 */
export async function useTool(target, name, input) {
  const { message } = await callTool(target, name, input);
  if (!message?.result || message.result.isError) throw new Error(JSON.stringify(message));
  return message.result.structuredContent;
}

/**
 * Reads the target's metrics.
 * @param {{origin: string}} target
 * @returns {Promise<(series: string) => number>} the value of a series as it is written, such as `up{job="x"}`; NaN if it is not there
 */
export async function readMetrics(target) {
  const lines = (await (await fetch(`${target.origin}/metrics`)).text()).split('\n');
  return (series) =>
    Number(lines.find((line) => line.startsWith(`${series} `))?.slice(series.length) ?? 'none');
}
