import { execFileSync } from 'node:child_process';

const PROVIDE = '. scripts/common.sh; provide_prometheus_config "$(version_of "$0" "$1")" "$2"';

/**
 * Prometheus' configuration as the native stack has it.
 *
 * @param {'prometheus' | 'promtool'} tool
 * @param {string} program its path
 * @param {string} file where to put the configuration
 */
export function provideConfig(tool, program, file) {
  execFileSync('bash', ['-c', PROVIDE, tool, program, file], { stdio: ['ignore', 'pipe', 'inherit'] });
}
