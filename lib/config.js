/**
 * Every variable that a test reads, in one place: its default, what it means, and how it is checked.
 * `make help-all` prints this table. The values come from the environment; k6 hands them over as `__ENV`.
 */

import { parseHeaders } from './auth/headers.js';
import { AUTH_METHODS } from './auth/oauth.js';
import { ConfigError } from './config-error.js';
import { parseDuration } from './duration.js';
import { LEGACY_VERSIONS, MODERN_VERSION } from './mcp/protocol.js';
import { profiles } from './profiles.js';
import { KEPT_REQUESTS, SAMPLES } from './samples.js';
import { hostList, needConfirmed } from './target-host.js';
import {
  anyText,
  flag,
  httpUrl,
  jsonObject,
  oneOf,
  optionalDuration,
  positiveInteger,
  positiveNumber,
  readVariables,
  textObject,
  variable,
} from './variable.js';

/** @param {string} text */
function nameList(text) {
  const names = text.split(',').map((name) => name.trim());
  if (text === '') return null;
  return names.includes('') ? undefined : [...new Set(names)];
}

/** What k6 can unpack. */
const ENCODINGS = ['gzip', 'deflate', 'br', 'zstd'];

/** @param {string} text */
function encodings(text) {
  const names = text === '' ? [] : text.split(',').map((name) => name.trim());
  return names.every((name) => ENCODINGS.includes(name)) ? names.join(', ') : undefined;
}

/** @param {string} text */
const optionalInteger = (text) => (text === '' ? null : positiveInteger(text));

const PROFILES = Object.keys(profiles);
const OAUTH_METHODS = ['auto', ...AUTH_METHODS];
const DIALECTS = ['mcp', 'jsonrpc', 'rest'];
const ERAS = ['auto', 'modern', 'legacy'];
const VERSIONS = [MODERN_VERSION, ...LEGACY_VERSIONS];
const SESSIONS_MODES = ['per-vu', 'per-call', 'abandon'];

