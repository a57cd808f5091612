/** Debian and Ubuntu packages. What they install is neither started nor enabled (scripts/apt-install). */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { broken } from '../ending.ts';
import { ROOT } from '../stack.ts';
import { hasProgram, type Part } from './part.ts';

/** For each need: a file that one of the packages brings, and the packages that are installed if there is none. */
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
  faketime: [['/usr/lib/*/faketime/libfaketime.so.1', 'libfaketime']],
  busybox: [
    ['/{,usr/}bin/busybox', 'busybox-static'],
    ['/{,usr/}bin/dash', 'dash'],
  ],
  rsync: [['/usr/bin/rsync', 'rsync']],
};

export const packageNeeds = Object.keys(PACKAGES);

/** @returns those that are missing */
export const missingPackages = (need: string): string[] =>
  (PACKAGES[need] ?? []).flatMap(([file, ...packages]) => (globSync(file).length > 0 ? [] : packages));

/** Installs them; `sudo` is asked for its password before, if it needs one. @throws {Ending} if this is no system for it */
export function debianPackages(names: readonly string[]): Part {
  const missing = `missing: ${names.join(' ')}`;
  if (!hasProgram('apt-get'))
    throw broken(`${missing}. This is not Debian or Ubuntu: install them yourself, or start a Docker engine`);
  const sudo = process.getuid?.() === 0 ? [] : ['sudo'];
  if (sudo.length > 0) {
    if (!hasProgram('sudo'))
      throw broken(`${missing}. As root: apt-get install --no-install-recommends ${names.join(' ')}`);
    if (spawnSync('sudo', ['-v'], { stdio: 'inherit' }).status !== 0)
      throw broken(`${missing}; installing them needs sudo`);
  }
  const command = [...sudo, 'bash', join(ROOT, 'scripts/apt-install'), ...names];
  return {
    title: `the packages ${names.join(' ')}`,
    lane: 'packages',
    seconds: 10 + 2 * names.length,
    // What one installation does to keep services from starting, it undoes at its end: not while another one installs.
    make: (job) => job.run('apt', job.locked('apt', command)),
  };
}
