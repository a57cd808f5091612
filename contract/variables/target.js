/** Variables that say what is loaded, and what it is called with. */
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

/** RFC 6749 2.3.1 and OpenID Connect Core 9. */
const AUTH_METHODS = /** @type {const} */ (['client_secret_basic', 'client_secret_post', 'private_key_jwt']);

/** What k6 can unpack. */
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
    help: "the MCP endpoint to load; unset: the project's own reference target, started with the stack",
    valid: 'an http(s) URL without credentials, for example http://127.0.0.1:3001/mcp',
  },
  TARGET_COMMAND: {
    type: {
      valid: 'a command, its words as a shell would take them apart',
      /** @returns {string[] | null | undefined} null: none */
      parse: (/** @type {string} */ value) => (value.trim() === '' ? null : splitCommand(value)),
    },
    help: 'instead of TARGET_URL: the command of a server that speaks MCP on its standard input and output. It is started without a shell; in Docker in a container, of TARGET_IMAGE',
  },
  TARGET_ENV: {
    type: names,
    help: 'variables that the server of TARGET_COMMAND gets besides HOME, LOGNAME, PATH, SHELL, TERM and USER; their values are never printed or stored',
    valid: 'names of variables that are set, separated by commas',
  },
  PROCESSES: {
    type: {
      valid: 'per-vu, per-call, or a number of processes that all VUs share',
      parse: (/** @type {string} */ value) =>
        ['per-vu', 'per-call'].includes(value) ? value : positiveInteger.parse(value),
    },
    default: 'per-vu',
    help: 'processes of TARGET_COMMAND: one for each VU, as desktop clients have; one for each call; or so many that all VUs share, as gateways do',
  },
  TARGET_CONFIRM: {
    type: { valid: 'hosts, or host:port, separated by commas', parse: hostList },
    help: 'the host of a TARGET_URL (GATEWAY_URL) that is not on loopback, or of an authorization server that the target names on another host or port; without it either is refused',
  },
  TARGET_PROTOCOL: {
    type: optional(oneOf(PROTOCOLS), ''),
    help: 'MCP: auto asks the server; modern (2026-07-28, stateless), legacy (initialize), or the one version to speak. jsonrpc: plain JSON-RPC by POST; rest: POST TARGET_URL/tools/{tool}/call [as the workload says, else auto]',
  },
  TARGET_TOKEN: { type: token, help: 'bearer token sent to the target (never printed or stored)', secret },
  TARGET_HEADERS: {
    type: headerLines,
    help: 'headers on every request to the target, `Name: value` a line or one JSON object (values never printed)',
    secret,
  },
  OAUTH_CLIENT_ID: {
    type: text,
    help: 'OAuth client credentials: the tokens come from the authorization server, and are renewed before they expire',
    valid: 'a client id, with OAUTH_CLIENT_SECRET or OAUTH_CLIENT_KEY',
  },
  OAUTH_CLIENT_SECRET: { type: text, help: "the OAuth client's secret (never printed or stored)", secret },
  OAUTH_CLIENT_KEY: {
    type: file,
    help: "instead of a secret: the client's private key (ES256 or RS256), to sign with as private_key_jwt has it",
    valid: 'the path of a PEM file in PKCS #8',
  },
  OAUTH_CLIENT_AUTH: {
    type: oneOf(['auto', ...AUTH_METHODS]),
    default: 'auto',
    help: 'how the client proves itself to the authorization server; auto: as its metadata says',
  },
  OAUTH_TOKEN_URL: {
    type: url,
    help: "the authorization server's token endpoint; unset: found as MCP says, from the target's 401",
  },
  OAUTH_SCOPE: {
    type: text,
    help: 'scopes to ask for; unset: those that the target names',
    valid: 'scopes separated by spaces',
  },
  OAUTH_RESOURCE: {
    type: text,
    help: 'the `resource` of the token requests (RFC 8707); unset: the target; off: none',
    valid: 'a URI, or off',
  },
  SECRET_SOURCE: {
    type: text,
    help: 'file=PATH: secret variables that are not set are read by name from this file of NAME=value lines',
    valid: 'file= and the path of a file with NAME=value lines',
  },
  TARGET_CERT: { type: file, help: 'client certificate for mTLS, with TARGET_KEY' },
  TARGET_KEY: { type: file, help: "the client certificate's private key (never printed or stored)" },
  TARGET_KEY_PASSWORD: {
    type: text,
    help: 'password of TARGET_KEY, where it is encrypted (never printed or stored)',
    secret,
  },
  TARGET_CA: {
    type: file,
    help: "certificate of a private authority to trust besides the system's own (not on macOS: add it to the keychain)",
  },
  TARGET_TIMEOUT: {
    type: duration,
    default: '10s',
    help: 'longest wait for one answer; after it the request counts as a timeout',
  },
  TOOL: {
    type: text,
    help: 'load just this tool; with ARGS for a tool that the workload does not know',
    valid: "a tool's name",
  },
  ARGS: { type: jsonObject, help: "the TOOL's arguments, one JSON object" },
  TOOLS: {
    type: names,
    help: 'discovery: call just these tools, also ones that write or destroy',
    valid: 'names of tools separated by commas',
  },
  ALLOW_WRITES: {
    type: flag,
    default: '0',
    help: '1: discovery may also call tools that are not marked as read-only; destructive ones only when named in TOOLS',
  },
  WORKLOAD: {
    type: {
      valid: 'the path of a .json or .js file',
      parse: (/** @type {string} */ value) =>
        value === '' || /\.(json|js)$/.test(value) ? value : undefined,
    },
    help: "a workload document (JSON, see `make workload-init`) or JS workload; unset: the reference target's own, for any other target what discovery finds",
  },
  PAYLOAD: {
    type: text,
    help: 'instead of a workload: a file with one JSON-RPC request, to be sent as it is; tools/call as MCP, any other method as plain JSON-RPC (TARGET_PROTOCOL)',
    valid: 'the path of a .json file with {"jsonrpc": "2.0", "method": "...", "params": {...}}',
  },
  TOOL_NAMES: {
    type: textObject,
    help: 'what the target calls the tools of the workload, where it has other names for them, as a gateway has',
  },
  SESSIONS_MODE: {
    type: oneOf(['per-vu', 'per-call', 'abandon']),
    default: 'per-vu',
    help: 'legacy sessions: per-vu keeps one for each virtual user; per-call opens and ends one around each call; abandon opens one for each call and never ends it',
  },
  CLIENT_CACHE: {
    type: flag,
    default: '0',
    help: '1: lists and resources that the server lets a client keep (ttlMs) are kept by each virtual user',
  },
  TASKS: {
    type: flag,
    default: '0',
    help: '1: a server of 2026-07-28 may answer calls with tasks, which are asked for until they have ended',
  },
  ACCEPT_ENCODING: {
    type: encodings,
    help: 'compressions of answers that requests accept; sizes are then those on the wire; unset: none is asked for',
  },
};
