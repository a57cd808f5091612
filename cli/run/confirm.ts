/** Refuses to load other machines without confirmation. */
import { commandWords } from '../../analysis/command-line.ts';
import { hostList } from '../../contract/hosts.js';
import { stackHosts } from '../../lib/config.js';
import { unconfirmed } from '../../lib/target-host.js';
import { quotable, usage } from '../ending.ts';
import type { RunVariables } from './run-variables.ts';

/**
 * @throws {Ending} with the command to type, if TARGET_URL is on another machine that TARGET_CONFIRM does not
 *   name
 */
export function checkConfirmed(test: string, variables: RunVariables) {
  const { TARGET_URL = '', TARGET_CONFIRM = '', DRY_RUN } = process.env;
  const confirmed = hostList(TARGET_CONFIRM);
  // A plan sends no load. An invalid list is reported with all other variables.
  if (TARGET_URL === '' || DRY_RUN === '1' || !confirmed) return;
  const host = unconfirmed(TARGET_URL, [...confirmed, ...stackHosts(process.env)]);
  if (host === '') return;
  const { TARGET_CONFIRM: _, ...others } = variables;
  const command = commandWords(test, { ...others, TARGET_CONFIRM: [...confirmed, host].join(',') });
  throw usage(
    `TARGET_URL is on ${quotable(host)}, which is not this machine. If it is yours to load: ${command.join(' ')}`,
  );
}
