/** A command as its words. Nothing of it reaches a shell. */

const STDIO = 'stdio://localhost/';

/** @param {string} url of a target, as variables or results have it @returns {boolean} whether the server is a program */
export const isProgram = (url) => url.startsWith('stdio:');

/** In quotes, after a backslash, or plain. */
const PIECE = /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)|([^\s"'\\]+)/gs;

/**
 * @param {string} text words between white space, with the quotes and backslashes of a shell, and nothing else that a shell knows
 * @returns {string[] | undefined} undefined: a quote is not closed
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
/** A flag whose value is a secret. */
const SECRET_FLAG = new RegExp(`^-\\S*(${SECRET.source})`, 'i');

/** @param {string} text of a shell @returns {boolean} whether a secret may be in it */
export const mentionsSecret = (text) => SECRET.test(text);

/** @param {readonly string[]} words @returns {boolean} whether an argument may be a secret */
export const hasSecret = (words) => words.some((word) => SECRET_FLAG.test(word));

/** @param {string} url @returns {string} what a person calls the server: a URL without its query, which may hold a key, or a program's name */
export const shownTarget = (url) =>
  url.startsWith(STDIO) ? decodeURIComponent(url.slice(STDIO.length)) : url.replace(/[?#].*$/, '');

/** @param {readonly string[]} words @returns {string} where variables want a URL: `stdio://localhost/` and the program's name */
export const stdioUrl = ([program = '']) => `${STDIO}${encodeURIComponent(program.split('/').at(-1) ?? '')}`;
