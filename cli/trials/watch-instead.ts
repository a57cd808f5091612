import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeAtomic } from '../../analysis/write-atomic.ts';
import type { Lab } from './lab.ts';

/**
 * Makes Prometheus scrape the test's instances instead of the stack's idle one, until the test ends. If the
 * clean-up does not run, the next `scripts/up` restores the file.
 *
 * @returns a function that takes the ports of their metrics
 */
export function watchInstead(lab: Pick<Lab, 'onEnd'>): (...ports: number[]) => void {
  const file = join(process.env.PROMETHEUS_TARGETS_DIR ?? '', 'target.json');
  if (!existsSync(file)) return () => {};
  const before = readFileSync(file, 'utf8');
  lab.onEnd(() => writeAtomic(file, before));
  return (...ports) =>
    writeAtomic(file, JSON.stringify([{ targets: ports.map((port) => `127.0.0.1:${port}`) }]));
}
