/** Splits commands into words. No shell is involved. */

const STDIO = 'stdio://localhost/';

/**
 * @param {string} url a target's URL in variables or results
 * @returns {boolean} whether the server is a program (stdio)
 */
export const isProgram = (url) => url.startsWith('stdio:');

/** A quoted, escaped or plain part of a word. */
const PIECE = /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)|([^\s"'\\]+)/gs;

/**
 * @param {string} text words separated by white space; of shell syntax, only quotes and backslashes are
 *   supported
 * @returns {string[] | undefined} undefined if a quote is not closed
 */
export function splitCommand(text) {
  /** @type {string[]} */
  const words = [];
  let end = 0;
  let isOpen = false;
  for (const match of text.matchAll(PIECE)) {
    const gap = text.slice(end, match.index);
    if (gap.trim() !== '') return undefined;
    const [whole, double, single, escaped, plain] = match;
    const piece = double?.replace(/\\(.)/gs, '$1') ?? single ?? escaped ?? plain ?? '';
    if (isOpen && gap === '') words.push(`${words.pop()}${piece}`);
    else words.push(piece);
    isOpen = true;
    end = match.index + whole.length;
  }
  return text.slice(end).trim() === '' ? words : undefined;
}

const SECRET = /auth|cookie|credential|key|passw|secret|token/i;
/** A flag whose value may be a secret. */
const SECRET_FLAG = new RegExp(`^-\\S*(${SECRET.source})`, 'i');

/** @param {string} text shell code @returns {boolean} whether it may contain a secret */
export const mentionsSecret = (text) => SECRET.test(text);

/** @param {readonly string[]} words @returns {boolean} whether an argument may be a secret */
export const hasSecret = (words) => words.some((word) => SECRET_FLAG.test(word));

/**
 * @param {string} url
 * @returns {string} the server's name for people: the URL without its query, which may contain a key, or the
 *   program's name
 */
export const shownTarget = (url) =>
  url.startsWith(STDIO) ? decodeURIComponent(url.slice(STDIO.length)) : url.replace(/[?#].*$/, '');

/**
 * @param {readonly string[]} words
 * @returns {string} the URL that stands for a program: `stdio://localhost/` and the program's name
 */
export const stdioUrl = ([program = '']) => `${STDIO}${encodeURIComponent(program.split('/').at(-1) ?? '')}`;
