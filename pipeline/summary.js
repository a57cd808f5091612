/** The page that a pipeline shows of all that it did: the comparison, and the report of each run. */

/**
 * @typedef {object} Done one run, or the comparison
 * @property {string} what
 * @property {number} code
 * @property {string} folder '' where it left nothing
 * @property {string} markdown its own report, '' where it left none
 */

/**
 * @param {object} all
 * @param {string} all.ending one sentence
 * @param {readonly Done[]} all.done
 * @returns {string} Markdown
 */
export function summaryOf({ ending, done }) {
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
