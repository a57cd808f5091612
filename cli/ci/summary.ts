/** The page that a pipeline shows of all that it did: the comparison, and the report of each run. */

/** One run, or the comparison. */
export interface Done {
  what: string;
  code: number;
  /** '' where it left nothing. */
  folder: string;
  /** Its own report, '' where it left none. */
  markdown: string;
}

/** @param ending one sentence @returns Markdown */
export function summaryOf({ ending, done }: { ending: string; done: readonly Done[] }): string {
  const rows = done.map(
    ({ what, code, folder }) => `| ${what} | ${code} | ${folder === '' ? '' : `\`${folder}\``} |`,
  );
  return [
    `**${ending}**`,
    ...(rows.length > 0 ? ['', '| | exit code | results |', '|---|---|---|', ...rows] : []),
    // What decides is read first: of several runs that is their comparison, which is made last.
    ...done.toReversed().flatMap(({ markdown }) => (markdown === '' ? [] : ['', markdown.trim()])),
    '',
  ].join('\n');
}
