/** Command lines for a person to type: quoted for a shell. */

/** What a shell takes as it is. */
const PLAIN = /^[\w:/.@%,+-]+$/;

export interface Command {
  label: string;
  /** Of a command line, quoted for a shell. */
  words: string[];
  /** '' = none. */
  comment: string;
}

/** @param variables null: not shown @returns of the command line that runs it, quoted for a shell */
export const commandWords = (test: string, variables: Record<string, string | null>): string[] => [
  'make',
  test,
  ...Object.entries(variables).flatMap(([name, value]) =>
    value === null ? [] : [`${name}=${quoted(value)}`],
  ),
];

/** @returns a comment on those whose values are not kept; '' if all are */
export function unkeptText(variables: Record<string, string | null>): string {
  const names = Object.keys(variables).filter((name) => variables[name] === null);
  return names.length > 0 ? `with ${names.join(', ')} as before` : '';
}

/** @returns one line that a shell takes */
export const commandLine = ({ words, comment }: Command): string =>
  [...words, ...(comment ? [` # ${comment}`] : [])].join(' ');

/** @returns as a shell reads it back */
export const quoted = (value: string): string =>
  PLAIN.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
