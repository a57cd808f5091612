/**
 * Finds secrets in a text, independently of its escapes (URL, JSON, HTML), because a server may encode what it
 * received. xk6-mcp/redact.go does the same for messages of clients of k6/x/mcp.
 */

export const REDACTED = '***';
/** Shorter values are not treated as secrets, because removing them would destroy ordinary words. */
const MIN_SECRET = 4;
/** Maximum number of nested escapes that are decoded. */
const MAX_ESCAPES = 4;
/** Length of the longest escape, an HTML entity. */
const MAX_ENTITY = 12;

/** A decoded text, with the position of each code unit in the original text. */
export interface Reading {
  text: string;
  /** Start of each code unit in the original text. */
  from: number[];
  /** End of each code unit in the original text. */
  to: number[];
}

/**
 * Characters that may be in a secret without being visible: control characters, and characters without a
 * width.
 */
const INVISIBLE = '[\\p{Cf}\\p{Cc}]+';
const UNSEEN = new RegExp(INVISIBLE, 'gu');
const ESCAPES = new RegExp(
  `(?<url>(?:%[0-9a-f]{2})+)|\\\\u(?<unit>[0-9a-f]{4})|\\\\x(?<byte>[0-9a-f]{2})|\\\\(?<char>["'\\\\/bfnrt])|&(?<entity>#x[0-9a-f]{1,8}|#\\d{1,8}|[a-z]{2,8});|${INVISIBLE}`,
  'giu',
);
const PARTIAL_ESCAPE = /(?:%[0-9a-f]?|\\(?:u[0-9a-f]{0,3}|x[0-9a-f]?)?|&#?[0-9a-z]{0,10})$/i;
/** A text without characters that may belong to an escape. */
const PLAIN = /^[ !"#$'-[\]-~]*$/;

const ENTITIES: Record<string, string> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", sol: '/', bsol: '\\', plus: '+', equals: '=' },
  ...{ colon: ':', comma: ',', period: '.', lowbar: '_', percnt: '%', num: '#', semi: ';', excl: '!' },
};

/** @returns the values in the spellings that do not result from an escape, longest first */
export function spellingsOf(values: readonly string[]): string[] {
  const spellings = values
    .flatMap((value) => {
      const base64 = base64Of(value);
      const forUrls = base64.replaceAll('+', '-').replaceAll('/', '_');
      return [value, value.replaceAll(' ', '+'), base64, forUrls];
    })
    .map((spelling) => spelling.replace(UNSEEN, '').replace(/=+$/, ''));
  return [...new Set(spellings)]
    .filter((spelling) => spelling.length >= MIN_SECRET)
    .sort((a, b) => b.length - a.length);
}

/** @param text encoded as UTF-8 */
export const base64Of = (text: string) =>
  text.length < MIN_SECRET ? '' : btoa(String.fromCharCode(...new TextEncoder().encode(text)));

/**
 * @param secrets from `spellingsOf`
 * @param isCut whether the text is truncated, so that it may end within a secret
 * @returns the text, with each secret replaced by `REDACTED`
 */
export function hideSecrets(text: string, secrets: readonly string[], isCut: boolean = false): string {
  if (secrets.length === 0 || text === '') return text;
  if (!isCut && PLAIN.test(text) && !secrets.some((secret) => text.includes(secret))) return text;
  let reading = asReading(text);
  const places: [number, number][] = [];
  for (let round = 0; round <= MAX_ESCAPES; round += 1) {
    const next = decoded(reading, round > 0);
    if (round > 0 && next.text === reading.text) break;
    reading = next;
    places.push(...placesOf(reading, secrets));
    const at = isCut ? partialAt(reading.text, secrets) : reading.text.length;
    if (at < reading.text.length) places.push([reading.from[at] ?? 0, text.length]);
  }
  return replaced(text, places);
}

const asReading = (text: string): Reading => ({
  text,
  from: Array.from({ length: text.length }, (_, index) => index),
  to: Array.from({ length: text.length }, (_, index) => index + 1),
});

/** @returns their positions in the original text */
function placesOf({ text, from, to }: Reading, secrets: readonly string[]): [number, number][] {
  const places: [number, number][] = [];
  for (const secret of secrets) {
    for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + secret.length)) {
      places.push([from[at] ?? 0, to[at + secret.length - 1] ?? 0]);
    }
  }
  return places;
}

/** @param decodesEscapes whether to decode escapes (one level); invisible characters are always removed */
function decoded(reading: Reading, decodesEscapes: boolean): Reading {
  const parts = [];
  const from: number[] = [];
  const to: number[] = [];
  let done = 0;
  const copyTo = (end: number) => {
    parts.push(reading.text.slice(done, end));
    for (; done < end; done += 1) {
      from.push(reading.from[done] ?? 0);
      to.push(reading.to[done] ?? 0);
    }
  };
  for (const found of reading.text.matchAll(decodesEscapes ? ESCAPES : UNSEEN)) {
    const text = decodesEscapes ? meaningOf(found[0], found.groups ?? {}) : '';
    copyTo(found.index);
    done = found.index + found[0].length;
    parts.push(text);
    for (let unit = 0; unit < text.length; unit += 1) {
      from.push(reading.from[found.index] ?? 0);
      to.push(reading.to[done - 1] ?? 0);
    }
  }
  copyTo(reading.text.length);
  return { text: parts.join(''), from, to };
}

/** @param written an escape @param groups groups of ESCAPES @returns the decoded text */
function meaningOf(
  written: string,
  { url, unit, byte, char, entity }: Record<string, string | undefined>,
): string {
  if (url) {
    const bytes = (url.match(/[0-9a-f]{2}/gi) ?? []).map((pair) => Number.parseInt(pair, 16));
    return new TextDecoder().decode(new Uint8Array(bytes)).replace(UNSEEN, '');
  }
  if (unit || byte) {
    return String.fromCharCode(Number.parseInt(unit ?? byte ?? '', 16)).replace(UNSEEN, '');
  }
  // The letters are control characters:
  // , \t and so on.
  if (char) return /\w/.test(char) ? '' : char;
  if (entity?.startsWith('#')) {
    const hex = /^#x(.*)/i.exec(entity)?.[1];
    const code = hex ? Number.parseInt(hex, 16) : Number(entity.slice(1));
    return code <= 0x10ffff ? String.fromCodePoint(code).replace(UNSEEN, '') : written;
  }
  return entity ? (ENTITIES[entity.toLowerCase()] ?? written) : '';
}

/**
 * @returns the position of a partial secret at the end of the text, possibly followed by a partial escape;
 *   the text's length if there is none
 */
function partialAt(text: string, secrets: readonly string[]): number {
  const start = Math.max(0, text.length - (secrets[0]?.length ?? 0) - MAX_ENTITY);
  const tail = text.slice(start);
  for (const end of [tail, tail.replace(PARTIAL_ESCAPE, '')]) {
    for (let at = 0; at < end.length; at += 1) {
      const rest = end.slice(at);
      if (secrets.some((secret) => secret.startsWith(rest))) return start + at;
    }
  }
  return text.length;
}

/** @returns the text with a single mark for overlapping positions */
function replaced(text: string, places: [number, number][]): string {
  let out = '';
  let end = 0;
  for (const [from, to] of places.sort((a, b) => a[0] - b[0] || b[1] - a[1])) {
    if (from >= end) out += text.slice(end, from) + REDACTED;
    end = Math.max(end, to);
  }
  return out + text.slice(end);
}
