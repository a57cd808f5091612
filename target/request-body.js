/** Size limit of a request's body, bytes: ten times a full process_batch. */
export const LARGEST_BODY = 1024 * 1024;

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {number} [largest] bytes
 * @returns {Promise<string | undefined>} undefined if the body is larger
 * @throws {Error} if the client disconnects
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
