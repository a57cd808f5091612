import { ConfigError } from '../../contract/config-error.js';

/**
 * @param what the test's name, and what it does that requires a connection
 * @throws {ConfigError} if the server is a program
 */
export function needConnection(
  { TARGET_COMMAND }: { TARGET_COMMAND: readonly string[] | null },
  what: string,
) {
  if (!TARGET_COMMAND) return;
  throw new ConfigError(`the test ${what}; set TARGET_URL instead of TARGET_COMMAND`);
}
