#!/usr/bin/env node
/**
 * Prints the known vulnerabilities of the npm packages of each lock file and of each Go binary, one line per lock file
 * or binary.
 *
 *   node scripts/audit.ts <govulncheck> <name>=<binary>...
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { cleanText } from '../analysis/clean-text.ts';

export const LOCKS = [
  '.',
  'tests/conformance',
  'tests/pipelines',
  'tests/servers/node',
  'tests/servers/public/dbhub',
  'tools/node',
];
const LONGEST_MS = 180_000;
const MOST_NAMES = 12;
const FOUND = 1;
const NOT_ASKED = 3;

/** `known`: the vulnerabilities as "package vulnerability", without duplicates. `notAsked`: why the lookup failed. */
type Answer = { known: string[] } | { notAsked: string };

/** Reads the output of `npm audit --json`. */
export function readNpmAudit(text: string): Answer {
  const report = parse(text);
  if (!report?.vulnerabilities) return { notAsked: report?.message ?? lastLine(text) };
  const found: [string, { severity: string }][] = Object.entries(report.vulnerabilities);
  return { known: found.map(([name, { severity }]) => `${name} (${severity})`) };
}

/**
 * Reads the stdout of `govulncheck -mode binary -format json`, a sequence of JSON objects, and its stderr.
 * Counts only vulnerabilities whose code is in the binary.
 */
export function readGovulncheck(text: string, problem: string): Answer {
  if (problem !== '') return { notAsked: lastLine(problem) };
  const messages = text
    .split(/^(?=\{)/m)
    .map(parse)
    .filter((message) => message !== null);
  if (!messages.some((message) => message.config)) return { notAsked: 'it says nothing' };
  const found = messages.flatMap(({ finding }) => {
    // A trace without a function means that the binary contains the module, but not the vulnerable code.
    const called = finding?.trace?.[0]?.function;
    return called ? [`${finding.trace[0].module} (${finding.osv})`] : [];
  });
  return { known: [...new Set(found)] };
}

/** @returns null if the text is not JSON */
function parse(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const lastLine = (text: string) => text.trim().split('\n').at(-1) ?? '';

function askNpm(folder: string): Answer {
  const { stdout, error } = spawnSync('npm', ['audit', '--package-lock-only', '--json'], {
    ...{ cwd: folder, encoding: 'utf8', timeout: LONGEST_MS, maxBuffer: 2 ** 28 },
  });
  return error ? { notAsked: error.message } : readNpmAudit(stdout);
}

function askGo(govulncheck: string, binary: string): Answer {
  const { stdout, stderr, error } = spawnSync(govulncheck, ['-mode', 'binary', '-format', 'json', binary], {
    ...{ encoding: 'utf8', timeout: LONGEST_MS, maxBuffer: 2 ** 28 },
  });
  return error ? { notAsked: error.message } : readGovulncheck(stdout, stderr);
}

export function lineOf(what: string, answer: Answer): string {
  if ('notAsked' in answer) {
    // The registry's URL depends on the machine, so it is not printed.
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
  const answers: Answer[] = [];
  const tell = (what: string, answer: Answer) => {
    answers.push(answer);
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
  const of = (member: string) => answers.filter((answer) => member in answer).length;
  const known = answers.filter((answer) => 'known' in answer && answer.known.length > 0).length;
  process.stdout.write(
    `${of('known')} of ${answers.length} asked, weaknesses known in ${known}` +
      `${of('notAsked') > 0 ? '; the others could not be asked from here: run make audit where the network allows it' : ''}\n`,
  );
  process.exitCode = known > 0 ? FOUND : of('notAsked') > 0 ? NOT_ASKED : 0;
}
