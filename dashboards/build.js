/**
 * Writes the dashboards' JSON to where Grafana is provisioned from.
 *
 *   node dashboards/build.js           writes
 *   node dashboards/build.js --check   exits 1 where a written file is not what the code makes
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadTest } from './load-test.js';

/** Each is written to a file named after its uid. */
export const dashboards = [loadTest];

/** @param {string} uid */
export function fileOf(uid) {
  return fileURLToPath(new URL(`../provisioning/grafana/dashboards/${uid}.json`, import.meta.url));
}

/** @param {object} dashboard */
export function toJson(dashboard) {
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}

/** @param {string[]} args @returns {number} exit code */
function main(args) {
  const [option] = args;
  if (args.length > 1 || (option !== undefined && option !== '--check')) {
    process.stderr.write(`dashboards/build.js: got ${args.join(' ')}; valid is nothing or --check\n`);
    return 2;
  }
  let stale = 0;
  for (const build of dashboards) {
    const dashboard = build();
    const file = fileOf(dashboard.uid ?? '');
    const json = toJson(dashboard);
    if (!option) writeFileSync(file, json);
    else if (read(file) !== json) {
      process.stderr.write(`${file} is not what the code makes: run node dashboards/build.js\n`);
      stale += 1;
    }
  }
  return stale > 0 ? 1 : 0;
}

/** @param {string} file @returns {string | null} null where there is none */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main(process.argv.slice(2));
