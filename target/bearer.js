import { timingSafeEqual } from 'node:crypto';

/**
 * @param {string} token
 * @returns {(request: import('node:http').IncomingMessage) => boolean} whether a request has this token
 */
export function bearerCheck(token) {
  const wanted = Buffer.from(`Bearer ${token}`);
  return ({ headers }) => {
    const given = Buffer.from(headers.authorization ?? '');
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  };
}
