#!/usr/bin/env node
/**
 * What is known of weaknesses in the npm packages of each lock file, and in the Go tools as they were built: one line each.
 *
 *   node scripts/audit.js <govulncheck> <name>=<binary>...
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { cleanText } from '../analysis/clean-text.js';

export const LOCKS = ['.', 'tests/conformance', 'tests/pipelines', 'tests/servers/node', 'tools/node'];
const LONGEST_MS = 180_000;
const MOST_NAMES = 12;
const FOUND = 1;
const NOT_ASKED = 3;

/** @typedef {{known: string[]} | {notAsked: string}} Answer known: package and weakness, each once */

/**
 * @param {string} text what `npm audit --json` prints
 * @returns {Answer}
 */
export function readNpmAudit(text) {
  const report = parse(text);
  if (!report?.vulnerabilities) return { notAsked: report?.message ?? lastLine(text) };
  const known = Object.entries(report.vulnerabilities).map(([name, { severity }]) => `${name} (${severity})`);
  return { known };
}

/**
 * @param {string} text what `govulncheck -mode binary -format json` prints: one JSON object after the other
 * @param {string} problem what it says on stderr
 * @returns {Answer} those that the binary has code of
 */
export function readGovulncheck(text, problem) {
  if (problem !== '') return { notAsked: lastLine(problem) };
  const messages = text
    .split(/^(?=\{)/m)
    .map(parse)
    .filter((message) => message !== null);
  if (!messages.some((message) => message.config)) return { notAsked: 'it says nothing' };
  const found = messages.flatMap(({ finding }) => {
    // A trace that names no function says that the module is there, not that its weak part is.
    const called = finding?.trace?.[0]?.function;
    return called ? [`${finding.trace[0].module} (${finding.osv})`] : [];
  });
  return { known: [...new Set(found)] };
}

/** @param {string} text @returns {any} null: no JSON */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** @param {string} text */
const lastLine = (text) => text.trim().split('\n').at(-1) ?? '';

/** @param {string} folder @returns {Answer} */
function askNpm(folder) {
  const { stdout, error } = spawnSync('npm', ['audit', '--package-lock-only', '--json'], {
    ...{ cwd: folder, encoding: 'utf8', timeout: LONGEST_MS, maxBuffer: 2 ** 28 },
  });
  return error ? { notAsked: error.message } : readNpmAudit(stdout);
}

/** @param {string} govulncheck @param {string} binary @returns {Answer} */
function askGo(govulncheck, binary) {
  const { stdout, stderr, error } = spawnSync(govulncheck, ['-mode', 'binary', '-format', 'json', binary], {
    ...{ encoding: 'utf8', timeout: LONGEST_MS, maxBuffer: 2 ** 28 },
  });
  return error ? { notAsked: error.message } : readGovulncheck(stdout, stderr);
}

/** @param {string} what @param {Answer} answer @returns {string} one line */
export function lineOf(what, answer) {
  if ('notAsked' in answer) {
    // Without a registry's address: whose it is depends on the machine.
    const why = cleanText(answer.notAsked, [], 300).replace(/https?:\/\/\S+/g, '…');
    return `not asked  ${what}: ${why}`;
  }
  const { known } = answer;
  const rest = known.length - MOST_NAMES;
  const names = known.slice(0, MOST_NAMES).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
  return known.length === 0 ? `nothing    ${what}` : `KNOWN      ${what}: ${cleanText(names, [], 1000)}`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [govulncheck = '', ...binaries] = process.argv.slice(2);
  /** @type {[string, Answer][]} */
  const answers = [];
  /** @param {string} what @param {Answer} answer */
  const tell = (what, answer) => {
    answers.push([what, answer]);
    process.stdout.write(`${lineOf(what, answer)}\n`);
  };
  for (const folder of LOCKS) {
    const { name } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
    tell(`npm packages of ${folder === '.' ? name : folder}`, askNpm(folder));
  }
  for (const named of binaries) {
    const [name = '', binary = ''] = named.split('=');
    tell(`Go modules of ${name}`, askGo(govulncheck, binary));
  }
  const of = (/** @type {string} */ member) => answers.filter(([, answer]) => member in answer).length;
  const known = answers.filter(([, answer]) => 'known' in answer && answer.known.length > 0).length;
  process.stdout.write(
    `${of('known')} of ${answers.length} asked, weaknesses known in ${known}` +
      `${of('notAsked') > 0 ? '; the others could not be asked from here: run make audit where the network allows it' : ''}\n`,
  );
  process.exitCode = known > 0 ? FOUND : of('notAsked') > 0 ? NOT_ASKED : 0;
}
