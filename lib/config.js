/**
 * Every variable that a test reads, in one place: its default, what it means, and how it is checked.
 * `make help` prints this table. The values come from the environment; k6 hands them over as `__ENV`.
 */
import { parseDuration } from './duration.js';
import { profiles } from './profiles.js';

/** A wrong value in the environment: the run ends with exit code 2 and this message. */
export class ConfigError extends Error {}

/**
 * @template T
 * @typedef {object} Variable
 * @property {string} default as the user would write it; '' = unset
 * @property {string} help one line
 * @property {string} valid what a right value looks like, for the error message
 * @property {(text: string) => T | undefined} parse undefined = not valid
 * @property {true} [secret] never to be printed
 */

/**
 * @template T
 * @param {Variable<T>} variable
 */
const variable = (variable) => variable;

/** @param {string} text */
const anyText = (text) => text;

/** @param {readonly string[]} choices */
const oneOf = (choices) => (/** @type {string} */ text) => (choices.includes(text) ? text : undefined);

/** @param {string} text */
const positiveNumber = (text) => (/^\d+(\.\d+)?$/.test(text) && Number(text) > 0 ? Number(text) : undefined);

/** @param {string} text */
const positiveInteger = (text) => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined);

/** @param {string} text */
const optionalDuration = (text) => (text === '' ? null : (parseDuration(text) ?? undefined));

/** @param {string} text */
function httpUrl(text) {
  // k6 has no URL class; host and port are all that must be told apart here.
  return /^https?:\/\/([\w.-]+|\[[0-9a-fA-F:]+\])(:\d{1,5})?(\/[^\s]*)?$/.test(text) ? text : undefined;
}

/** @param {string} text */
function jsonObject(text) {
  if (text === '') return null;
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const PROFILES = Object.keys(profiles);
const ERAS = ['auto', 'modern', 'legacy'];

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
    parse: httpUrl,
  }),
  TARGET_TOKEN: variable({
    default: '',
    help: 'bearer token sent to the target (never printed or stored)',
    valid: 'printable characters without spaces',
    parse: (text) => (/^[\x21-\x7e]*$/.test(text) ? text : undefined),
    secret: true,
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
  MCP_ERA: variable({
    default: 'auto',
    help: 'modern (2026-07-28, stateless), legacy (2025-11-25 and before, initialize), or auto: ask the server',
    valid: ERAS.join(', '),
    parse: oneOf(ERAS),
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
    help: 'most virtual users that an arrival-rate phase may use; each costs the generator up to 1 MB',
    valid: 'a whole number above 0',
    parse: positiveInteger,
  }),
  SEED: variable({
    default: '1',
    help: 'seed of the generated arguments: with the same seed each virtual user makes the same sequence of them',
    valid: 'a whole number above 0',
    parse: positiveInteger,
  }),
};

/**
 * @typedef {{[K in keyof typeof variables]: Exclude<ReturnType<(typeof variables)[K]['parse']>, undefined>}} Config
 */

/**
 * @param {Record<string, string | undefined>} env
 * @returns {Config} every variable's value, parsed
 * @throws {ConfigError} naming the variable, what it got and what is valid
 */
export function readConfig(env) {
  /** @type {Record<string, unknown>} */
  const config = {};
  for (const [name, definition] of Object.entries(variables)) {
    // An empty variable is an unset one: `make spike TOOL=` must not differ from `make spike`.
    const text = env[name] || definition.default;
    const value = definition.parse(text);
    const mandatory = name === 'TARGET_URL' && text === '';
    if (value === undefined || mandatory) {
      const got = 'secret' in definition ? 'a value that is not shown' : `"${text.slice(0, 80)}"`;
      throw new ConfigError(`${name} is ${text === '' ? 'empty' : got}; valid: ${definition.valid}`);
    }
    config[name] = value;
  }
  if (config.ARGS && !config.TOOL)
    throw new ConfigError('ARGS is set without TOOL; valid: TOOL=name ARGS=JSON');
  return /** @type {Config} */ (config);
}
