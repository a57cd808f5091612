/** Renders command lines, quoted for a shell. */

/** Words that need no quotes in a shell. */
const PLAIN = /^[\w:/.@%,+-]+$/;

export interface Command {
  label: string;
  /** Words of a command line, quoted for a shell. */
  words: string[];
  /** '' if there is none. */
  comment: string;
}

/**
 * @param variables null: the value is not shown
 * @returns the words of the command line that runs the test, quoted for a shell
 */
export const commandWords = (test: string, variables: Record<string, string | null>): string[] => [
  'make',
  test,
  ...Object.entries(variables).flatMap(([name, value]) =>
    value === null ? [] : [`${name}=${quoted(value)}`],
  ),
];

/** @returns a comment about variables whose values are not stored; '' if there are none */
export function unkeptText(variables: Record<string, string | null>): string {
  const names = Object.keys(variables).filter((name) => variables[name] === null);
  return names.length > 0 ? `with ${names.join(', ')} as before` : '';
}

/** @returns a single line for a shell */
export const commandLine = ({ words, comment }: Command): string =>
  [...words, ...(comment ? [` # ${comment}`] : [])].join(' ');

export const quoted = (value: string): string =>
  PLAIN.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
