/**
 * TARGET_HEADERS: headers of each request, as lines of `Name: value` or as one JSON object. The values may be
 * secrets.
 */

/** Headers that the client sets itself, and headers of the connection. */
const RESERVED =
  /^(accept|connection|content-length|content-type|host|last-event-id|transfer-encoding|mcp-(method|name|param-.*|protocol-version|session-id))$/i;

/** RFC 9110, `token`. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Visible characters with spaces between them. Line breaks are not allowed. */
const VALUE = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * @param {string} text '' = none
 * @returns {Record<string, string> | undefined} undefined if invalid
 */
export function parseHeaders(text) {
  const pairs = text.trimStart().startsWith('{') ? jsonPairs(text) : linePairs(text);
  return pairs && toHeaders(pairs);
}

/**
 * @param {[string, unknown][]} pairs
 * @returns {Record<string, string> | undefined} undefined if a name or value is invalid or reserved, or a
 *   name occurs twice
 */
export function toHeaders(pairs) {
  /** @type {Record<string, string>} */
  const headers = {};
  const names = new Set();
  for (const [name, value] of pairs) {
    const valid =
      NAME.test(name) && !RESERVED.test(name) && typeof value === 'string' && VALUE.test(value.trim());
    if (!valid || names.has(name.toLowerCase())) return undefined;
    names.add(name.toLowerCase());
    headers[name] = value.trim();
  }
  return headers;
}

/** @param {string} text @returns {[string, unknown][] | undefined} */
function jsonPairs(text) {
  try {
    return Object.entries(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** @param {string} text @returns {[string, unknown][]} */
function linePairs(text) {
  return text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const colon = line.indexOf(':');
      return colon < 0 ? [line, ''] : [line.slice(0, colon).trim(), line.slice(colon + 1)];
    });
}

/** @param {Record<string, string>} headers @param {string} name in lower case */
export const hasHeader = (headers, name) => Object.keys(headers).some((key) => key.toLowerCase() === name);
