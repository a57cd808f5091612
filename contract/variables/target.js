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
  valid: 'lines of `Name: value`, or {"Name":"value"}; no name twice, none that the client sets itself',
  parse: parseHeaders,
};

/** RFC 6749, section 2.3.1, and OpenID Connect Core, section 9. */
const AUTH_METHODS = /** @type {const} */ (['client_secret_basic', 'client_secret_post', 'private_key_jwt']);

/** Encodings that k6 can decompress. */
const ENCODINGS = ['gzip', 'deflate', 'br', 'zstd'];
const encodings = {
  valid: `${ENCODINGS.join(', ')}, or several of them separated by commas`,
  parse(/** @type {string} */ value) {
    const all = value === '' ? [] : value.split(',').map((name) => name.trim());
    return all.every((name) => ENCODINGS.includes(name)) ? all.join(', ') : undefined;
  },
};

export const target = {
  TARGET_URL: {
    type: url,
    help: 'the MCP endpoint to load; unset: the reference target, which is started with the stack',
    valid: 'an http(s) URL without credentials, for example http://127.0.0.1:3001/mcp',
  },
  TARGET_COMMAND: {
    type: {
      valid: 'a command, its words as a shell would take them apart',
      /** @returns {string[] | null | undefined} null = none */
      parse: (/** @type {string} */ value) => (value.trim() === '' ? null : splitCommand(value)),
    },
    help: 'the command of a server on standard input and output, instead of TARGET_URL. No shell reads it; in Docker it runs in a container of TARGET_IMAGE',
  },
  TARGET_ENV: {
    type: names,
    help: 'variables that the server of TARGET_COMMAND gets in addition to HOME, LOGNAME, PATH, SHELL, TERM and USER; values are never printed or stored',
    valid: 'names of variables that are set, separated by commas',
  },
  PROCESSES: {
    type: {
      valid: 'per-vu, per-call, or a number of processes that all VUs share',
      parse: (/** @type {string} */ value) =>
        ['per-vu', 'per-call'].includes(value) ? value : positiveInteger.parse(value),
    },
    default: 'per-vu',
    help: 'processes of TARGET_COMMAND: one for each VU, one for each call, or a number that all VUs share',
  },
  TARGET_CONFIRM: {
    type: { valid: 'hosts, or host:port, separated by commas', parse: hostList },
    help: 'the host of a TARGET_URL or GATEWAY_URL that is not on loopback, or of an authorization server on another host or port; required to load it',
  },
  TARGET_PROTOCOL: {
    type: optional(oneOf(PROTOCOLS), ''),
    help: 'auto: ask the server; modern (2026-07-28), legacy (initialize), or a version. jsonrpc: plain JSON-RPC by POST; rest: POST TARGET_URL/tools/{tool}/call [as the workload says, else auto]',
  },
  TARGET_TOKEN: { type: token, help: 'bearer token for the target; never printed or stored', secret },
  TARGET_HEADERS: {
    type: headerLines,
    help: 'headers of every request to the target, `Name: value` a line or one JSON object; values are never printed',
    secret,
  },
  OAUTH_CLIENT_ID: {
    type: text,
    help: 'OAuth client credentials; tokens are renewed before they expire',
    valid: 'a client id, with OAUTH_CLIENT_SECRET or OAUTH_CLIENT_KEY',
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
    help: 'how the client authenticates with the authorization server; auto: from its metadata',
  },
  OAUTH_TOKEN_URL: {
    type: url,
    help: "the token endpoint; unset: discovered from the target's 401",
  },
  OAUTH_SCOPE: {
    type: text,
    help: 'scopes to request; unset: those that the target names',
    valid: 'scopes separated by spaces',
  },
  OAUTH_RESOURCE: {
    type: text,
    help: '`resource` of the token requests (RFC 8707); unset: the target; off: none',
    valid: 'a URI, or off',
  },
  SECRET_SOURCE: {
    type: text,
    help: 'file=PATH: a file of NAME=value lines for secrets that are not set',
    valid: 'file= and the path of a file with NAME=value lines',
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
    help: "certificate of a private authority, in addition to the system's (on macOS: add it to the keychain)",
  },
  TARGET_TIMEOUT: {
    type: duration,
    default: '10s',
    help: 'maximum time for an answer; then the call fails as a timeout',
  },
  TOOL: {
    type: text,
    help: 'load this tool only; with ARGS also one that the workload does not have',
    valid: "a tool's name",
  },
  ARGS: { type: jsonObject, help: "the TOOL's arguments, one JSON object" },
  TOOLS: {
    type: names,
    help: 'discovery: call these tools only, including ones that write or destroy',
    valid: 'names of tools separated by commas',
  },
  ALLOW_WRITES: {
    type: flag,
    default: '0',
    help: '1: discovery may call tools that are not marked as read-only; destructive ones only if TOOLS names them',
  },
  WORKLOAD: {
    type: {
      valid: 'the path of a .json or .js file',
      parse: (/** @type {string} */ value) =>
        value === '' || /\.(json|js)$/.test(value) ? value : undefined,
    },
    help: "a workload file, JSON (see `make workload-init`) or JavaScript; unset: discovery, or the reference target's own",
  },
  PAYLOAD: {
    type: text,
    help: 'a file with one JSON-RPC request to send as it is, instead of a workload; tools/call as MCP, other methods as plain JSON-RPC (TARGET_PROTOCOL)',
    valid: 'the path of a .json file with {"jsonrpc": "2.0", "method": "...", "params": {...}}',
  },
  TOOL_NAMES: {
    type: textObject,
    help: "the target's names for the workload's tools, if they differ, as behind a gateway",
  },
  SESSIONS_MODE: {
    type: oneOf(['per-vu', 'per-call', 'abandon']),
    default: 'per-vu',
    help: 'sessions of legacy servers: per-vu, per-call, or abandon (one for each call, never ended)',
  },
  CLIENT_CACHE: {
    type: flag,
    default: '0',
    help: '1: each VU caches lists and resources for their ttlMs',
  },
  TASKS: {
    type: flag,
    default: '0',
    help: '1: a 2026-07-28 server may answer calls with tasks, which are polled until they end',
  },
  ACCEPT_ENCODING: {
    type: encodings,
    help: 'content encodings that requests accept; sizes are then those on the wire; unset: no compression is requested',
  },
};
