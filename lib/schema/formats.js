/**
 * The values of JSON Schema's `format` for strings: what they accept, and samples. The expressions use nothing in
 * which the regex engines of k6 and Node differ, and none can backtrack for long.
 */
import { Impossible } from './limits.js';
import { parsePattern } from './pattern.js';
import { words } from './words.js';

/**
 * @typedef {object} Format
 * @property {(text: string) => boolean} accepts
 * @property {(make: Make) => string} sample
 *
 * @typedef {object} Make
 * @property {import('./random.js').Random} random
 * @property {number} attempt 0: the plainest form
 * @property {number} min characters
 * @property {number} max
 */

/** @param {number} number @param {number} [digits] */
const padded = (number, digits = 2) => String(number).padStart(digits, '0');

/** @param {Make} make */
function sampleDate({ random }) {
  return `${random.integer(2024, 2026)}-${padded(random.integer(1, 12))}-${padded(random.integer(1, 28))}`;
}

/** @param {Make} make @returns {string} without an offset */
function sampleTime({ random, attempt }) {
  const time = `${padded(random.integer(8, 18))}:${padded(random.integer(0, 59))}:${padded(random.integer(0, 59))}`;
  return attempt % 3 === 2 ? `${time}.${padded(random.integer(1, 999), 3)}` : time;
}

/** @param {string} text */
function isDate(text) {
  const [, year = '', month = '', day = ''] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  const inMonth = [31, isLeap(Number(year)) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][
    Number(month) - 1
  ];
  return inMonth !== undefined && Number(day) >= 1 && Number(day) <= inMonth;
}

/** @param {number} year */
const isLeap = (year) => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

/**
 * @param {string} text
 * @param {boolean} needsOffset
 */
function isTime(text, needsOffset) {
  const match = /^(\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:([zZ])|([+-])(\d{2}):?(\d{2})?)?$/.exec(text);
  if (!match) return false;
  const [, hour, minute, second, utc, sign, offsetHour = '0', offsetMinute = '0'] = match;
  if (needsOffset && !utc && !sign) return false;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(offsetHour) > 23 || Number(offsetMinute) > 59)
    return false;
  if (Number(second) <= 59) return true;
  // A leap second is the last of a day in UTC.
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * (sign === '-' ? -1 : 1);
  const inUtc = (((Number(hour) * 60 + Number(minute) - offset) % 1440) + 1440) % 1440;
  return Number(second) === 60 && inUtc === 1439;
}

/** @param {string} text */
function isDateTime(text) {
  const [date = '', time = '', ...more] = text.split(/[tT\s]/);
  return more.length === 0 && isDate(date) && isTime(time, true);
}

const LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
const HOSTNAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*\\.?$`);

/** @param {string} text */
function isHostname(text) {
  const name = text.endsWith('.') ? text.slice(0, -1) : text;
  return name.length <= 253 && HOSTNAME.test(text) && name.split('.').every(({ length }) => length <= 63);
}

/** @param {Make} make */
function sampleHostname({ random, min, max }) {
  if (max < 12) return words(random, '', min, max);
  return `${words(random, '.', min - 12, max - 12)}.example.com`;
}

const OCTET = /^(?:0|[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])$/;

/** @param {string} text */
function isIpv4(text) {
  const octets = text.split('.');
  return octets.length === 4 && octets.every((octet) => OCTET.test(octet));
}

/** @param {string} text */
function isIpv6(text) {
  const halves = text.split('::');
  if (halves.length > 2) return false;
  let groups = 0;
  for (const [half, part] of halves.entries()) {
    if (part === '') continue;
    const fields = part.split(':');
    for (const [index, field] of fields.entries()) {
      const last = half === halves.length - 1 && index === fields.length - 1;
      if (last && isIpv4(field)) groups += 2;
      else if (/^[0-9a-fA-F]{1,4}$/.test(field)) groups += 1;
      else return false;
    }
  }
  return halves.length === 2 ? groups <= 7 : groups === 8;
}

const LOCAL = "[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]+";
const EMAIL = new RegExp(`^${LOCAL}(?:\\.${LOCAL})*@(?:${LABEL}\\.)+${LABEL}$`);

/** @param {Make} make */
function sampleEmail({ random, min, max }) {
  const domain = max < 15 ? 'a.co' : 'example.com';
  return `${words(random, '.', min - domain.length - 1, Math.max(1, max - domain.length - 1))}@${domain}`;
}

const URI_PART = /^(?:[a-zA-Z0-9._~!$&'()*+,;=:@/?#[\]-]|%[0-9a-fA-F]{2})*$/;
const IRI_PART = /^(?:[^\s<>"{}|\\^`%]|%[0-9a-fA-F]{2})*$/;

