import { ConfigError } from '../contract/config-error.js';

/**
 * Whether the stack's own target is to be loaded. While a test runs, TARGET_URL is set to it.
 *
 * @param {{TARGET_URL: string}} config
 */
export function isReference({ TARGET_URL: url }) {
  const { TARGET_METRICS_URL: own = '' } = process.env;
  return url === '' || url === own.replace(/metrics$/, 'mcp');
}

/**
 * @param {{TARGET_URL: string}} config
 * @param {string} what the test does that it can do with the stack's own target alone
 * @throws {ConfigError} where another one is to be loaded
 */
export function needReference(config, what) {
  if (isReference(config)) return;
  throw new ConfigError(
    `TARGET_URL is "${config.TARGET_URL.slice(0, 80)}", and the test ${what}; valid: without TARGET_URL, on the reference target`,
  );
}
