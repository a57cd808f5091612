/** HTML in which text stays text, whatever it holds: a server names its own tools, and a failure quotes what it said. */

/** Markup, as opposed to text that is still to be escaped. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }

  toString() {
    return this.markup;
  }
}

/** What may stand in a template. */
export type Part = Html | string | number | null | undefined | false | readonly Part[];

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** @returns text, also as the value of a quoted attribute */
export const escapeHtml = (text: string) =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

/**
 * A template's tag. Strings and numbers are escaped, `Html` is not; null, undefined and false are nothing; the parts of a list stand one
 * after the other. Attributes have to be quoted, and what is escaped is not for script, style or a URL.
 */
export function html(markup: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(String.raw({ raw: markup }, ...parts.map(markupOf)));
}

function markupOf(part: Part): string {
  if (part === null || part === undefined || part === false) return '';
  if (part instanceof Html) return part.markup;
  if (typeof part === 'object') return part.map(markupOf).join('');
  return escapeHtml(String(part));
}
