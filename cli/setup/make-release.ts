/**
 * Builds k6 for PLATFORMS into dist/ from a clean clone, and adds each program with its checksum to
 * tools/release.json, which verifies downloads from RELEASE_URL. Builds are reproducible byte by byte.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeAtomic } from '../../analysis/write-atomic.ts';
import { leaveWhereInterrupted, runForwardingSignals } from '../child.ts';
import { broken, codeOf, quotable, usage } from '../ending.ts';
import { logProgress } from '../log-progress.ts';
import { ROOT } from '../stack.ts';
import { buildCommand, buildEnv, needsGo } from './go-build.ts';
import { placesOf } from './needs.ts';
import { fileOf, MANIFEST, readManifest, sha256, THIS_PLATFORM, versionOf } from './release.ts';

/** Platform names of Node.js -> Go. */
const PLATFORMS: Record<string, { GOOS: string; GOARCH: string }> = {
  'linux-x64': { GOOS: 'linux', GOARCH: 'amd64' },
  'linux-arm64': { GOOS: 'linux', GOARCH: 'arm64' },
  'darwin-x64': { GOOS: 'darwin', GOARCH: 'amd64' },
  'darwin-arm64': { GOOS: 'darwin', GOARCH: 'arm64' },
};
const DIST = join(ROOT, 'dist');
const K6 = 'k6';

/** Requires a clean commit, so that anybody can reproduce the programs. @throws {Ending} */
async function checkClean() {
  const { code, stdout } = await runForwardingSignals(
    'git',
    ['status', '--porcelain', '--', '.', ':!tools/release.json'],
    {
      cwd: ROOT,
    },
  );
  if (code !== 0 || stdout !== '') throw usage('the clone has uncommitted changes; commit or stash them');
}

async function build(platform: string, source: string, folder: string) {
  const released = { name: K6, version: versionOf(K6, folder), platform };
  const path = join(DIST, fileOf(released));
  logProgress(`building ${fileOf(released)} ...`);
  const [file = '', ...args] = buildCommand(K6, source, path);
  const { code } = await runForwardingSignals(file, args, {
    env: { ...buildEnv(dirname(folder)), ...PLATFORMS[platform] },
    stdio: ['ignore', 2, 2],
  });
  leaveWhereInterrupted();
  if (code !== 0) throw broken(`${fileOf(released)}: go build failed`);
  return { ...released, sha256: sha256(readFileSync(path)) };
}

try {
  const platforms = (process.env.PLATFORMS || THIS_PLATFORM).split(',');
  const unknown = platforms.find((one) => !(one in PLATFORMS));
  if (unknown !== undefined)
    throw usage(`PLATFORMS has "${quotable(unknown)}"; valid: ${Object.keys(PLATFORMS).join(', ')}`);
  await checkClean();
  needsGo(K6);
  const { source = '', folder = '' } = (await placesOf([K6])).get(K6) ?? {};
  const version = versionOf(K6, folder);
  mkdirSync(DIST, { recursive: true });
  // Remove programs of other versions.
  let files = readManifest().filter((one) => one.version === version);
  for (const platform of platforms) {
    const released = await build(platform, source, folder);
    files = [...files.filter((one) => one.platform !== platform), released];
    writeAtomic(MANIFEST, `${JSON.stringify({ files }, null, 2)}\n`);
  }
  logProgress(
    `made: ${files.map(fileOf).join(', ')} in dist/, and tools/release.json; commit it, and upload dist/ to the future RELEASE_URL`,
  );
} catch (error) {
  logProgress(`error: ${error instanceof Error ? error.message : error}`);
  process.exitCode = codeOf(error);
}
