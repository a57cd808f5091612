/**
 * What set-up hands to the users can be read by whoever reaches k6's REST API. A token goes through there
 * sealed with a key that only a process with the client's own secret can make.
 */
import k6crypto from 'k6/crypto';
import encoding from 'k6/encoding';
import { asciiBytes } from './ascii-bytes.js';

/** @param {string} secret */
function makeKey(secret) {
  const bytes = k6crypto.hmac('sha256', secret, 'mcp-load-lab set-up data', 'binary');
  return crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']);
}

/**
 * @param {string} text ASCII
 * @param {string} secret
 */
export async function seal(text, secret) {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const bytes = asciiBytes(text);
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, await makeKey(secret), bytes);
  return { iv: encoding.b64encode(iv.buffer), sealed: encoding.b64encode(sealed) };
}

/**
 * @param {{iv: string, sealed: string}} box
 * @param {string} secret
 */
export async function unseal({ iv, sealed }, secret) {
  const algorithm = { name: 'AES-GCM', iv: encoding.b64decode(iv) };
  const bytes = await crypto.subtle.decrypt(algorithm, await makeKey(secret), encoding.b64decode(sealed));
  return String.fromCharCode(...new Uint8Array(bytes));
}
