/**
 * The messages of the test payload on a server that discovery examined: calls of a tool with text arguments of
 * increasing size.
 */
import { ConfigError } from '../contract/config-error.js';
import { oneLine } from '../contract/one-line.js';

/** Sizes of the text, KB. */
export const SIZES_KB = [1, 2, 4, 8, 16, 32];

/** Maximum length of a pointer in a title. It contains names from the server. */
const MAX_POINTER = 60;

/** Argument names that are likely to accept any text, unlike `city` or `path`; the best first. */
const FREE_TEXT = ['text', 'message', 'content', 'body', 'input', 'prompt', 'data', 'value', 'query'];

/** @typedef {import('../lib/workload.js').DocumentOperation} DocumentOperation */

/**
 * @param {import('../lib/workload.js').WorkloadDocument} document
 * @returns {import('../lib/test.js').FittedWorkload}
 * @throws {ConfigError} if no tool accepts long text
 */
export function payloadOf(document) {
  const { name, operations } = document;
  const candidates = Object.entries(operations)
    .flatMap(([operation, { long_text: pointer, ...spec }]) => {
      const args = pointer && spec.arguments?.find((given) => parentOf(given, pointer));
      return pointer && args ? [{ operation, pointer, args, spec }] : [];
    })
    .sort((a, b) => rankOf(a) - rankOf(b));
  const [best] = candidates;
  if (!best)
    throw new ConfigError(
      `the test payload requires a text argument of up to ${SIZES_KB.at(-1)} KB, which no operation of ${name} accepts; ` +
        'set TOOLS to a tool with such an argument, or use a WORKLOAD with long_text in an operation',
    );
  const { operation, pointer, args, spec } = best;
  const nameOf = (/** @type {number} */ kb) => `${operation}/${kb}-kb`;
  const sized = SIZES_KB.map((kb) => [
    nameOf(kb),
    { ...spec, arguments: [withText(args, pointer, kb * 1024)] },
  ]);
  return {
    workload: { ...document, operations: Object.fromEntries(sized) },
    calls: Object.fromEntries(SIZES_KB.map((kb) => [`${kb}-kb`, nameOf(kb)])),
    title: `requests with 1 to ${SIZES_KB.at(-1)} KB of text: ${operation} with a growing ${oneLine(pointer.slice(1), MAX_POINTER)}`,
  };
}

/**
 * Prefers read-only calls, then arguments that are likely to accept any text.
 *
 * @param {{spec: Omit<DocumentOperation, 'long_text'>, pointer: string}} candidate
 */
function rankOf({ spec, pointer }) {
  const place = FREE_TEXT.indexOf(pointer.split('/').at(-1) ?? '');
  return (spec.class === 'read' ? 0 : FREE_TEXT.length + 1) + (place < 0 ? FREE_TEXT.length : place);
}

/** @param {string} pointer RFC 6901 */
const membersOf = (pointer) =>
  pointer
    .split('/')
    .slice(1)
    .map((member) => member.replaceAll('~1', '/').replaceAll('~0', '~'));

/**
 * @param {any} args
 * @param {string} pointer
 * @returns {any} the object or array that contains the text; undefined = none
 */
function parentOf(args, pointer) {
  const parent = membersOf(pointer)
    .slice(0, -1)
    .reduce((value, member) => (Object.hasOwn(Object(value), member) ? value[member] : undefined), args);
  return typeof parent === 'object' && parent !== null ? parent : undefined;
}

/** @param {Record<string, unknown>} args @param {string} pointer @param {number} bytes */
function withText(args, pointer, bytes) {
  const copy = JSON.parse(JSON.stringify(args));
  const member = membersOf(pointer).at(-1) ?? '';
  Object.defineProperty(parentOf(copy, pointer), member, {
    value: 'x'.repeat(bytes),
    configurable: true,
    enumerable: true,
    writable: true,
  });
  return copy;
}
