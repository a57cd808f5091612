/**
 * @param {readonly {subject: string, statement: string}[]} findings
 * @param {string} subject
 * @returns {string} the statements about the subject, one per line
 */
export const statementsOf = (findings, subject) =>
  findings
    .filter((finding) => finding.subject === subject)
    .map(({ statement }) => statement)
    .join('\n');
