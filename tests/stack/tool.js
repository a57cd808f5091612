/** The tools that scripts/setup builds, for tests that call one directly. */
import { execFileSync } from 'node:child_process';

/**
 * @param {'k6' | 'prometheus' | 'promtool' | 'node_exporter' | 'compose-go'} name
 * @returns {string} its path
 */
export function toolPath(name) {
  return execFileSync('bash', ['-c', `. scripts/common.sh; tool_path ${name}`], { encoding: 'utf8' }).trim();
}
