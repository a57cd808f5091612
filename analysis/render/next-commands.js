/** What to type after a run. */
import { profiles } from '../../contract/profiles.js';

/** What a shell takes as it is. */
const PLAIN = /^[\w:/.@%-]+$/;
const TEST = /^[a-z][a-z0-9-]*$/;

/**
 * @param {import('../run.js').Run} run
 * @param {string} directory of its results
 * @param {number} width most characters of a line
 * @returns {string[]} see it, run it again, compare the two
 */
export function nextCommands(run, directory, width) {
  const page = `see it:   ${directory}/report.html, or make dashboards`;
  const again = againWords(run);
  return [
    page.length <= width ? page : 'see it:   report.html in that folder, or make dashboards',
    ...(again ? [withNote(command('again:    make', again, width), width)] : []),
    ...(again ? compareLines(run, width) : []),
  ];
}

/** @param {import('../run.js').Run} run @returns {string[] | null} of a pass in the next longer profile; null: not known */
function againWords({ test, profile, target, verdict }) {
  if (!TEST.test(test ?? '') || !Object.hasOwn(profiles, profile ?? '')) return null;
  const names = Object.keys(profiles);
  const longer = names[names.indexOf(profile ?? '') + 1];
  const next = (verdict.outcome === 'pass' && longer) || profile;
  // The settings are known of the reference target only.
  const isOther = target !== null && target.knobs === null;
  return [test ?? '', `PROFILE=${next}`, ...(isOther ? [`TARGET_URL=${target.url}`] : [])];
}

/** @param {import('../run.js').Run} run @param {number} width @returns {string[]} none of a run that is not compared */
function compareLines({ testid, verdict: { outcome } }, width) {
  if (outcome !== 'pass' && outcome !== 'fail') return [];
  const words = ['compare', `BASE=${testid}`, 'HEAD=latest'];
  return [command('compare:  make', outcome === 'fail' ? [...words, 'INCLUDE_FAILED=1'] : words, width)];
}

/** What else was set is not in the run document. */
const NOTE = "  # with this run's other variables";

/** @param {string} line @param {number} width */
const withNote = (line, width) => (line.length + NOTE.length <= width ? `${line}${NOTE}` : line);

/** @param {string} start @param {string[]} words @param {number} width @returns {string} with `...` for a value that a line does not hold */
function command(start, words, width) {
  const line = [start, ...words.map((word) => quoted(word))].join(' ');
  if (line.length <= width) return line;
  const short = words.map((word) =>
    /^(BASE|TARGET_URL)=/.test(word) ? word.replace(/=.*$/s, '=...') : word,
  );
  return [start, ...short].join(' ');
}

/** @param {string} word NAME=value, or a name @returns {string} as a shell reads it back */
function quoted(word) {
  const [name = '', value] = word.split(/=(.*)/s);
  return value === undefined || PLAIN.test(value) ? word : `${name}='${value.replaceAll("'", `'\\''`)}'`;
}
