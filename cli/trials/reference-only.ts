import { ConfigError } from '../../contract/config-error.js';

/** Whether the stack's own target is loaded. TARGET_URL is set to it during a test. */
export function isReference({ TARGET_URL: url }: { TARGET_URL: string }): boolean {
  const { TARGET_METRICS_URL: own = '' } = process.env;
  return url === '' || url === own.replace(/metrics$/, 'mcp');
}

/**
 * @param what the test's name, and what it does that only works with the stack's own target
 * @throws {ConfigError} if another target is loaded
 */
export function needReference(config: { TARGET_URL: string }, what: string) {
  if (isReference(config)) return;
  throw new ConfigError(
    `TARGET_URL is "${config.TARGET_URL.slice(0, 80)}"; the test ${what}, so it loads the reference target only: unset TARGET_URL`,
  );
}
