/**
 * Downloads prebuilt programs of a release from RELEASE_URL: only those in tools/release.json, verified by
 * checksum.
 */
import { createHash } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from '../stack.ts';

export const MANIFEST = join(ROOT, 'tools/release.json');

export interface Released {
  name: string;
  /** Hash of its sources and pins: the last part of the build folder's name. */
  version: string;
  /** Node.js platform name: linux-x64, darwin-arm64. */
  platform: string;
  sha256: string;
}

export const THIS_PLATFORM = `${process.platform}-${process.arch}`;
const TIMEOUT_MS = 300_000;
const MAX_BYTES = 300 * 1024 * 1024;

export const readManifest = (): Released[] => JSON.parse(readFileSync(MANIFEST, 'utf8')).files;

/** The file's name in a release. */
export const fileOf = ({ name, version, platform }: Omit<Released, 'sha256'>) =>
  `${name}-${version}-${platform}`;

/** @param folder the build folder for the same sources */
export const versionOf = (tool: string, folder: string) => basename(folder).slice(tool.length + 1);

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/**
 * @param folder the build folder for the same sources
 * @param path destination of the program
 * @returns reason: one line that explains why the release's program was not used
 */
export async function takeRelease(
  tool: string,
  folder: string,
  path: string,
  { url = process.env.RELEASE_URL, files = readManifest() } = {},
): Promise<{ isTaken: boolean; reason?: string }> {
  const version = versionOf(tool, folder);
  const released = files.find(
    (one) => one.name === tool && one.version === version && one.platform === THIS_PLATFORM,
  );
  if (!url || !released) return { isTaken: false };
  try {
    const bytes = await download(`${url.replace(/\/+$/, '')}/${fileOf(released)}`);
    const found = sha256(bytes);
    if (found !== released.sha256) throw new Error(`its checksum is ${found}, expected ${released.sha256}`);
    writeFileSync(path, bytes);
    chmodSync(path, 0o755);
    return { isTaken: true };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { isTaken: false, reason: `${fileOf(released)} cannot be used from RELEASE_URL: ${why}` };
  }
}

/** @throws {Error} with a one-line message */
async function download(url: string): Promise<Uint8Array> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((error) => {
    throw new Error(error.cause?.code ?? error.cause?.message ?? error.message);
  });
  if (!answer.ok || !answer.body) throw new Error(`answered ${answer.status}`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error(`more than ${MAX_BYTES / 1024 / 1024} MiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
