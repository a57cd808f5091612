/** The largest body that is read, bytes. A full process_batch is a tenth of it. */
export const LARGEST_BODY = 1024 * 1024;

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {number} [largest] bytes
 * @returns {Promise<string | undefined>} undefined when it is larger
 * @throws {Error} when the client goes away
 */
export function readBody(request, largest = LARGEST_BODY) {
  return new Promise((resolve, reject) => {
    /** @type {Buffer[]} */
    const chunks = [];
    let size = 0;
    request.on('data', (/** @type {Buffer} */ chunk) => {
      size += chunk.length;
      if (size > largest) resolve(undefined);
      else chunks.push(chunk);
    });
    request.on('end', () => resolve(Buffer.concat(chunks).toString()));
    request.on('error', reject);
  });
}