export const variables = {
  PROFILE: variable({
    default: 'quick',
    help: `how long the test takes: ${PROFILES.map((name) => `${name} (${profiles[name]?.about})`).join('; ')}`,
    valid: PROFILES.join(', '),
    parse: oneOf(PROFILES),
  }),
  TARGET_URL: variable({
    default: '',
    help: "the MCP endpoint to load; unset: the project's own reference target, started with the stack",
    valid: 'an http(s) URL without credentials, for example http://127.0.0.1:3001/mcp',
    parse: (text) => (text === '' ? '' : httpUrl(text)),
  }),
  TARGET_CONFIRM: variable({
    default: '',
    help: 'the host of TARGET_URL (GATEWAY_URL, a found authorization server) as it stands there, where it is not on loopback: only then it is loaded',
    valid: 'hosts, or host:port, separated by commas',
    parse: hostList,
  }),
  TARGET_DIALECT: variable({
    default: '',
    help: 'mcp; jsonrpc: plain JSON-RPC by POST, no handshake; rest: POST TARGET_URL/tools/{tool}/call [as the workload says, else mcp]',
    valid: DIALECTS.join(', '),
    parse: (text) => (text === '' ? '' : oneOf(DIALECTS)(text)),
  }),
  TARGET_TOKEN: variable({
    default: '',
    help: 'bearer token sent to the target (never printed or stored)',
    valid: 'printable characters without spaces',
    parse: (text) => (/^[\x21-\x7e]*$/.test(text) ? text : undefined),
    secret: true,
  }),
  TARGET_HEADERS: variable({
    default: '',
    help: 'headers on every request to the target, `Name: value` a line or one JSON object (values never printed)',
    valid: 'lines of `Name: value`, or {"Name":"value"}; no name twice, none that the client sets itself',
    parse: parseHeaders,
    secret: true,
  }),
  OAUTH_CLIENT_ID: variable({
    default: '',
    help: 'OAuth client credentials: the tokens come from the authorization server, and are renewed before they expire',
    valid: 'a client id, with OAUTH_CLIENT_SECRET or OAUTH_CLIENT_KEY',
    parse: anyText,
  }),
  OAUTH_CLIENT_SECRET: variable({
    default: '',
    help: "the OAuth client's secret (never printed or stored)",
    valid: 'any text',
    parse: anyText,
    secret: true,
  }),
  OAUTH_CLIENT_KEY: variable({
    default: '',
    help: "instead of a secret: the client's private key (ES256 or RS256), to sign with as private_key_jwt has it",
    valid: 'the path of a PEM file in PKCS #8',
    parse: anyText,
  }),
  OAUTH_CLIENT_AUTH: variable({
    default: 'auto',
    help: 'how the client proves itself to the authorization server; auto: as its metadata says',
    valid: OAUTH_METHODS.join(', '),
    parse: oneOf(OAUTH_METHODS),
  }),
  OAUTH_TOKEN_URL: variable({
    default: '',
    help: "the authorization server's token endpoint; unset: found as MCP says, from the target's 401",
    valid: 'an http(s) URL without credentials',
    parse: (text) => (text === '' ? '' : httpUrl(text)),
  }),
  OAUTH_SCOPE: variable({
    default: '',
    help: 'scopes to ask for; unset: those that the target names',
    valid: 'scopes separated by spaces',
    parse: anyText,
  }),
  OAUTH_RESOURCE: variable({
    default: '',
    help: 'the `resource` of the token requests (RFC 8707); unset: the target; off: none',
    valid: 'a URI, or off',
    parse: anyText,
  }),
  SECRET_SOURCE: variable({
    default: '',
    help: "k6's --secret-source, such as file=PATH: secret variables that are not set are read from there by name",
    valid: 'what k6 run --secret-source takes',
    parse: anyText,
  }),
  TARGET_CERT: variable({
    default: '',
    help: 'client certificate for mTLS, with TARGET_KEY',
    valid: 'the path of a PEM file',
    parse: anyText,
  }),
  TARGET_KEY: variable({
    default: '',
    help: "the client certificate's private key (never printed or stored)",
    valid: 'the path of a PEM file',
    parse: anyText,
  }),
  TARGET_KEY_PASSWORD: variable({
    default: '',
    help: 'password of TARGET_KEY, where it is encrypted (never printed or stored)',
    valid: 'any text',
    parse: anyText,
    secret: true,
  }),
  TARGET_CA: variable({
    default: '',
    help: "certificate of a private authority to trust besides the system's own (not on macOS: add it to the keychain)",
    valid: 'the path of a PEM file',
    parse: anyText,
  }),
  TARGET_TIMEOUT: variable({
    default: '10s',
    help: 'longest wait for one answer; after it the request counts as a timeout',
    valid: 'a duration such as 500ms, 10s or 1m',
    parse: (text) => parseDuration(text) ?? undefined,
  }),
  TOOL: variable({
    default: '',
    help: 'load just this tool; with ARGS for a tool that the workload does not know',
    valid: "a tool's name",
    parse: anyText,
  }),
  ARGS: variable({
    default: '',
    help: "the TOOL's arguments, one JSON object",
    valid: 'one JSON object, for example {"message":"hi"}',
    parse: jsonObject,
  }),
  TOOLS: variable({
    default: '',
    help: 'discovery: call just these tools, also ones that write or destroy',
    valid: 'names of tools separated by commas',
    parse: nameList,
  }),
  ALLOW_WRITES: variable({
    default: '0',
    help: '1: discovery may also call tools that are not marked as read-only; destructive ones only when named in TOOLS',
    valid: '0, 1',
    parse: flag,
  }),
  STRICT: variable({
    default: '0',
    help: '1: an operation that fails the probe of discovery ends the run, instead of being left out',
    valid: '0, 1',
    parse: flag,
  }),
  WORKLOAD: variable({
    default: '',
    help: "a workload document (JSON, see `make workload-init`) or JS workload; unset: the reference target's own, for any other target what discovery finds",
    valid: 'the path of a .json or .js file',
    parse: (text) => (text === '' || /\.(json|js)$/.test(text) ? text : undefined),
  }),
  PAYLOAD: variable({
    default: '',
    help: 'instead of a workload: a file with one JSON-RPC request, to be sent as it is; tools/call as MCP, any other method as plain JSON-RPC (TARGET_DIALECT)',
    valid: 'the path of a .json file with {"jsonrpc": "2.0", "method": "...", "params": {...}}',
    parse: anyText,
  }),
  TOOL_NAMES: variable({
    default: '',
    help: 'what the target calls the tools of the workload, where it has other names for them, as a gateway has',
    valid: 'one JSON object of texts, for example {"get_user":"upstream-get-user"}',
    parse: textObject,
  }),
  REQUESTS: variable({
    default: '',
    help: 'calls to make, in a test with one phase of users that call in a loop (-n of other load generators)',
    valid: 'a whole number above 0',
    parse: optionalInteger,
  }),
  CONCURRENCY: variable({
    default: '',
    help: 'users that call at the same time, in such a test (-c of other load generators)',
    valid: 'a whole number above 0',
    parse: optionalInteger,
  }),
  DRY_RUN: variable({
    default: '0',
    help: '1: print what would be called and send nothing but discovery, as `make plan` does',
    valid: '0, 1',
    parse: flag,
  }),
  MCP_ERA: variable({
    default: 'auto',
    help: 'modern (2026-07-28, stateless), legacy (2025-11-25 and before, initialize), or auto: ask the server',
    valid: ERAS.join(', '),
    parse: oneOf(ERAS),
  }),
  MCP_PROTOCOL_VERSION: variable({
    default: '',
    help: 'the one protocol version to speak; unset: the newest that both sides know',
    valid: VERSIONS.join(', '),
    parse: (text) => (text === '' || VERSIONS.includes(text) ? text : undefined),
  }),
  SESSIONS_MODE: variable({
    default: 'per-vu',
    help: 'legacy sessions: per-vu keeps one for each virtual user; per-call opens and ends one around each call; abandon opens one for each call and never ends it',
    valid: SESSIONS_MODES.join(', '),
    parse: oneOf(SESSIONS_MODES),
  }),
  CLIENT_CACHE: variable({
    default: '0',
    help: '1: lists and resources that the server lets a client keep (ttlMs) are kept by each virtual user',
    valid: '0, 1',
    parse: flag,
  }),
  ACCEPT_ENCODING: variable({
    default: '',
    help: 'compressions of answers that requests accept; sizes are then those on the wire; unset: none is asked for',
    valid: `${ENCODINGS.join(', ')}, or several of them separated by commas`,
    parse: encodings,
  }),
  OBJECTIVES: variable({
    default: '',
    help: 'off: measure without judging; or changes to the objectives: baseline.p99_ms=120,all.failure_share=0.01',
    valid: 'off, or scope.metric=number pairs separated by commas',
    parse: anyText,
  }),
  DURATION: variable({
    default: '',
    help: "length of all measured phases together, instead of the profile's; the phases keep their proportions",
    valid: 'a duration such as 90s or 10m',
    parse: optionalDuration,
  }),
  RATE_SCALE: variable({
    default: '1',
    help: "factor on every arrival rate, on top of the profile's (0.5 = half the load)",
    valid: 'a number above 0',
    parse: positiveNumber,
  }),
  MAX_VUS: variable({
    default: '1000',
    help: 'most virtual users that a phase may have: an arrival rate uses no more, users without a pause that are more end the run; each costs the generator up to 1 MB',
    valid: 'a whole number above 0',
    parse: positiveInteger,
  }),
  MAX_RATE: variable({
    default: '5000',
    help: 'most requests/s that a phase may offer, and at which capacity stops; more has to be meant',
    valid: 'a number above 0',
    parse: positiveNumber,
  }),
  MAX_DURATION: variable({
    default: '25h',
    help: 'longest that one k6 run may take; longer has to be meant',
    valid: 'a duration such as 25h',
    parse: (text) => parseDuration(text) ?? undefined,
  }),
  OTHER_CPU: variable({
    default: '0.2',
    help: "share of the machine's CPU that programs which are no part of the test may use in a measured phase; above it the run is invalid (1: any)",
    valid: 'a number from 0 to 1',
    parse: (text) => (/^(0(\.\d+)?|1(\.0+)?)$/.test(text) ? Number(text) : undefined),
  }),
  SEED: variable({
    default: '1',
    help: 'seed of the generated arguments: with the same seed each virtual user makes the same sequence of them',
    valid: 'a whole number above 0',
    parse: positiveInteger,
  }),
  SAMPLES: variable({
    default: 'auto',
    help: `keep: every sample in k6's memory, 226 bytes a request; stream: in Prometheus alone, percentiles from histograms; auto: stream above ${KEPT_REQUESTS / 1e6} million requests`,
    valid: SAMPLES.join(', '),
    parse: oneOf(SAMPLES),
  }),
};

