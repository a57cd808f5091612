import { ConfigError } from '../lib/config-error.js';

/**
 * @param {{TARGET_URL: string}} config
 * @param {string} what the test does that it can do with the stack's own target alone
 * @throws {ConfigError} where another one is to be loaded
 */
export function needReference({ TARGET_URL: url }, what) {
  // While a test runs, TARGET_URL is set, too: to the stack's own.
  const { TARGET_METRICS_URL: own = '' } = process.env;
  if (url === '' || url === own.replace(/metrics$/, 'mcp')) return;
  throw new ConfigError(
    `TARGET_URL is "${url.slice(0, 80)}", and the test ${what}; valid: without TARGET_URL, on the reference target`,
  );
}
