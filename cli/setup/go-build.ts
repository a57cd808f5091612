/** Builds tools with the Go toolchain, pinned by their go.sum. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { broken } from '../ending.ts';
import { logProgress } from '../log-progress.ts';
import { hasProgram, type Job, type Part, PartError } from './part.ts';
import { takeRelease } from './release.ts';

interface Program {
  /** Build time with an empty cache. */
  seconds: number;
  /** The package in the tool's module. */
  from?: string;
  flags?: string[];
}

/**
 * Excludes the cloud service discoveries, which are most of Prometheus' code. Only file-based discovery is
 * used here. promtool, which only the tests need, still includes one cloud discovery, and takes almost half
 * of the build time.
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
 * Static builds without local paths are reproducible on any machine, and Docker's image uses the same
 * programs. They have a separate build cache, which CI passes to Docker's builder (.ci/engine).
 */
export const buildEnv = (cache: string) => ({
  CGO_ENABLED: '0',
  GOFLAGS: '-buildvcs=false -mod=readonly -trimpath',
  GOCACHE: join(cache, 'go-build'),
});
/** Omits debug information, which would take a tenth of the build time. */
const BUILD_FLAGS = ['-ldflags=-w'];

export const needsGo = (tool: string) => {
  if (!hasProgram('go'))
    throw broken(`${tool} must be built from source: install Go 1.26 or newer (https://go.dev/dl)`);
};

/** @param source the tool's module @param output the program, or a folder with a trailing slash */
export function buildCommand(tool: string, source: string, output: string): string[] {
  const { from = 'tool', flags = [] } = PROGRAMS[tool] ?? {};
  return ['go', '-C', source, 'build', ...BUILD_FLAGS, ...flags, '-o', output, from];
}

/** @param source the tool's module @param folder output folder; its name changes with the pinned versions */
export function goPart(tool: string, source: string, folder: string): Part | null {
  if (existsSync(folder)) return null;
  // Check before anything is installed.
  if (!process.env.RELEASE_URL) needsGo(tool);
  const { seconds = 0, from = 'tool', flags = [] } = PROGRAMS[tool] ?? {};
  return {
    title: tool,
    lane: 'build',
    seconds,
    // Not `go mod download`, which also downloads unused modules.
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
  // k6 only warns if an extension was made for another version of k6.
  const version = await job.run('k6.version', [join(unfinished, tool), 'version']);
  if (!version.includes('k6/x/mcp')) throw new PartError('this k6 lacks the module k6/x/mcp');
}
