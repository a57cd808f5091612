/** Tools that the Go toolchain builds, by the pins of their go.sum. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { broken } from '../ending.ts';
import { logProgress } from '../log-progress.ts';
import { hasProgram, type Job, type Part, PartError } from './part.ts';
import { takeRelease } from './release.ts';

interface Program {
  /** What it takes to build with an empty cache. */
  seconds: number;
  /** The package, in the tool's module. */
  from?: string;
  flags?: string[];
}

/**
 * The service discoveries of every cloud make up most of Prometheus; files are the one used here. promtool, which only the tests need, has
 * one of them all the same, and is nearly half as much work again.
 */
const ONLY_FILES = ['-tags', 'remove_all_sd'];

const PROGRAMS: Record<string, Program> = {
  k6: { seconds: 124, from: './cmd/k6' },
  prometheus: { seconds: 156, from: 'github.com/prometheus/prometheus/cmd/prometheus', flags: ONLY_FILES },
  promtool: { seconds: 230, from: 'github.com/prometheus/prometheus/cmd/promtool', flags: ONLY_FILES },
  node_exporter: { seconds: 17 },
  exporter: { seconds: 8, from: '.' },
  toxiproxy: { seconds: 15 },
  govulncheck: { seconds: 15 },
  kustomize: { seconds: 30 },
  'go-server': { seconds: 15 },
  'server-go-memory': {
    seconds: 15,
    from: 'github.com/modelcontextprotocol/go-sdk/examples/server/memory',
  },
  'bench-server': { seconds: 5, from: '.' },
  act: { seconds: 90 },
};

export const goTools = Object.keys(PROGRAMS);

/**
 * Static and without paths of this machine: the same program wherever it is built, and Docker's image has it, too. With a build cache of
 * their own, which CI hands to Docker's builder (.ci/engine).
 */
export const buildEnv = (cache: string) => ({
  CGO_ENABLED: '0',
  GOFLAGS: '-buildvcs=false -mod=readonly -trimpath',
  GOCACHE: join(cache, 'go-build'),
});
/** Without what only a debugger reads: it would be a tenth of the work. */
const BUILD_FLAGS = ['-ldflags=-w'];

export const needsGo = (tool: string) => {
  if (!hasProgram('go'))
    throw broken(`${tool} has to be built: install Go 1.26 or newer (https://go.dev/dl)`);
};

/** @param source the tool's module @param output the program, or a folder and a slash */
export function buildCommand(tool: string, source: string, output: string): string[] {
  const { from = 'tool', flags = [] } = PROGRAMS[tool] ?? {};
  return ['go', '-C', source, 'build', ...BUILD_FLAGS, ...flags, '-o', output, from];
}

/** @param source the tool's module @param folder that it is built into; its name changes with the pins */
export function goPart(tool: string, source: string, folder: string): Part | null {
  if (existsSync(folder)) return null;
  // Before anything is installed.
  if (!process.env.RELEASE_URL) needsGo(tool);
  const { seconds = 0, from = 'tool', flags = [] } = PROGRAMS[tool] ?? {};
  return {
    title: tool,
    lane: 'build',
    seconds,
    // Not `go mod download`, which brings what nothing here imports.
    prefetch: (job) => job.run(`${tool}.modules`, ['go', '-C', source, 'list', '-deps', ...flags, from]),
    make: (job) => job.fill(folder, (unfinished) => make(job, tool, source, folder, unfinished)),
  };
}

async function make(job: Job, tool: string, source: string, folder: string, unfinished: string) {
  const { isTaken, reason } = await takeRelease(tool, folder, join(unfinished, tool));
  if (isTaken) return;
  if (reason) logProgress(`${reason}; building it instead`);
  needsGo(tool);
  await job.run(tool, buildCommand(tool, source, `${unfinished}/`), { env: buildEnv(job.cache) });
  if (tool !== 'k6') return;
  // k6 only warns of an extension that is made for another k6.
  const version = await job.run('k6.version', [join(unfinished, tool), 'version']);
  if (!version.includes('k6/x/mcp')) throw new PartError('this k6 has no module k6/x/mcp');
}
