/**
 * What the k6-operator (1.0 to 1.6) makes of a TestRun, as far as it is a matter of commands: the same words in the same
 * order, for k6 to run here as it would there.
 */

/** @typedef {Record<string, string>} Variables */

/** Of `k6 run`, which the operator does not hand to `k6 archive`; with a value of their own or without. */
const NOT_FOR_ARCHIVE =
  /^(-o|--out|-l|--linger|--no-usage-report|-v|--verbose)$|^--(log-output|block-hostnames|blacklist-ip|user-agent)/;

/** @param {any} spec of a TestRun @returns {string[]} */
const argumentsOf = (spec) => spec.arguments.split(' ');

/**
 * @param {number} index from 1
 * @param {number} total
 * @returns {string[]}
 */
export function segment(index, total) {
  if (total === 1) return [];
  const at = (/** @type {number} */ i) => (i === 0 ? '0' : i === total ? '1' : `${i}/${total}`);
  const all = Array.from({ length: total + 1 }, (_, i) => at(i));
  return [`--execution-segment=${at(index - 1)}:${at(index)}`, `--execution-segment-sequence=${all.join()}`];
}

/**
 * @param {any} testrun
 * @param {number} index from 1
 * @returns {string[]} k6's arguments in that runner
 */
export function runnerArguments({ metadata, spec }, index) {
  return [
    ...['run', '--quiet'],
    ...segment(index, spec.parallelism),
    ...argumentsOf(spec),
    ...[spec.script.localFile, '--address=0.0.0.0:6565', '--paused'],
    ...['--tag', `instance_id=${index}`, '--tag', `testrun_name=${metadata.name}`],
  ];
}

/**
 * @param {any} testrun
 * @param {string} archive the file that the initializer writes
 * @returns {string[][]} the arguments of its two k6 commands
 */
export function initializerArguments({ spec }, archive) {
  /** @type {string[]} */
  const own = [];
  let taken = true;
  for (const word of argumentsOf(spec)) {
    if (word.startsWith('-')) taken = !NOT_FOR_ARCHIVE.test(word);
    if (taken) own.push(word);
  }
  const env = spec.initializer.env.flatMap((/** @type {any} */ { name }) => ['-e', `${name}=$(${name})`]);
  return [
    ['archive', spec.script.localFile, ...env, '-O', archive, ...own],
    ['inspect', '--execution-requirements', archive],
  ];
}

/**
 * As Kubernetes does it in a container's command: what has no value stays as it is.
 *
 * @param {string[]} words
 * @param {Variables} variables
 */
export function expand(words, variables) {
  return words.map((word) => word.replace(/\$\((\w+)\)/g, (reference, name) => variables[name] ?? reference));
}
