/** Paths of the tools that scripts/setup installs or caches, for code that runs them directly. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

export type Tool =
  | 'k6'
  | 'prometheus'
  | 'promtool'
  | 'node_exporter'
  | 'exporter'
  | 'go-server'
  | 'python-servers'
  | 'gateway'
  | 'haproxy'
  | 'chromium'
  | 'toxiproxy'
  | 'kustomize'
  | 'kubernetes-schemas'
  | 'bench-server'
  | 'act'
  | `server-${string}`;

export function toolPath(name: Tool): string {
  return execFileSync('bash', ['-c', `. scripts/common.sh; tool_path ${name}`], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
}
