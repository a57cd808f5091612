/** The largest body that is read, bytes. A full process_batch is a tenth of it. */
export const LARGEST_BODY = 1024 * 1024;

/**
 * @param {import('node:http').IncomingMessage} request
 * @returns {Promise<string | undefined>} undefined when it is larger than {@link LARGEST_BODY}
 * @throws {Error} when the client goes away
 */
export function readBody(request) {
  return new Promise((resolve, reject) => {
    /** @type {Buffer[]} */
    const chunks = [];
    let size = 0;
    request.on('data', (/** @type {Buffer} */ chunk) => {
      size += chunk.length;
      if (size > LARGEST_BODY) resolve(undefined);
      else chunks.push(chunk);
    });
    request.on('end', () => resolve(Buffer.concat(chunks).toString()));
    request.on('error', reject);
  });
}
