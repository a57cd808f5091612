/**
 * Cleans text from external sources (a server's name, a failure sample, k6's log). It is not trusted: it may
 * contain the token that was sent, terminal escape codes, or a megabyte of data.
 */
import { base64Of, hideSecrets, REDACTED, spellingsOf } from './hide-secrets.ts';

/** Maximum length of a string in a run document. */
export const MAX_TEXT = 500;

/** Environment variables whose values must not appear in any result. */
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

/** @returns the secrets' values in the spellings that `redact` searches for, longest first */
export function secretsOf(env: NodeJS.ProcessEnv): string[] {
  return spellingsOf([
    ...SECRET_VARIABLES.map((name) => env[name] ?? ''),
    ...headerValues(env.TARGET_HEADERS ?? '').flatMap(credentialsIn),
    ...headerValues(env.GATEWAY_HEADERS ?? '').flatMap(credentialsIn),
    ...settingValues(env.GATEWAY_SETTINGS ?? ''),
    ...(env.TARGET_ENV ?? '').split(',').map((name) => env[name.trim()] ?? ''),
    ...basicOf(env.OAUTH_CLIENT_ID ?? '', env.OAUTH_CLIENT_SECRET ?? ''),
  ]);
}

/** @returns an OAuth client's credentials as HTTP Basic authentication encodes them */
const basicOf = (id: string, secret: string): string[] =>
  id === '' || secret === ''
    ? []
    : [`${id}:${secret}`, `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`].map(base64Of);

/**
 * @param value value of a header
 * @returns the value, the credentials after its scheme, and the password of HTTP Basic
 */
function credentialsIn(value: string): string[] {
  const [, scheme = '', rest = ''] = /^(\S+) +(.+)$/.exec(value) ?? [];
  if (scheme.toLowerCase() !== 'basic') return [value, rest];
  try {
    return [value, rest, atob(rest).replace(/^[^:]*:/, '')];
  } catch {
    return [value, rest];
  }
}

/**
 * Names of settings that contain secrets. Values of other settings are common words, such as `true`, which
 * also occur in reports.
 */
const SECRET_SETTING = /SECRET|PASSW|TOKEN|KEY|CREDENTIAL/i;

/** @param text GATEWAY_SETTINGS: a JSON object */
function settingValues(text: string): string[] {
  try {
    return Object.entries(JSON.parse(text)).flatMap(([name, value]) =>
      SECRET_SETTING.test(name) ? [String(value)] : [],
    );
  } catch {
    return [];
  }
}

/** @param text TARGET_HEADERS: one `Name: value` per line, or a JSON object */
function headerValues(text: string): string[] {
  try {
    return Object.values(JSON.parse(text)).map((value) => String(value).trim());
  } catch {
    return text.split('\n').map((line) => line.slice(line.indexOf(':') + 1).trim());
  }
}

/**
 * @param secrets from `secretsOf`
 * @param isCut whether the text is truncated
 * @returns the text without the secrets, bearer tokens, URL credentials, and URL parameters that look like
 *   secrets
 */
export function redact(text: string, secrets: readonly string[], isCut: boolean = false): string {
  return hideSecrets(text, secrets, isCut)
    .replace(/\b(bearer|basic)\s+(?!\*\*\*)[\w.~+/=-]{6,}/gi, `$1 ${REDACTED}`)
    .replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s/?#@"']*(?::[^\s/?#"']*)?@/gi, '$1')
    .replace(
      /([?&][^=&\s]{0,40}(?:token|key|secret|passw|auth|signature)[^=&\s]{0,40}=)[^&\s#"']+/gi,
      `$1${REDACTED}`,
    );
}

/**
 * @param max maximum number of characters
 * @returns a single line without secrets, control characters and text-direction characters
 */
export function cleanText(text: string, secrets: readonly string[], max: number = MAX_TEXT): string {
  // The length is limited before the patterns run as well, far above the final limit.
  const maxInput = 20 * MAX_TEXT;
  const oneLine = redact(text.slice(0, maxInput), secrets, text.length > maxInput)
    // \p{C} matches control characters, format characters (text direction, zero width), lone surrogates and
    // unassigned code points. biome's rule against control characters in patterns does not apply to it.
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim();
  const characters = [...oneLine];
  return characters.length <= max ? oneLine : `${characters.slice(0, max - 1).join('')}…`;
}

/** @param value plain JSON data @returns a copy with all strings and keys cleaned */
export function cleanDeep<T>(value: T, secrets: readonly string[]): T {
  const clean = (node: unknown): unknown => {
    if (typeof node === 'string') return cleanText(node, secrets);
    if (Array.isArray(node)) return node.map(clean);
    if (node !== null && typeof node === 'object') {
      return Object.fromEntries(
        Object.entries(node).map(([key, item]) => [cleanText(key, secrets), clean(item)]),
      );
    }
    return node;
  };
  return clean(value) as T;
}
