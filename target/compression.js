import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** Ways to compress answers. */
export const COMPRESSIONS = ['none', 'gzip'];

/** Smaller bodies gain less than their compression costs, bytes; nginx and Express put the line about here. */
export const COMPRESSION_THRESHOLD = 1024;

const compress = promisify(gzip);

/**
 * Compresses a body where the client takes it so, in a thread of its own: the event loop goes on serving.
 * @param {string} body
 * @param {string | undefined} accepted the request's Accept-Encoding
 * @returns {Promise<{bytes: Buffer, headers: Record<string, string>}>}
 */
export async function compressed(body, accepted) {
  const bytes = Buffer.from(body);
  // Whether compressed or not: it would be another answer to another client.
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
