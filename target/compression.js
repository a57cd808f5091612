import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** The values of COMPRESSION. */
export const COMPRESSIONS = ['none', 'gzip'];

/**
 * Smaller bodies are not compressed, bytes: the gain is less than the cost. nginx and Express use similar thresholds.
 */
export const COMPRESSION_THRESHOLD = 1024;

const compress = promisify(gzip);

/**
 * Compresses a body if the client accepts gzip. Compression runs in a thread pool and does not block the event loop.
 * @param {string} body
 * @param {string | undefined} accepted the request's Accept-Encoding
 * @returns {Promise<{bytes: Buffer, headers: Record<string, string>}>}
 */
export async function compressed(body, accepted) {
  const bytes = Buffer.from(body);
  // Required even if the body is not compressed: the response depends on this header.
  const headers = { vary: 'Accept-Encoding' };
  if (bytes.byteLength < COMPRESSION_THRESHOLD || !acceptsGzip(accepted)) return { bytes, headers };
  return { bytes: await compress(bytes), headers: { ...headers, 'content-encoding': 'gzip' } };
}

/** @param {string} [accepted] */
function acceptsGzip(accepted = '') {
  const quality = new Map(
    accepted
      .toLowerCase()
      .split(',')
      .map((coding) => {
        const [name = '', ...parameters] = coding.split(';').map((part) => part.trim());
        const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
        return /** @type {const} */ ([name, Number(q)]);
      }),
  );
  return (quality.get('gzip') ?? quality.get('*') ?? 0) > 0;
}
