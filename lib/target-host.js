/**
 * Whose machine a URL is on: load goes to this one, and elsewhere only where somebody said so. Pure, and without a URL
 * class, which k6 has not: what is not plainly loopback is not.
 */
import { ConfigError } from '../contract/config-error.js';

const URL_HOST = /^(https?|stdio):\/\/(\[[0-9a-f:]+\]|[\w.-]+)(?::(\d{1,5}))?(?=\/|$)/i;

/**
 * @param {string} url http(s), without credentials, or of a program
 * @returns {{host: string, port: string}} the host in small letters, in brackets where it is an IPv6 address; host is ''
 *   where the URL is none
 */
export function hostOf(url) {
  const [, scheme = '', host = '', port] = URL_HOST.exec(url) ?? [];
  return { host: host.toLowerCase(), port: port ?? (scheme.toLowerCase() === 'https' ? '443' : '80') };
}

/**
 * Other spellings of an address (decimal, hexadecimal, a leading zero, IPv4 in IPv6), 0.0.0.0 and names that only begin or end like
 * loopback do not count: they need TARGET_CONFIRM.
 *
 * @param {string} host as `hostOf` gives it
 * @returns {boolean}
 */
export function isLoopback(host) {
  if (host === 'localhost' || host === '[::1]') return true;
  const parts = /^127\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(host)?.slice(1) ?? [];
  return parts.length === 3 && parts.every((part) => Number(part) <= 255 && String(Number(part)) === part);
}

/** @param {{host: string, port: string}} where from `hostOf` @param {readonly string[]} confirmed from `hostList` */
const isConfirmed = ({ host, port }, confirmed) =>
  confirmed.includes(host) || confirmed.includes(`${host}:${port}`);

/**
 * @param {string} url
 * @param {readonly string[]} confirmed from `hostList`
 * @returns {string} what TARGET_CONFIRM has to name for it; '' = nothing
 */
export function unconfirmed(url, confirmed) {
  const where = hostOf(url);
  return isLoopback(where.host) || isConfirmed(where, confirmed) ? '' : where.host;
}

/**
 * @param {string} name of the variable
 * @param {string} url
 * @param {readonly string[]} confirmed
 * @throws {ConfigError} where nobody said that it may be loaded
 */
export function needConfirmed(name, url, confirmed) {
  const host = unconfirmed(url, confirmed);
  if (host === '') return;
  throw new ConfigError(
    `${name} is on ${host.slice(0, 100)}, which is not this machine; expected an address on loopback or, ` +
      `if it is yours to load, TARGET_CONFIRM=${[...confirmed, host].join(',').slice(0, 300)}`,
  );
}

/**
 * All addresses but loopback's, for k6 to refuse when it dials: what `localhost` or a redirect leads to is known only then.
 * (0000::/8 has ::1 in it; of the rest of it, 64:ff9b::/96 leads on to IPv4.)
 */
const NOT_LOOPBACK = [
  ...['0.0.0.0/2', '64.0.0.0/3', '96.0.0.0/4', '112.0.0.0/5', '120.0.0.0/6', '124.0.0.0/7', '126.0.0.0/8'],
  ...[
    '128.0.0.0/1',
    '8000::/1',
    '4000::/2',
    '2000::/3',
    '1000::/4',
    '800::/5',
    '400::/6',
    '200::/7',
    '100::/8',
  ],
  '64:ff9b::/96',
];

/**
 * What is meant for this machine stays on it. Tokens may come from elsewhere.
 *
 * @param {Pick<import('./config.js').Config, 'TARGET_URL' | 'OAUTH_CLIENT_ID'>} config
 * @returns {import('k6/options').Options}
 */
export function dialOptions({ TARGET_URL, OAUTH_CLIENT_ID }) {
  const here = isLoopback(hostOf(TARGET_URL).host) && OAUTH_CLIENT_ID === '';
  return here ? { blacklistIPs: NOT_LOOPBACK } : {};
}
