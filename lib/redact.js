/** Shorter values are no secrets, and taking them out would shred ordinary words. */
const MIN_SECRET = 4;
/** Of a long secret, its start alone gives it away: the text may have been cut off within it. */
const MIN_LONG = 16;
const START = 8;

/**
 * @param {readonly string[]} values
 * @returns {(text: string) => string} takes the values out of a text that another program wrote, in the spellings
 *   that JSON and URLs give them, and where the text was cut off within one
 */
export const redactor = (values) => {
  const spellings = values
    .filter((value) => value.length >= MIN_SECRET)
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)]);
  // The longest first: a secret may hold another.
  const secrets = [...new Set(spellings)].sort((a, b) => b.length - a.length);
  return (text) => {
    let clean = text;
    for (const secret of secrets) {
      clean = withoutEnd(clean.split(secret).join('[secret]'), secret);
      if (secret.length >= MIN_LONG) clean = withoutParts(clean, secret);
    }
    return clean;
  };
};

/** @param {string} text @param {string} secret */
const withoutEnd = (text, secret) => {
  for (let length = Math.min(secret.length - 1, text.length); length >= MIN_SECRET; length -= 1) {
    if (text.endsWith(secret.slice(0, length))) return `${text.slice(0, -length)}[secret]`;
  }
  return text;
};

/** @param {string} text @param {string} secret */
const withoutParts = (text, secret) => {
  const [before = '', ...rest] = text.split(secret.slice(0, START));
  const continued = secret.slice(START);
  return rest.reduce((clean, part) => {
    let length = 0;
    while (length < part.length && part[length] === continued[length]) length += 1;
    return `${clean}[secret]${part.slice(length)}`;
  }, before);
};

/**
 * @param {Record<string, string>} headers
 * @returns {string[]} their values; of credentials also what follows the scheme
 */
export const headerSecrets = (headers) =>
  Object.entries(headers).flatMap(([name, value]) =>
    /authorization$/i.test(name) ? [value, value.replace(/^\S+ +/, '')] : [value],
  );
