/** What GitHub's runner takes from a step: commands on its output, a summary, outputs. */
import { appendFileSync } from 'node:fs';

/** GitHub refuses a step's summary that is larger. */
const MAX_SUMMARY_BYTES = 1024 * 1024;
/** GitHub shows so many of a level and step. */
const MAX_OF_LEVEL = 10;
const MAX_MESSAGE = 4000;

/** @param {string} text @returns {string} what a command's message has to be written as */
const data = (text) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

/** @param {string} text @returns {string} the same for its properties */
const property = (text) => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/**
 * @param {readonly import('./annotations.js').Annotation[]} annotations
 * @returns {string[]} lines; of each level as many as are shown
 */
export function annotationCommands(annotations) {
  /** @type {Map<string, number>} */
  const seen = new Map();
  return annotations.flatMap(({ level, title, message }) => {
    const count = (seen.get(level) ?? 0) + 1;
    seen.set(level, count);
    if (count > MAX_OF_LEVEL) return [];
    return [`::${level} title=${property(title)}::${data(message.slice(0, MAX_MESSAGE))}`];
  });
}

/**
 * What comes between is text alone: a server's words that look like a command are none.
 *
 * @param {string} token that nobody can guess
 * @returns {{stop: string, resume: string}} lines
 */
export const textOnly = (token) => ({ stop: `::stop-commands::${token}`, resume: `::${token}::` });

/**
 * @param {string | undefined} file GITHUB_STEP_SUMMARY
 * @param {string} markdown
 */
export function addSummary(file, markdown) {
  if (file) appendFileSync(file, bounded(markdown));
}

/** @param {string} markdown @returns {string} whole lines */
function bounded(markdown) {
  const note = '\n\nThe rest is in the artifacts.\n';
  const bytes = Buffer.from(markdown);
  if (bytes.length <= MAX_SUMMARY_BYTES) return markdown;
  const cut = bytes.subarray(0, bytes.lastIndexOf('\n', MAX_SUMMARY_BYTES - note.length));
  return `${cut.toString()}${note}`;
}

/**
 * @param {string | undefined} file GITHUB_OUTPUT
 * @param {Record<string, string | number>} outputs
 */
export function addOutputs(file, outputs) {
  if (!file) return;
  const lines = Object.entries(outputs).map(
    ([name, value]) => `${name}=${String(value).replace(/[\r\n]+/g, ' ')}\n`,
  );
  appendFileSync(file, lines.join(''));
}
