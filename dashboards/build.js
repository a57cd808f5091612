/**
 * Writes the dashboards' JSON and the alerts to where Grafana and Prometheus are provisioned from.
 *
 *   node dashboards/build.js           writes
 *   node dashboards/build.js --check   exits 1 where a written file is not what the code makes
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { alertFiles } from './alerts.js';
import { batch } from './batch.js';
import { compare } from './compare.js';
import { FOLDERS } from './dashboard.js';
import { database } from './database.js';
import { generator } from './generator.js';
import { host } from './host.js';
import { loadTest } from './load-test.js';
import { operations } from './operations.js';
import { redis } from './redis.js';
import { server } from './server.js';
import { soak } from './soak.js';
import { spike } from './spike.js';

/**
 * Each is written to a file named after its uid, in its folder. The overview comes first.
 *
 * @type {(() => import('@grafana/grafana-foundation-sdk/dashboard').Dashboard)[]}
 */
export const dashboards = [
  // One line each.
  loadTest,
  spike,
  soak,
  batch,
  operations,
  generator,
  compare,
  server,
  database,
  redis,
  host,
];

/** @param {import('@grafana/grafana-foundation-sdk/dashboard').Dashboard} dashboard */
export function fileOf({ uid, tags = [] }) {
  const folder = FOLDERS.find((one) => tags.includes(one));
  if (!folder) throw new Error(`the dashboard ${uid} has the tags ${tags}; one of ${FOLDERS} is its folder`);
  return fileURLToPath(new URL(`../provisioning/grafana/dashboards/${folder}/${uid}.json`, import.meta.url));
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
  const files = [
    ...dashboards.map((build) => {
      const dashboard = build();
      return { file: fileOf(dashboard), text: toJson(dashboard) };
    }),
    ...alertFiles(),
  ];
  let stale = 0;
  for (const { file, text } of files) {
    if (!option) {
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
    } else if (read(file) !== text) {
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
