import { readdir, readFile, realpath } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NotFoundError } from './not-found-error.js';

const ROOT = fileURLToPath(new URL('sandbox/', import.meta.url)).replace(/\/$/, '');

/** Error codes that mean that the file does not exist or can't be read as a file. */
const ABSENT = ['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENAMETOOLONG'];

/**
 * @param {string} path relative to the sandbox
 * @returns {Promise<{name: string, type: string}[]>} type: file or folder
 * @throws {NotFoundError}
 */
export function listFolder(path) {
  return inside(path, async (folder) => {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .map((entry) => ({ name: entry.name, type: entry.isDirectory() ? 'folder' : 'file' }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  });
}

/**
 * @param {string} path relative to the sandbox
 * @returns {Promise<string>}
 * @throws {NotFoundError}
 */
export function readText(path) {
  return inside(path, (file) => readFile(file, 'utf8'));
}

/**
 * Calls `use` with the real path if it is in the sandbox. Any other path is reported as not found, because a different
 * error would reveal whether the path exists.
 * @template T
 * @param {string} path
 * @param {(real: string) => Promise<T>} use
 * @returns {Promise<T>}
 * @throws {NotFoundError}
 */
async function inside(path, use) {
  const absent = new NotFoundError('there is no such file or folder');
  if (path.includes('\0') || !isInside(resolve(ROOT, path))) throw absent;
  try {
    // Resolves links, which may lead outside the sandbox.
    const real = await realpath(resolve(ROOT, path));
    if (!isInside(real)) throw absent;
    return await use(real);
  } catch (error) {
    if (ABSENT.includes(/** @type {{code: string}} */ (error).code)) throw absent;
    throw error;
  }
}

/** @param {string} path absolute */
const isInside = (path) => path === ROOT || path.startsWith(ROOT + sep);
