/** The Docker engine, asked by its command-line client. */
import { execFileSync, spawn } from 'node:child_process';

/** @param {string[]} args @returns {string} what the client prints; it throws where the client fails */
export const docker = (...args) =>
  execFileSync('docker', args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
  }).trim();

/** @param {string[]} args @returns {string[]} the lines that the client prints */
export const dockerLines = (...args) =>
  docker(...args)
    .split('\n')
    .filter(Boolean);

/**
 * @param {string[]} ids of containers
 * @returns {any[]} all that the engine knows of them
 */
export const inspect = (...ids) => (ids.length === 0 ? [] : JSON.parse(docker('inspect', ...ids)));

/**
 * Collects health checks that start from now on.
 *
 * @param {string} project of Compose
 * @returns {() => Map<string, number[]>} ends it: the seconds at which each service's were started
 */
export function watchHealthChecks(project) {
  const client = spawn(
    'docker',
    [
      ...[
        'events',
        '--filter',
        'event=exec_start',
        '--filter',
        `label=com.docker.compose.project=${project}`,
      ],
      ...['--format', '{{.TimeNano}} {{index .Actor.Attributes "com.docker.compose.service"}}'],
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  let output = '';
  client.stdout.setEncoding('utf8').on('data', (chunk) => {
    output += chunk;
  });
  return () => {
    client.kill();
    /** @type {Map<string, number[]>} */
    const starts = new Map();
    for (const [, at, service = ''] of output.matchAll(/^(\d+) (\S+)$/gm))
      starts.set(service, [...(starts.get(service) ?? []), Number(at) / 1e9]);
    return starts;
  };
}
