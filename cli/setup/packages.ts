/**
 * Installs Debian and Ubuntu packages. Their services are neither started nor enabled (scripts/apt-install).
 */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { broken } from '../ending.ts';
import { logProgress } from '../log-progress.ts';
import { ROOT } from '../stack.ts';
import { hasProgram, type Part } from './part.ts';

/** Packages by need. Each entry is a file to check for, and the packages to install if it is missing. */
const PACKAGES: Record<string, [file: string, ...packages: string[]][]> = {
  supervisor: [['/usr/bin/supervisord', 'supervisor']],
  postgres: [['/usr/lib/postgresql/*/bin/postgres', 'postgresql']],
  redis: [['/usr/bin/redis-server', 'redis-server']],
  exporters: [
    ['/usr/bin/prometheus-postgres-exporter', 'prometheus-postgres-exporter'],
    ['/usr/bin/prometheus-redis-exporter', 'prometheus-redis-exporter'],
  ],
  'packet-loss': [
    ['/{,usr/}{,s}bin/ip', 'iproute2'],
    ['/usr/{,s}bin/nft', 'nftables'],
  ],
  haproxy: [['/usr/{,local/}{,s}bin/haproxy', 'haproxy']],
  busybox: [
    ['/{,usr/}bin/busybox', 'busybox-static'],
    ['/{,usr/}bin/dash', 'dash'],
  ],
  rsync: [['/usr/bin/rsync', 'rsync']],
};

/** Packages that the progress names. */
const MAX_NAMED = 2;

export const packageNeeds = Object.keys(PACKAGES);

/** @returns the missing packages */
export const missingPackages = (need: string): string[] =>
  (PACKAGES[need] ?? []).flatMap(([file, ...packages]) => (globSync(file).length > 0 ? [] : packages));

const isRoot = () => process.getuid?.() === 0;

/** Whether packages can be installed without a password. */
export const becomesRoot = () =>
  hasProgram('apt-get') && (isRoot() || spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0);

/** The prefix of a command that root runs. sudo may ask for a password. @throws {Ending} without sudo */
function asRoot(missing: string, command: string): string[] {
  if (isRoot()) return [];
  if (!hasProgram('sudo')) throw broken(`${missing}. As root: ${command}`);
  if (spawnSync('sudo', ['-v'], { stdio: 'inherit' }).status !== 0)
    throw broken(`${missing}; installing them needs sudo`);
  return ['sudo'];
}

/** Updates the package lists, if apt has network access. */
export function updateLists() {
  if (!hasProgram('apt-get') || process.env.TOOLS_FROM_SOURCE === '1') return;
  logProgress('set-up, once: the package lists');
  const command = ['apt-get', 'update', '-q'];
  const [file = '', ...args] = [...asRoot('missing: the package lists', command.join(' ')), ...command];
  spawnSync(file, args, { stdio: ['inherit', 'ignore', 'ignore'] });
}

/** @throws {Ending} if this system cannot install them */
export function debianPackages(names: readonly string[]): Part {
  const missing = `missing: ${names.join(' ')}`;
  if (!hasProgram('apt-get'))
    throw broken(`${missing}. This is not Debian or Ubuntu: install them yourself, or start a Docker engine`);
  const sudo = asRoot(missing, `apt-get install --no-install-recommends ${names.join(' ')}`);
  return {
    title: names.length > MAX_NAMED ? `${names.length} packages` : names.join(', '),
    lane: 'packages',
    seconds: 10 + 2 * names.length,
    // Each installation temporarily disables the start of services: two must not overlap.
    make: (job) =>
      job.run('apt', job.locked('apt', [...sudo, 'bash', join(ROOT, 'scripts/apt-install'), ...names])),
  };
}
