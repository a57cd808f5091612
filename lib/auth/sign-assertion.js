/** RFC 7523: a client proves itself by signing, with a key that never leaves it. */
import encoding from 'k6/encoding';
import { ConfigError } from '../../contract/config-error.js';
import { asciiBytes } from './ascii-bytes.js';

const ALGORITHMS = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
};

/**
 * @param {string} pem a PKCS #8 private key
 * @param {object} claims
 * @returns {Promise<string>} a JWT
 */
export async function signAssertion(pem, claims) {
  const der = encoding.b64decode(pem.replace(/-----[^-]+-----|\s/g, ''));
  const { alg, key } = await importKey(der);
  const text = [{ alg, typ: 'JWT' }, claims]
    .map((part) => encoding.b64encode(JSON.stringify(part), 'rawurl'))
    .join('.');
  const signature = await crypto.subtle.sign(ALGORITHMS[alg], key, asciiBytes(text));
  return `${text}.${encoding.b64encode(signature, 'rawurl')}`;
}

/** @param {ArrayBuffer} der the key says by itself for which algorithm it is, to who tries */
async function importKey(der) {
  for (const alg of /** @type {const} */ (['ES256', 'RS256'])) {
    try {
      return { alg, key: await crypto.subtle.importKey('pkcs8', der, ALGORITHMS[alg], false, ['sign']) };
    } catch {
      // The other one, then.
    }
  }
  throw new ConfigError('OAUTH_CLIENT_KEY holds no such key; valid: P-256 or RSA, in PKCS #8');
}
