/** The variables that a k6 script reads from the environment (`__ENV`). */
import { isProgram } from '../contract/command-line.js';
import { ConfigError } from '../contract/config-error.js';
import { hostList } from '../contract/hosts.js';
import { readProtocol } from '../contract/protocols.js';
import { readVariables } from '../contract/variable.js';
import { load } from '../contract/variables/load.js';
import { target } from '../contract/variables/target.js';
import { needConfirmed } from './target-host.js';

export const variables = { ...target, ...load };

/**
 * @typedef {import('../contract/variable.js').ValuesOf<typeof variables> & ReturnType<typeof readProtocol>}
 *   Config
 */

/**
 * @param {Record<string, string | undefined>} env
 * @returns {Config} the parsed value of each variable, and the meaning of TARGET_PROTOCOL
 * @throws {ConfigError} names the variable, its value and the valid values
 */
export function readConfig(env) {
  const config = readVariables(variables, env);
  if (config.TARGET_URL === '')
    throw new ConfigError(`TARGET_URL is empty; valid: ${target.TARGET_URL.valid}`);
  if (isProgram(config.TARGET_URL) && !config.TARGET_COMMAND)
    throw new ConfigError(
      `TARGET_URL is "${config.TARGET_URL}"; valid: ${target.TARGET_URL.valid}, or TARGET_COMMAND`,
    );
  const unset = (config.TARGET_ENV ?? []).filter((name) => env[name] === undefined);
  if (unset.length > 0)
    throw new ConfigError(`TARGET_ENV has ${unset.join(', ')}; valid: ${target.TARGET_ENV.valid}`);
  // A dry run sends no load.
  if (!config.DRY_RUN) {
    needConfirmed('TARGET_URL', config.TARGET_URL, [...config.TARGET_CONFIRM, ...stackHosts(env)]);
  }
  if (config.ARGS && !config.TOOL) throw new ConfigError('ARGS needs TOOL; valid: TOOL=name ARGS=JSON');
  if (config.PAYLOAD && (config.TOOL || config.TOOLS))
    throw new ConfigError('set only one of PAYLOAD, TOOL and TOOLS');
  if (config.TOOLS && (config.TOOL || config.WORKLOAD))
    throw new ConfigError('set only one of TOOLS, TOOL and WORKLOAD');
  return { ...config, ...readProtocol(config.TARGET_PROTOCOL) };
}

/**
 * @param {Record<string, string | undefined>} env
 * @returns {readonly string[]} names that the stack's containers and this host have in Docker
 */
export const stackHosts = ({ STACK_HOSTS = '' }) => hostList(STACK_HOSTS) ?? [];
