/**
 * Restricts load to this machine, unless TARGET_CONFIRM names another host. Pure, and without a URL class,
 * which k6 lacks: a host counts as loopback only if it is written in a canonical form.
 */
import { ConfigError } from '../contract/config-error.js';

const URL_HOST = /^(https?|stdio):\/\/(\[[0-9a-f:]+\]|[\w.-]+)(?::(\d{1,5}))?(?=\/|$)/i;

/**
 * @param {string} url http(s) without credentials, or stdio
 * @returns {{host: string, port: string}} the host in lower case, an IPv6 address in brackets; host is '' if
 *   the URL is invalid
 */
export function hostOf(url) {
  const [, scheme = '', host = '', port] = URL_HOST.exec(url) ?? [];
  return { host: host.toLowerCase(), port: port ?? (scheme.toLowerCase() === 'https' ? '443' : '80') };
}

/**
 * Other spellings of an address (decimal, hexadecimal, leading zeros, IPv4 in IPv6), 0.0.0.0 and names that
 * only begin or end like loopback do not count: they need TARGET_CONFIRM.
 *
 * @param {string} host from `hostOf`
 * @returns {boolean}
 */
export function isLoopback(host) {
  if (host === 'localhost' || host === '[::1]') return true;
  const parts = /^127\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(host)?.slice(1) ?? [];
  return parts.length === 3 && parts.every((part) => Number(part) <= 255 && String(Number(part)) === part);
}

/**
 * @param {{host: string, port: string}} where from `hostOf`
 * @param {readonly string[]} confirmed from `hostList`
 */
const isConfirmed = ({ host, port }, confirmed) =>
  confirmed.includes(host) || confirmed.includes(`${host}:${port}`);

/**
 * @param {string} url
 * @param {readonly string[]} confirmed from `hostList`
 * @returns {string} what TARGET_CONFIRM has to name; '' = nothing
 */
export function unconfirmed(url, confirmed) {
  const where = hostOf(url);
  return isLoopback(where.host) || isConfirmed(where, confirmed) ? '' : where.host;
}

/**
 * @param {string} name the variable's name
 * @param {string} url
 * @param {readonly string[]} confirmed
 * @throws {ConfigError} if loading the host is not confirmed
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
 * All addresses except loopback. k6 refuses them when it dials: the address of `localhost` or of a redirect
 * is known only then. (0000::/8 contains ::1; in the rest of it, 64:ff9b::/96 is translated to IPv4.)
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
 * Keeps load for this machine on it. With OAuth the token endpoint may be elsewhere.
 *
 * @param {Pick<import('./config.js').Config, 'TARGET_URL' | 'OAUTH_CLIENT_ID'>} config
 * @returns {import('k6/options').Options}
 */
export function dialOptions({ TARGET_URL, OAUTH_CLIENT_ID }) {
  const here = isLoopback(hostOf(TARGET_URL).host) && OAUTH_CLIENT_ID === '';
  return here ? { blacklistIPs: NOT_LOOPBACK } : {};
}
