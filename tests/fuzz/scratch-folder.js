import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';

/**
 * @param {string} prefix
 * @returns {string} a folder for an area to write to, and to remove when it closes; none in the main thread, which only asks
 *   what the area's properties are
 */
export const scratchFolder = (prefix) => (isMainThread ? '' : mkdtempSync(join(tmpdir(), prefix)));
