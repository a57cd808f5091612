import { headerSecrets, redactor } from './redact.js';

/**
 * @param {string} token '' = none
 * @param {Record<string, string>} [headers]
 * @returns {import('./auth.js').Auth} one that stays as it is
 */
export const fixedAuth = (token, headers = {}) => {
  return {
    headers: token ? { ...headers, Authorization: `Bearer ${token}` } : headers,
    dueMs: Number.POSITIVE_INFINITY,
    redact: redactor([token, ...headerSecrets(headers)]),
    renew: async () => {},
    refused: () => {},
  };
};
