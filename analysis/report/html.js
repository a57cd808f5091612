/** HTML in which text stays text, whatever it holds: a server names its own tools, and a failure quotes what it said. */

/** Markup, as opposed to text that is still to be escaped. */
export class Html {
  /** @param {string} markup */
  constructor(markup) {
    this.markup = markup;
  }

  toString() {
    return this.markup;
  }
}

/** @typedef {Html | string | number | null | undefined | false | readonly Part[]} Part what may stand in a template */

/** @type {Record<string, string>} */
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** @param {string} text @returns {string} it, as text or as the value of a quoted attribute */
export const escapeHtml = (text) => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

/**
 * A template's tag. Strings and numbers are escaped, `Html` is not; null, undefined and false are nothing; the parts of a
 * list stand one after the other. Attributes have to be quoted, and what is escaped is not for script, style or a URL.
 *
 * @param {TemplateStringsArray} markup
 * @param {...Part} parts
 * @returns {Html}
 */
export function html(markup, ...parts) {
  return new Html(String.raw({ raw: markup }, ...parts.map(markupOf)));
}

/** @param {Part} part @returns {string} */
function markupOf(part) {
  if (part === null || part === undefined || part === false) return '';
  if (part instanceof Html) return part.markup;
  if (typeof part === 'object') return part.map(markupOf).join('');
  return escapeHtml(String(part));
}
