import { readProtocol } from '../../contract/protocols.js';
import { readVariables, type ValuesOf, type Variable } from '../../contract/variable.js';
import { ofCommand, type ofRuns } from '../../contract/variables.js';

/**
 * Parsed values of the variables of all tests and of a test's own variables `Own`, and the meaning of
 * TARGET_PROTOCOL.
 */
export type Config<Own extends Record<string, Variable<unknown>> = Record<never, never>> = ValuesOf<
  typeof ofRuns & Own
> &
  ReturnType<typeof readProtocol>;

/** @throws {ConfigError} */
export function readConfig<Own extends Record<string, Variable<unknown>> = Record<never, never>>(
  env: Record<string, string | undefined>,
): Config<Own> {
  const config = readVariables(ofCommand.run ?? {}, env) as Config<Own>;
  return { ...config, ...readProtocol(String(config.TARGET_PROTOCOL)) };
}
