/** Variables of the target: the server, its credentials and the calls. */
import { splitCommand } from '../command-line.js';
import { parseHeaders } from '../headers.js';
import { hostList } from '../hosts.js';
import { PROTOCOLS } from '../protocols.js';
import {
  duration,
  flag,
  jsonObject,
  names,
  oneOf,
  optional,
  positiveInteger,
  text,
  textObject,
  token,
  url,
} from '../types.js';

const secret = /** @type {const} */ (true);
const file = { ...text, valid: 'the path of a PEM file' };
export const headerLines = {
  valid:
    '`Name: value` lines, or {"Name":"value"}; each name once, and no header that the client sets itself',
  parse: parseHeaders,
};

/** RFC 6749, section 2.3.1, and OpenID Connect Core, section 9. */
const AUTH_METHODS = /** @type {const} */ (['client_secret_basic', 'client_secret_post', 'private_key_jwt']);

/** Encodings that k6 can decompress. */
const ENCODINGS = ['gzip', 'deflate', 'br', 'zstd'];
const encodings = {
  valid: `one or more of ${ENCODINGS.join(', ')}, separated by commas`,
  parse(/** @type {string} */ value) {
    const all = value === '' ? [] : value.split(',').map((name) => name.trim());
    return all.every((name) => ENCODINGS.includes(name)) ? all.join(', ') : undefined;
  },
};

export const target = {
  TARGET_URL: {
    type: url,
    help: 'MCP endpoint to load; unset: the reference target, which is part of the stack',
    valid: 'an http(s) URL without credentials, for example http://127.0.0.1:3001/mcp',
  },
  TARGET_COMMAND: {
    type: {
      valid: 'a command line with shell quoting',
      /** @returns {string[] | null | undefined} null = none */
      parse: (/** @type {string} */ value) => (value.trim() === '' ? null : splitCommand(value)),
    },
    help: 'command of a stdio server, instead of TARGET_URL; it runs without a shell, in Docker in a container of TARGET_IMAGE',
  },
  TARGET_ENV: {
    type: names,
    help: 'variables to pass to TARGET_COMMAND, in addition to HOME, LOGNAME, PATH, SHELL, TERM and USER; values are never printed or stored',
    valid: 'names of set variables, separated by commas',
  },
  PROCESSES: {
    type: {
      valid: 'per-vu, per-call, or a number of shared processes',
      parse: (/** @type {string} */ value) =>
        ['per-vu', 'per-call'].includes(value) ? value : positiveInteger.parse(value),
    },
    default: 'per-vu',
    help: 'processes of TARGET_COMMAND: one per VU, one per call, or a number that all VUs share',
  },
  TARGET_CONFIRM: {
    type: { valid: 'host or host:port, separated by commas', parse: hostList },
    help: 'hosts that may be loaded although they are not on loopback (TARGET_URL, GATEWAY_URL), or authorization servers on another host or port',
  },
  TARGET_PROTOCOL: {
    type: optional(oneOf(PROTOCOLS), ''),
    help: "auto: ask the server; modern: 2026-07-28; legacy: initialize; or a version; jsonrpc: plain JSON-RPC over POST; rest: POST TARGET_URL/tools/{tool}/call [the workload's, else auto]",
  },
  TARGET_TOKEN: { type: token, help: 'bearer token for the target; never printed or stored', secret },
  TARGET_HEADERS: {
    type: headerLines,
    help: 'headers of every request to the target, as `Name: value` lines or a JSON object; values are never printed',
    secret,
  },
  OAUTH_CLIENT_ID: {
    type: text,
    help: 'OAuth client ID for the client credentials grant; tokens are renewed before they expire',
    valid: 'a client ID; requires OAUTH_CLIENT_SECRET or OAUTH_CLIENT_KEY',
  },
  OAUTH_CLIENT_SECRET: { type: text, help: "the OAuth client's secret; never printed or stored", secret },
  OAUTH_CLIENT_KEY: {
    type: file,
    help: "the OAuth client's private key (ES256 or RS256) for private_key_jwt, instead of a secret",
    valid: 'the path of a PEM file in PKCS #8',
  },
  OAUTH_CLIENT_AUTH: {
    type: oneOf(['auto', ...AUTH_METHODS]),
    default: 'auto',
    help: "client authentication method; auto: from the authorization server's metadata",
  },
  OAUTH_TOKEN_URL: {
    type: url,
    help: "token endpoint; unset: discovered from the target's 401 response",
  },
  OAUTH_SCOPE: {
    type: text,
    help: 'scopes to request; unset: the scopes that the target advertises',
    valid: 'scopes separated by spaces',
  },
  OAUTH_RESOURCE: {
    type: text,
    help: '`resource` parameter of token requests (RFC 8707); unset: the target; off: omitted',
    valid: 'a URI, or off',
  },
  SECRET_SOURCE: {
    type: text,
    help: 'file with secrets that are not set as variables',
    valid: 'file=PATH of a file with NAME=value lines',
  },
  TARGET_CERT: { type: file, help: 'client certificate for mTLS, with TARGET_KEY' },
  TARGET_KEY: { type: file, help: "the client certificate's private key; never printed or stored" },
  TARGET_KEY_PASSWORD: {
    type: text,
    help: 'password of an encrypted TARGET_KEY; never printed or stored',
    secret,
  },
  TARGET_CA: {
    type: file,
    help: "certificate of a private CA, in addition to the system's (macOS: add it to the keychain instead)",
  },
  TARGET_TIMEOUT: {
    type: duration,
    default: '10s',
    help: 'maximum time for an answer; slower calls fail with a timeout',
  },
  TOOL: {
    type: text,
    help: 'load only this tool; with ARGS, it need not be part of the workload',
    valid: 'a tool name',
  },
  ARGS: { type: jsonObject, help: 'arguments of TOOL, as a JSON object' },
  TOOLS: {
    type: names,
    help: 'discovery: call only these tools, even if they write or are destructive',
    valid: 'tool names separated by commas',
  },
  ALLOW_WRITES: {
    type: flag,
    default: '0',
    help: '1: discovery may call tools that are not marked as read-only; destructive tools must be named in TOOLS',
  },
  WORKLOAD: {
    type: {
      valid: 'the path of a .json or .js file',
      parse: (/** @type {string} */ value) =>
        value === '' || /\.(json|js)$/.test(value) ? value : undefined,
    },
    help: "workload file, JSON (see `make workload-init`) or JavaScript; unset: discovery, or the reference target's workload",
  },
  PAYLOAD: {
    type: text,
    help: 'file with a JSON-RPC request to send unchanged, instead of a workload; tools/call is sent as MCP, other methods as plain JSON-RPC (TARGET_PROTOCOL)',
    valid: 'the path of a .json file with {"jsonrpc": "2.0", "method": "...", "params": {...}}',
  },
  TOOL_NAMES: {
    type: textObject,
    help: "the target's names of the workload's tools, if they differ, for example behind a gateway",
  },
  SESSIONS_MODE: {
    type: oneOf(['per-vu', 'per-call', 'abandon']),
    default: 'per-vu',
    help: 'sessions of legacy servers: one per VU, one per call, or abandon (one per call, never closed)',
  },
  CLIENT_CACHE: {
    type: flag,
    default: '0',
    help: '1: each VU caches lists and resources for their ttlMs',
  },
  TASKS: {
    type: flag,
    default: '0',
    help: '1: a 2026-07-28 server may answer calls with tasks; the client polls each task until it ends',
  },
  ACCEPT_ENCODING: {
    type: encodings,
    help: 'accepted content encodings; sizes are measured on the wire; unset: no compression',
  },
};
