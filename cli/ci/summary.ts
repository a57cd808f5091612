/** The summary page of a pipeline: the comparison and the report of each run. */

/** A run or the comparison. */
export interface Done {
  what: string;
  code: number;
  /** '' = it has no results. */
  folder: string;
  /** Its report; '' = none. */
  markdown: string;
  /** Number of objectives that a run missed. */
  missed?: number;
  /** metrics: number of metrics that are worse; than: name of the base. */
  worse?: { metrics: number; than: string };
}

/** @param ending one sentence @returns Markdown */
export function summaryOf({ ending, done }: { ending: string; done: readonly Done[] }): string {
  const rows = done.map(
    ({ what, code, folder }) => `| ${what} | ${code} | ${folder === '' ? '' : `\`${folder}\``} |`,
  );
  return [
    `**${ending}**`,
    ...(rows.length > 0 ? ['', '| | exit code | results |', '|---|---|---|', ...rows] : []),
    // Put the part that decides the result first. With several runs, it is the comparison, which is made
    // last.
    ...done.toReversed().flatMap(({ markdown }) => (markdown === '' ? [] : ['', markdown.trim()])),
    '',
  ].join('\n');
}