/**
 * @param {string} text
 * @param {RegExp} part
 * @param {boolean} absolute it must have a scheme
 */
function isUri(text, part, absolute) {
  if (!part.test(text)) return false;
  const [beforeFragment = '', fragment = '', ...more] = text.split('#');
  if (more.length > 0 || /[[\]]/.test(fragment)) return false;
  const [, scheme, rest = ''] = /^([a-zA-Z][a-zA-Z0-9+.-]*:)?(.*)$/.exec(beforeFragment) ?? [];
  if (absolute && !scheme) return false;
  const [, authority, path = ''] = /^(?:\/\/([^/?]*))?(.*)$/.exec(rest) ?? [];
  if (/[[\]]/.test(path) || (!scheme && authority === undefined && /^[^/?]*:/.test(path))) return false;
  return authority === undefined || isAuthority(authority);
}

/** @param {string} authority */
function isAuthority(authority) {
  const [, address] = /^(?:[^@[\]]*@)?\[([^[\]]*)\](?::\d*)?$/.exec(authority) ?? [];
  if (address !== undefined) return isIpv6(address) || /^v[0-9a-f]+\.[^@]+$/i.test(address);
  return /^(?:[^@[\]]*@)?[^@:[\]]*(?::\d*)?$/.test(authority);
}

/** @param {Make} make */
function sampleUri({ random, min, max }) {
  if (max < 22)
    return max < 13 ? `x:${words(random, '', min - 2, Math.max(1, max - 2))}` : 'http://a.example';
  return `https://example.com/${words(random, '/', min - 20, max - 20)}`;
}

