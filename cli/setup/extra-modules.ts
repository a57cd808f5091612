/** Parts from Go modules that are not in tools/: Kubernetes' schemas and Docker Compose. */
import { copyFileSync, cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { needsGo } from './go-build.ts';
import { type Job, type Part, PartError } from './part.ts';
import { versionOf } from './release.ts';

const KUBERNETES = 'k8s.io/kubectl';
const MONITORING = 'github.com/prometheus-operator/prometheus-operator';

/** The Go toolchain downloads the modules and verifies them with go.sum. Their code is not built. */
export function schemasPart(source: string, folder: string): Part | null {
  if (existsSync(folder)) return null;
  return {
    title: 'the schemas of Kubernetes',
    lane: 'build',
    seconds: 20,
    make: (job) => job.fill(folder, (unfinished) => takeSchemas(job, source, unfinished)),
  };
}

async function takeSchemas(job: Job, source: string, folder: string) {
  needsGo('kubernetes-schemas');
  await job.run('kubernetes-schemas', ['go', '-C', source, 'mod', 'download', KUBERNETES, MONITORING]);
  const list = await job.run('kubernetes-schemas', [
    ...['go', '-C', source, 'list', '-m', '-f', '{{.Dir}}', KUBERNETES, MONITORING],
  ]);
  const [kubernetes = '', monitoring = ''] = list.trim().split('\n');
  copyFileSync(join(kubernetes, 'testdata/openapi/swagger.json'), join(folder, 'kubernetes.json'));
  for (const name of ['servicemonitors', 'prometheusrules']) {
    const file = `monitoring.coreos.com_${name}.yaml`;
    copyFileSync(join(monitoring, 'example/prometheus-operator-crd', file), join(folder, file));
  }
}

const COMPOSE_TOOL = 'docker-compose';
const COMPOSE = 'github.com/docker/compose/v2';
const COMPOSE_SUM = 'h1:XeYkQu1svDtyfZPv5nTwFryQ25ZJMkIlc4pz9HalMPI=';

/**
 * `go install` refuses this module because it has exclude directives. So it is built in a copy, with its own
 * go.sum.
 *
 * @param folder output folder; its name has the version (scripts/common.sh)
 */
export function composePart(folder: string): Part | null {
  if (existsSync(folder)) return null;
  const version = `v${versionOf(COMPOSE_TOOL, folder)}`;
  return {
    title: COMPOSE_TOOL,
    lane: 'build',
    seconds: 200,
    make: (job) => job.fill(folder, (unfinished) => buildCompose(job, version, unfinished)),
  };
}

async function buildCompose(job: Job, version: string, folder: string) {
  needsGo(COMPOSE_TOOL);
  const run = (...command: string[]) => job.run(COMPOSE_TOOL, command);
  const { Dir, Sum } = JSON.parse(
    await run('go', '-C', folder, 'mod', 'download', '-json', `${COMPOSE}@${version}`),
  );
  if (Sum !== COMPOSE_SUM)
    throw new PartError(`${COMPOSE}@${version} has the checksum ${Sum}, expected ${COMPOSE_SUM}`);
  const source = join(folder, 'source');
  cpSync(Dir, source, { recursive: true });
  await run('chmod', '-R', 'u+w', source);
  const flags = ['-buildvcs=false', '-mod=readonly', `-ldflags=-w -X ${COMPOSE}/internal.Version=${version}`];
  await run('go', '-C', source, 'build', ...flags, '-o', join(folder, COMPOSE_TOOL), './cmd');
  rmSync(source, { recursive: true, force: true });
}
