/** Runs RESTART_COMMAND, which replaces the server under test: `kubectl rollout`, `docker compose`, a script. */
import { join } from 'node:path';
import { secretsOf } from '../../analysis/clean-text.ts';
import { startCallerCommand } from '../../cli/caller-command.ts';
import { broken } from '../../cli/ending.ts';

/** Addresses and configuration files of the tools that replace servers. */
const OF_ORCHESTRATORS = ['KUBECONFIG', 'DOCKER_HOST', 'DOCKER_CONTEXT', 'DOCKER_CONFIG'];
const LOG = 'restart.log';
const STOP_MS = 10_000;

export interface Restart {
  /** A bash command. */
  command: string;
  /** Names of additional environment variables to pass. */
  variables: readonly string[];
  /** For its log. */
  folder: string;
  /** Settles at the end of the load. The command is stopped then. */
  loadEnd: Promise<void>;
}

/**
 * Processes that the command leaves in the background keep running: the new server may be one of them.
 *
 * @throws {Ending} if it fails, or still runs at the end of the load
 */
export async function runRestartCommand({ command, variables, folder, loadEnd }: Restart): Promise<void> {
  const { child, output } = startCallerCommand({
    command,
    variables: [...OF_ORCHESTRATORS, ...variables],
    log: join(folder, LOG),
    secrets: secretsOf(process.env),
  });
  // It may also reject, after the command has exited.
  loadEnd.catch(() => {});
  try {
    const code = await Promise.race([child.ended, loadEnd]);
    if (code === undefined)
      throw broken(
        `RESTART_COMMAND was still running when the load ended${output.lastWords()}; PROFILE=full gives it more time`,
      );
    if (code !== 0) throw broken(`RESTART_COMMAND failed with exit code ${code}${output.lastWords()}`);
  } catch (error) {
    await child.stop(STOP_MS);
    throw error;
  } finally {
    output.close();
  }
}