/** @typedef {import('./variable.js').ValuesOf<typeof variables>} Config */

/**
 * @param {Record<string, string | undefined>} env
 * @returns {Config} every variable's value, parsed
 * @throws {ConfigError} naming the variable, what it got and what is valid
 */
export function readConfig(env) {
  const config = readVariables(variables, env);
  if (config.TARGET_URL === '')
    throw new ConfigError(`TARGET_URL is empty; valid: ${variables.TARGET_URL.valid}`);
  // A plan sends nothing but discovery.
  if (!config.DRY_RUN) {
    needConfirmed('TARGET_URL', config.TARGET_URL, [...config.TARGET_CONFIRM, ...stackHosts(env)]);
  }
  const { MCP_PROTOCOL_VERSION: version, MCP_ERA: era } = config;
  if (version && era !== 'auto' && (era === 'modern') !== (version === MODERN_VERSION)) {
    throw new ConfigError(
      `MCP_PROTOCOL_VERSION is ${version}, which is not of the era of MCP_ERA=${era}; valid: ` +
        (era === 'modern' ? MODERN_VERSION : LEGACY_VERSIONS.join(', ')),
    );
  }
  if (config.ARGS && !config.TOOL)
    throw new ConfigError('ARGS is set without TOOL; valid: TOOL=name ARGS=JSON');
  if (config.PAYLOAD && (config.TOOL || config.TOOLS))
    throw new ConfigError('PAYLOAD is set beside TOOL or TOOLS; valid: one of the three');
  if (config.TOOLS && (config.TOOL || config.WORKLOAD))
    throw new ConfigError('TOOLS is set beside TOOL or WORKLOAD; valid: one of the three');
  return config;
}

/**
 * @param {Record<string, string | undefined>} env
 * @returns {readonly string[]} what the stack's own containers, and this host, are called in Docker
 */
export const stackHosts = ({ STACK_HOSTS = '' }) => hostList(STACK_HOSTS) ?? [];
