/**
 * Formats numbers for people, independently of the machine's locale.
 */

const MISSING = '-';

/**
 * @param {number | null | undefined} value
 * @param {number} [digits] significant digits; whole numbers keep all digits
 * @returns {string} for example 0.0123, 12.3, 1,234
 */
export function number(value, digits = 3) {
  if (value == null || !Number.isFinite(value)) return MISSING;
  const rounded =
    Math.abs(value) >= 10 ** (digits - 1) ? Math.round(value) : Number(value.toPrecision(digits));
  return rounded.toLocaleString('en-US', { maximumSignificantDigits: 21 });
}

/** @param {number | null | undefined} ms @param {number} [digits] @returns {string} */
export function milliseconds(ms, digits) {
  return ms == null ? MISSING : `${number(ms, digits)} ms`;
}

/** @param {number | null | undefined} share 0 to 1 @param {number} [digits] @returns {string} in percent */
export function percent(share, digits) {
  return share == null ? MISSING : `${number(share * 100, digits)} %`;
}

/** @param {number | null | undefined} rate @param {number} [digits] @returns {string} */
export function perSecond(rate, digits) {
  return rate == null ? MISSING : `${number(rate, digits)}/s`;
}

/**
 * @param {(value: number, digits?: number) => string} format
 * @param {number} a
 * @param {number} b
 * @returns {[string, string]} both numbers, with enough digits to distinguish them
 */
export function apart(format, a, b) {
  let digits = 3;
  while (a !== b && digits < 9 && format(a, digits) === format(b, digits)) digits++;
  return [format(a, digits), format(b, digits)];
}

/** @param {number | null | undefined} bytes @param {number} [digits] @returns {string} in binary units */
export function bytes(bytes, digits) {
  if (bytes == null) return MISSING;
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = bytes < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${number(bytes / 1024 ** power, digits)} ${units[power]}`;
}

/** @param {number | null | undefined} seconds @returns {string} for example 2 min 10 s */
export function duration(seconds) {
  if (seconds == null) return MISSING;
  if (seconds < 60) return `${number(seconds)} s`;
  const whole = Math.round(seconds);
  const parts = [
    [Math.floor(whole / 3600), 'h'],
    [Math.floor((whole % 3600) / 60), 'min'],
    [whole % 60, 's'],
  ];
  return parts.flatMap(([value, unit]) => (value === 0 ? [] : [`${value} ${unit}`])).join(' ');
}

/** @param {number} seconds since the start of a run @returns {string} for example 01:12, or 1:02:07 */
export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (/** @type {number} */ value) => String(value).padStart(2, '0');
  const hours = Math.floor(whole / 3600);
  return `${hours > 0 ? `${hours}:` : ''}${two(Math.floor((whole % 3600) / 60))}:${two(whole % 60)}`;
}

/** @type {Record<string, (value: number, digits?: number) => string>} */
const BY_UNIT = {
  ratio: percent,
  bytes,
  milliseconds,
  seconds: (value, digits) => (value < 1 ? milliseconds(value * 1000, digits) : `${number(value, digits)} s`),
  rate: perSecond,
  bytes_rate: (value, digits) => `${bytes(value, digits)}/s`,
};

/**
 * @param {string} unit a signal's unit
 * @param {number | null | undefined} value
 * @param {number} [digits]
 * @returns {string}
 */
export function inUnit(unit, value, digits) {
  if (value == null) return MISSING;
  const format = Object.hasOwn(BY_UNIT, unit) ? BY_UNIT[unit] : undefined;
  return (format ?? number)(value, digits);
}

/** @param {number} count @param {string} noun @returns {string} for example 1 request, 2 requests */
export function counted(count, noun) {
  return `${number(count)} ${noun}${count === 1 ? '' : 's'}`;
}
