/** What of the protocol's versions goes over the wire. */
import { MODERN_VERSION } from '../../contract/protocols.js';

/** The first version whose requests carry MCP-Protocol-Version. */
const VERSION_HEADER_SINCE = '2025-06-18';

/** JSON-RPC error codes that only a modern server sends: it understood the request and refuses it. */
export const MODERN_ERRORS = {
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
};

export const CLIENT_INFO = { name: 'mcp-load-lab', version: '0.1.0' };

/** For k6's option `userAgent`. */
export const USER_AGENT = `${CLIENT_INFO.name}/${CLIENT_INFO.version}`;

/** `_meta` of every modern request. */
export const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
  // Forms can be filled in without a model and without a person: see input-required.js.
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
  'io.modelcontextprotocol/clientInfo': CLIENT_INFO,
};

/** Where a modern result names its server. */
export const SERVER_INFO_KEY = 'io.modelcontextprotocol/serverInfo';

/** Methods whose `Mcp-Name` header repeats this member of the parameters. */
const NAMED_BY = /** @type {Record<string, string>} */ ({
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
});

/**
 * @param {string} value
 * @param {(text: string) => string} base64
 * @returns {string} the value as a header may carry it; what is unsafe there travels as base64
 */
export const headerValue = (value, base64) => {
  // Most names; a first regular expression would cost each virtual user 9 KB.
  if (value !== '' && encodeURIComponent(value) === value) return value;
  return /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?')
    ? value
    : `=?base64?${base64(value)}?=`;
};

/**
 * @param {object} request
 * @param {'modern' | 'legacy' | null} request.era null: not MCP
 * @param {string} request.version '' before it was negotiated
 * @param {Record<string, string>} request.headers the user's own, such as Authorization
 * @param {string} request.session '' = none
 * @param {string} request.method
 * @param {Record<string, unknown>} request.params
 * @param {(text: string) => string} base64
 * @returns {Record<string, string>} the headers of one POST
 */
export const requestHeaders = ({ era, version, headers: own, session, method, params }, base64) => {
  /** @type {Record<string, string>} */
  const headers = {
    ...own,
    'Content-Type': 'application/json',
    // Both, or the official servers answer 406.
    Accept: 'application/json, text/event-stream',
  };
  if (era === 'modern') {
    headers['MCP-Protocol-Version'] = version;
    headers['Mcp-Method'] = method;
    const name = params[NAMED_BY[method] ?? ''];
    if (typeof name === 'string') headers['Mcp-Name'] = headerValue(name, base64);
  } else {
    // Initialize itself is still to settle the version.
    if (method !== 'initialize' && version >= VERSION_HEADER_SINCE) headers['MCP-Protocol-Version'] = version;
    if (session) headers['Mcp-Session-Id'] = session;
  }
  return headers;
};
