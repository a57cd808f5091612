/** What scripts/setup installs or puts into the cache, for those who call it directly. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * @param {'k6' | 'prometheus' | 'promtool' | 'node_exporter' | 'exporter' | 'go-server' | 'python-servers' | 'gateway' | 'haproxy' | 'chromium' | 'toxiproxy' | 'kustomize' | 'kubernetes-schemas' | 'bench-server' | 'act' | `server-${string}`} name
 * @returns {string} its path
 */
export function toolPath(name) {
  return execFileSync('bash', ['-c', `. scripts/common.sh; tool_path ${name}`], {
    cwd: ROOT,
    encoding: 'utf8',
  }).trim();
}
