import { readProtocol } from '../contract/protocols.js';
import { readVariables } from '../contract/variable.js';
import { ofCommand } from '../contract/variables.js';

/**
 * @param {Record<string, string | undefined>} env
 * @returns {any} every variable's value, parsed, and what TARGET_PROTOCOL means
 * @throws {import('../contract/config-error.js').ConfigError}
 */
export function readConfig(env) {
  /** @type {any} */
  const config = readVariables(ofCommand.run ?? {}, env);
  return { ...config, ...readProtocol(config.TARGET_PROTOCOL) };
}