/** @param {Make} make */
function sampleUriReference({ random, min, max }) {
  return `/${words(random, '/', min - 1, Math.max(1, max - 1))}`;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** @param {string} text ASCII */
export function base64(text) {
  let encoded = '';
  for (let at = 0; at < text.length; at += 3) {
    const bytes = [0, 1, 2].map((n) => text.charCodeAt(at + n));
    const [a = 0, b = 0, c = 0] = bytes.map((byte) => (Number.isNaN(byte) ? 0 : byte));
    const digits = [a >> 2, ((a & 3) << 4) | (b >> 4), ((b & 15) << 2) | (c >> 6), c & 63];
    const known = Math.min(3, text.length - at) + 1;
    encoded += digits.map((digit, n) => (n < known ? DIGITS[digit] : '=')).join('');
  }
  return encoded;
}

/** @param {Make} make */
export function sampleBase64({ random, min, max }) {
  const bytes = Math.min(Math.max(Math.ceil(min / 4) * 3, 4), Math.floor(max / 4) * 3);
  return base64(words(random, ' ', bytes, bytes));
}

/** @param {Make} make */
function sampleUuid({ random }) {
  const hex = (/** @type {number} */ digits) => {
    let text = '';
    for (let n = 0; n < digits; n += 1) text += random.integer(0, 15).toString(16);
    return text;
  };
  return `${hex(8)}-${hex(4)}-4${hex(3)}-${random.pick('89ab')}${hex(3)}-${hex(12)}`;
}

/** @param {string} text */
function isRegex(text) {
  try {
    return Boolean(parsePattern(text));
  } catch (error) {
    if (error instanceof Impossible) return false;
    throw error;
  }
}

/** @type {Format} */
const email = { accepts: (text) => text.length <= 320 && EMAIL.test(text), sample: sampleEmail };
/** @type {Format} */
const hostname = { accepts: isHostname, sample: sampleHostname };
/** @type {Format} */
const base64Format = { accepts: (text) => BASE64.test(text), sample: sampleBase64 };

/** @type {Record<string, Format>} */
const FORMATS = {
  date: { accepts: isDate, sample: sampleDate },
  time: {
    // RFC 3339 asks for an offset, and the schemas that zod writes forbid it by their pattern.
    accepts: (text) => isTime(text, false),
    sample: (make) => `${sampleTime(make)}Z`,
  },
  'date-time': { accepts: isDateTime, sample: (make) => `${sampleDate(make)}T${sampleTime(make)}Z` },
  duration: {
    accepts: (text) =>
      /^P(?:(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?:\d+H)?(?:\d+M)?(?:\d+S)?)?|(?:\d+W)?)$/.test(text) &&
      /[A-Z]$/.test(text) &&
      !/[PT]$/.test(text),
    sample: ({ random, attempt }) =>
      attempt % 2 === 0 ? `PT${random.integer(1, 59)}M` : `P${random.integer(1, 9)}D`,
  },
  email,
  'idn-email': { accepts: (text) => /^[^\s@]+@[^\s@]+$/.test(text), sample: sampleEmail },
  hostname,
  'idn-hostname': { accepts: (text) => /^[^\s.@/]+(?:\.[^\s.@/]+)*\.?$/.test(text), sample: sampleHostname },
  ipv4: { accepts: isIpv4, sample: ({ random }) => `192.0.2.${random.integer(1, 254)}` },
  ipv6: {
    accepts: isIpv6,
    sample: ({ random, attempt }) =>
      attempt % 2 === 0
        ? `2001:db8::${random.integer(1, 9999).toString(16)}`
        : `2001:db8:0:0:0:0:0:${random.integer(1, 9999).toString(16)}`,
  },
  uri: { accepts: (text) => isUri(text, URI_PART, true), sample: sampleUri },
  url: {
    accepts: (text) => /^(?:https?|ftp):\/\/./i.test(text) && isUri(text, URI_PART, true),
    sample: sampleUri,
  },
  iri: { accepts: (text) => isUri(text, IRI_PART, true), sample: sampleUri },
  'uri-reference': { accepts: (text) => isUri(text, URI_PART, false), sample: sampleUriReference },
  'iri-reference': { accepts: (text) => isUri(text, IRI_PART, false), sample: sampleUriReference },
  'uri-template': {
    accepts: (text) => /^(?:[^\s"'<>%\\^`{|}]|%[0-9a-fA-F]{2}|\{[+#./;?&=,!@|]?[\w.,%:*]+\})*$/.test(text),
    sample: ({ random, min, max }) => `/${words(random, '/', min - 6, Math.max(1, max - 6))}/{id}`,
  },
  uuid: {
    accepts: (text) =>
      /^(?:urn:uuid:)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text),
    sample: sampleUuid,
  },
  'json-pointer': {
    accepts: (text) => /^(?:\/(?:[^~/]|~0|~1)*)*$/.test(text),
    sample: sampleUriReference,
  },
  'relative-json-pointer': {
    accepts: (text) => /^(?:0|[1-9]\d*)(?:#|(?:\/(?:[^~/]|~0|~1)*)*)$/.test(text),
    sample: (make) => `0${sampleUriReference({ ...make, min: make.min - 1, max: make.max - 1 })}`,
  },
  regex: { accepts: isRegex, sample: ({ random, min, max }) => words(random, '|', min, max) },
  byte: base64Format,
  base64: base64Format,
};

/**
 * @param {unknown} name
 * @returns {Format | undefined} undefined: not known, so it means nothing
 */
export const formatOf = (name) =>
  typeof name === 'string' && Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
