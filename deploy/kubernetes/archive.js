#!/usr/bin/env node
/**
 * Packs a run's scenario, and all that it imports, into one file that fits into a ConfigMap, for components/archive:
 *
 *   deploy/kubernetes/archive.js KUSTOMIZATION FILE.tar [--workload workload.json]
 *   kubectl --namespace mcp-load-lab create configmap mcp-load-lab-archive --from-file=archive.tar=FILE.tar
 *
 * KUSTOMIZATION is the folder that is applied afterwards: k6 takes the load from the archive, not from the cluster, so it is fixed
 * here, by the same variables. Secrets are no part of it: the runners read theirs when they run.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { toolPath } from '../../experiments/tool-path.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Of all values of a ConfigMap together. */
const MOST_BYTES = 1024 ** 2;

/** @param {string} message @returns {never} */
function stop(message) {
  process.stderr.write(`archive: ${message}\n`);
  process.exit(2);
}

/** @param {'kustomize' | 'k6'} tool @param {string[]} args */
function run(tool, args) {
  const { status, stdout, stderr } = spawnSync(toolPath(tool), args, { encoding: 'utf8' });
  if (status !== 0) stop(`${tool}: ${stderr.trim().split('\n').at(-1)}`);
  return stdout;
}

function parse() {
  try {
    return parseArgs({ allowPositionals: true, options: { workload: { type: 'string' } } });
  } catch (error) {
    return stop(/** @type {Error} */ (error).message);
  }
}

const { values, positionals } = parse();
const [kustomization, file, ...more] = positionals;
if (!kustomization || !file || more.length > 0)
  stop('usage: deploy/kubernetes/archive.js KUSTOMIZATION FILE.tar [--workload workload.json]');
if (values.workload && !statSync(values.workload, { throwIfNoEntry: false })?.isFile())
  stop(`--workload is "${values.workload}"; valid: the path of a .json file`);
const manifests = parseAllDocuments(run('kustomize', ['build', kustomization])).map((one) => one.toJS());
/** @type {Record<string, string>} */
const variables = manifests.find(({ metadata }) => metadata.name === 'mcp-load-lab-run')?.data ?? {};
if (!variables.TEST) stop(`${kustomization} has no TEST; valid: a kustomization on one of overlays/`);
if (variables.WORKLOAD)
  stop(`${kustomization} has components/workload; valid: without it, and with --workload here`);

// A path that is the same wherever the archive is read; k6 changes those in people's homes.
const scratch = mkdtempSync(join(tmpdir(), 'archive-'));
try {
  if (values.workload) {
    variables.WORKLOAD = join(scratch, 'workload.json');
    variables.TARGET_PROTOCOL ??= 'auto';
    copyFileSync(values.workload, variables.WORKLOAD);
  }
  const env = Object.entries(variables).flatMap(([name, value]) =>
    name.startsWith('K6_') ? [] : ['-e', `${name}=${value}`],
  );
  run('k6', ['archive', join(ROOT, 'scenarios', `${variables.TEST}.js`), ...env, '-O', file]);
} finally {
  rmSync(scratch, { recursive: true });
}
const { size } = statSync(file);
if (size > MOST_BYTES)
  stop(`${file} has ${size} bytes, and a ConfigMap takes ${MOST_BYTES}; use the runner image instead`);
process.stdout.write(
  `wrote ${file}: ${variables.TEST}, ${size} bytes of the ${MOST_BYTES} that a ConfigMap takes\n`,
);
