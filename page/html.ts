/**
 * HTML templates that escape all text, because it is untrusted: a server names its own tools, and a failure
 * quotes its messages.
 */

/** Markup, which is not escaped. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }

  toString() {
    return this.markup;
  }
}

/** Allowed values in a template. */
export type Part = Html | string | number | null | undefined | false | readonly Part[];

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** @returns escaped text, also valid as the value of a quoted attribute */
export const escapeHtml = (text: string) =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

/**
 * Template tag. Strings and numbers are escaped, `Html` is not; null, undefined and false render nothing; the
 * items of a list are concatenated. Attributes must be quoted. The escaping is not sufficient for scripts,
 * styles and URLs.
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
