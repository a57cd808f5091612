/** Client certificates (mTLS), private certificate authorities, and hints for failed TLS handshakes. */
import { ConfigError } from '../contract/config-error.js';

const CERTIFICATE = /-----BEGIN (TRUSTED )?CERTIFICATE-----/;

/**
 * @param {import('./config.js').Config} config
 * @param {(path: string) => string} open reads a file; k6 allows it only in init code
 * @returns {import('k6/options').Certificate[] | null} k6's `tlsAuth`; contains the private key, so it must
 *   not be stored
 * @throws {ConfigError}
 */
export function clientCertificates({ TARGET_CERT, TARGET_KEY, TARGET_KEY_PASSWORD, TARGET_CA }, open) {
  // The runner passes it to k6 as SSL_CERT_FILE, and Go ignores invalid files silently.
  if (TARGET_CA) readPem('TARGET_CA', TARGET_CA, CERTIFICATE, 'a certificate', open);
  if (!TARGET_CERT && !TARGET_KEY) return null;
  if (!TARGET_CERT || !TARGET_KEY) {
    throw new ConfigError('set both TARGET_CERT and TARGET_KEY, or neither');
  }
  const cert = readPem('TARGET_CERT', TARGET_CERT, CERTIFICATE, 'a certificate', open);
  const key = readPem('TARGET_KEY', TARGET_KEY, /-----BEGIN [A-Z ]*PRIVATE KEY-----/, 'a private key', open);
  if (key.includes('BEGIN ENCRYPTED PRIVATE KEY')) {
    throw new ConfigError(
      `TARGET_KEY is "${TARGET_KEY}", encrypted as PKCS #8, which k6 cannot read; ` +
        'valid: a key without password (openssl pkey -in KEY -out NEW), or the older form (openssl rsa -aes128 -traditional)',
    );
  }
  const encrypted = key.includes('ENCRYPTED');
  if (encrypted !== (TARGET_KEY_PASSWORD !== '')) {
    throw new ConfigError(
      `TARGET_KEY is "${TARGET_KEY}", which is ${encrypted ? 'encrypted' : 'not encrypted'}; ` +
        `valid: ${encrypted ? 'with' : 'without'} TARGET_KEY_PASSWORD`,
    );
  }
  return [{ cert, key, ...(encrypted && { password: TARGET_KEY_PASSWORD }) }];
}

/**
 * @param {string} name
 * @param {string} path
 * @param {RegExp} pattern
 * @param {string} what
 * @param {(path: string) => string} open
 */
function readPem(name, path, pattern, what, open) {
  let text = '';
  try {
    text = open(path);
  } catch {
    throw new ConfigError(`${name} is "${path}", which cannot be read; valid: the path of a PEM file`);
  }
  if (!pattern.test(text)) {
    throw new ConfigError(`${name} is "${path}", which contains no ${what.slice(2)}; valid: ${what} as PEM`);
  }
  return text;
}

/**
 * @param {string} detail Go's error message of a failed connection
 * @returns {string | null} what to try; null = not a TLS error
 */
export function tlsHint(detail) {
  const hints = /** @type {[RegExp, string][]} */ ([
    [
      /unknown authority/,
      "set TARGET_CA to the certificate of the authority that signed the server's certificate",
    ],
    [
      /remote error: tls|tls: handshake failure|certificate required|bad certificate/,
      'the server rejects the client certificate: set TARGET_CERT and TARGET_KEY to a certificate that its authority signed',
    ],
    [
      /certificate is (not )?valid for|doesn't contain any IP SANs/,
      "TARGET_URL must use a host name from the server's certificate",
    ],
    [/has expired|not yet valid/, "the server's certificate is expired or not yet valid"],
    [
      /first record does not look like a TLS handshake|HTTP response to HTTPS/,
      'TARGET_URL should start with http://',
    ],
  ]);
  return hints.find(([pattern]) => pattern.test(detail))?.[1] ?? null;
}
