/**
 * Text that the run takes over from elsewhere (a server's name, a failure sample, k6's log) is not to be
 * trusted: it may hold the token that was sent, escape codes for the terminal, or a megabyte.
 */
import { base64Of, hideSecrets, REDACTED, spellingsOf } from './hide-secrets.js';

/** Longest string that a run document keeps. */
export const MAX_TEXT = 500;

/** Environment variables whose values must never show up in what a run leaves. */
const SECRET_VARIABLES = [
  'TARGET_TOKEN',
  'REFERENCE_TOKEN',
  'OAUTH_CLIENT_SECRET',
  'TARGET_KEY_PASSWORD',
  'GATEWAY_TOKEN',
  'POSTGRES_PASSWORD',
  'TARGET_DATABASE_PASSWORD',
  'REDIS_PASSWORD',
  'GRAFANA_ADMIN_PASSWORD',
  'SUPERVISOR_PASSWORD',
  'PROMETHEUS_PASSWORD',
  'EXPORTERS_PASSWORD',
  'K6_PROMETHEUS_RW_PASSWORD',
];

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {string[]} the secrets' values in the spellings that `redact` looks for, longest first
 */
export function secretsOf(env) {
  return spellingsOf([
    ...SECRET_VARIABLES.map((name) => env[name] ?? ''),
    ...headerValues(env.TARGET_HEADERS ?? '').flatMap(credentialsIn),
    ...headerValues(env.GATEWAY_HEADERS ?? '').flatMap(credentialsIn),
    ...settingValues(env.GATEWAY_SETTINGS ?? ''),
    ...basicOf(env.OAUTH_CLIENT_ID ?? '', env.OAUTH_CLIENT_SECRET ?? ''),
  ]);
}

/** @param {string} id @param {string} secret @returns {string[]} an OAuth client's credentials as HTTP Basic authentication has them */
const basicOf = (id, secret) =>
  id === '' || secret === ''
    ? []
    : [`${id}:${secret}`, `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`].map(base64Of);

/** @param {string} value of a header @returns {string[]} the value, what follows its scheme, and the password of HTTP Basic */
function credentialsIn(value) {
  const [, scheme = '', rest = ''] = /^(\S+) +(.+)$/.exec(value) ?? [];
  if (scheme.toLowerCase() !== 'basic') return [value, rest];
  try {
    return [value, rest, atob(rest).replace(/^[^:]*:/, '')];
  } catch {
    return [value, rest];
  }
}

/** Settings whose name says so: most others are words, such as `true`, that a report has, too. */
const SECRET_SETTING = /SECRET|PASSW|TOKEN|KEY|CREDENTIAL/i;

/** @param {string} text GATEWAY_SETTINGS: one JSON object @returns {string[]} */
function settingValues(text) {
  try {
    return Object.entries(JSON.parse(text)).flatMap(([name, value]) =>
      SECRET_SETTING.test(name) ? [String(value)] : [],
    );
  } catch {
    return [];
  }
}

/** @param {string} text TARGET_HEADERS: `Name: value` a line, or one JSON object @returns {string[]} */
function headerValues(text) {
  try {
    return Object.values(JSON.parse(text)).map((value) => String(value).trim());
  } catch {
    return text.split('\n').map((line) => line.slice(line.indexOf(':') + 1).trim());
  }
}

/**
 * @param {string} text
 * @param {readonly string[]} secrets from `secretsOf`
 * @param {boolean} [isCut] the text goes on
 * @returns {string} without the secrets, bearer tokens, URL credentials and secret-looking URL parameters
 */
export function redact(text, secrets, isCut = false) {
  return hideSecrets(text, secrets, isCut)
    .replace(/\b(bearer|basic)\s+(?!\*\*\*)[\w.~+/=-]{6,}/gi, `$1 ${REDACTED}`)
    .replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s/?#@"']*(?::[^\s/?#"']*)?@/gi, '$1')
    .replace(
      /([?&][^=&\s]{0,40}(?:token|key|secret|passw|auth|signature)[^=&\s]{0,40}=)[^&\s#"']+/gi,
      `$1${REDACTED}`,
    );
}

/**
 * @param {string} text
 * @param {readonly string[]} secrets
 * @param {number} [max] most characters kept
 * @returns {string} one line: redacted, no control or text-direction characters, bounded
 */
export function cleanText(text, secrets, max = MAX_TEXT) {
  // Bounded before the patterns run as well, far beyond what is kept.
  const most = 20 * MAX_TEXT;
  const oneLine = redact(text.slice(0, most), secrets, text.length > most)
    // biome's rule against control characters in patterns does not see that they are what is looked for: \p{C}
    // holds controls, formats (text direction, zero width), lone surrogates and unassigned ones.
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim();
  const characters = [...oneLine];
  return characters.length <= max ? oneLine : `${characters.slice(0, max - 1).join('')}…`;
}

/**
 * @template T
 * @param {T} value plain JSON data
 * @param {readonly string[]} secrets
 * @returns {T} the same with every string and every key cleaned
 */
export function cleanDeep(value, secrets) {
  /** @param {unknown} node @returns {unknown} */
  const clean = (node) => {
    if (typeof node === 'string') return cleanText(node, secrets);
    if (Array.isArray(node)) return node.map(clean);
    if (node !== null && typeof node === 'object') {
      return Object.fromEntries(
        Object.entries(node).map(([key, item]) => [cleanText(key, secrets), clean(item)]),
      );
    }
    return node;
  };
  return /** @type {T} */ (clean(value));
}
