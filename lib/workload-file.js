/**
 * Reads the file that WORKLOAD names: a JSON document, or a JS workload as in `workloads/`. Works only in
 * k6's init context. The runner has validated a document against its schema (cli/workload-document.ts); this
 * file checks only what k6 depends on.
 */
import { ConfigError } from '../contract/config-error.js';
import { namesOf } from './names-of.js';

/**
 * @param {string} path absolute
 * @returns {import('./workload.js').AnyWorkload}
 * @throws {ConfigError} if the file cannot be read or is not a workload
 */
export function readWorkload(path) {
  try {
    if (!path.endsWith('.js')) return check(load(() => JSON.parse(open(path))));
    return check(load(() => require(path)).default, 'its default export');
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError(`WORKLOAD ${path}: ${error.message}`);
    throw error;
  }
}

/**
 * @template T
 * @param {() => T} read
 * @returns {T}
 */
function load(read) {
  try {
    return read();
  } catch (error) {
    throw new ConfigError(`it cannot be read (${String(error).split('\n')[0]})`);
  }
}

/**
 * @param {any} workload
 * @param {string} [what] the subject of the error message
 * @returns {import('./workload.js').AnyWorkload}
 */
function check(workload, what = 'it') {
  const fine =
    typeof workload?.operations === 'object' && typeof workload.mixes === 'object' && workload.name;
  if (!fine) throw new ConfigError(`${what} is not an object with name, operations and mixes`);
  for (const [name, { class: kind, args, method, calls }] of Object.entries(workload.operations)) {
    if (typeof args !== 'function' && (args !== undefined || !(method || calls)))
      throw new ConfigError(`operations.${name}.args is not a function`);
    if (typeof kind !== 'string') throw new ConfigError(`operations.${name}.class is not a text`);
  }
  for (const [name, mix] of Object.entries(workload.mixes)) {
    const unknown = Object.keys(mix).find((operation) => !Object.hasOwn(workload.operations, operation));
    if (unknown !== undefined)
      throw new ConfigError(
        `mixes.${name} names "${unknown.slice(0, 60)}", which is not in operations; valid: ${namesOf(Object.keys(workload.operations))}`,
      );
  }
  return workload;
}
