import { cleanText } from '../clean-text.ts';
import { commandLine } from '../command-line.ts';
import type { Finding } from '../findings/finding.ts';
import type { Run } from '../judge/run.ts';
import type { Verdict } from '../judge/verdict.ts';
import { factsOf, howMeasured } from './facts.ts';
import { numbered, observationText } from './observations.ts';
import { repeatCommands } from './repeat.ts';
import {
  failedProbeTable,
  failureTable,
  operationTable,
  outcomeTable,
  ownTables,
  partTable,
  phaseTable,
  resourceTable,
  signalTable,
  type TextTable,
  thresholdTable,
} from './tables.ts';

/** A GitHub step summary holds 1 MiB. */
const MAX_BYTES = 1_000_000;
/** Rows of each table: far more than any sensible test has; fewer, where that is too much. */
const MAX_ROWS = [200, 50, 10] as const;
const MAX_CELL = 200;
const MAX_EVIDENCE = 20;

export const SIGN: Record<Verdict['outcome'], string> = {
  pass: '✅ pass',
  fail: '❌ fail',
  invalid: '⚠️ invalid',
  error: '💥 error',
};

/**
 * @param text from anywhere: a server's name is whatever the server says
 * @returns Markdown that shows the text as it is: no markup, no link, no mention, no cell border
 */
export function escapeMarkdown(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/[\\`*[\]|~#!]/g, '\\$&')
    .replace(/(?<!\w)_|_(?!\w)/g, '\\_')
    .replaceAll('@', '&#64;')
    .replaceAll('://', '&#58;//')
    .replace(/\bwww\./gi, (www) => `${www.slice(0, -1)}&#46;`);
}

/** @returns report.md, complete: nothing in it is shortened but for bounds on rows, and on the whole */
export function renderMarkdown(run: Run): string {
  let text = '';
  for (const rows of MAX_ROWS) {
    const sections = sectionsOf(run, rows).filter((section) => section !== '');
    text = `${sections.join('\n\n')}\n`;
    if (Buffer.byteLength(text) <= MAX_BYTES) return text;
  }
  return firstBytes(text);
}

/** @returns as many of its sections as there is room for */
function firstBytes(text: string): string {
  const rest = '\n\nThe rest is in report.html.\n';
  let room = MAX_BYTES - Buffer.byteLength(rest);
  const sections = text.split('\n\n');
  const end = sections.findIndex((section) => {
    room -= Buffer.byteLength(section) + 2;
    return room < 0;
  });
  return `${sections.slice(0, end).join('\n\n')}${rest}`;
}

function sectionsOf(run: Run, maxRows: number) {
  const { verdict } = run;
  const signals = signalTable(run);
  const shown = (text: TextTable) => table(text, maxRows);
  const withNotes = (text: TextTable & { notes: string[] }) =>
    [shown(text), text.notes.map(escapeMarkdown).join('\n')].join('\n\n').trim();
  return [
    ...heading(run),
    bullets(verdict.reasons, maxRows),
    about(run),
    findingList(run, maxRows),
    ...ownTables(run).map(withNotes),
    shown(phaseTable(run)),
    run.resources ? withNotes(resourceTable(run.resources)) : '',
    ...[outcomeTable(run), partTable(run)].filter(({ rows }) => rows.length > 0).map(shown),
    shown(operationTable(run)),
    run.failed_probes ? shown(failedProbeTable(run)) : '',
    run.failures.length > 0 ? shown(failureTable(run)) : '',
    shown(thresholdTable(run)),
    run.objectives_off ? 'Objectives are off: measured, not judged.' : '',
    shown(signals),
    signals.quiet.length > 0 ? `Zero throughout: ${signals.quiet.map(escapeMarkdown).join(', ')}.` : '',
    noteList(run, maxRows),
    repeat(run),
    run.phases.length > 0 ? `<sub>${howMeasured().map(escapeMarkdown).join('\n')}</sub>` : '',
  ];
}

/** @returns commands in an indented block, which shows text as it is */
function repeat(run: Run): string {
  const lines = repeatCommands(run).map((command) => `    ${commandLine(command)}`);
  return lines.length > 0 ? ['## Run it again', '', ...lines].join('\n') : '';
}

/** @returns what happened, then what was run */
function heading({ headline, verdict, title, test, testid }: Run): string[] {
  const name = escapeMarkdown(title ?? test ?? testid);
  if (!headline) return [`# ${SIGN[verdict.outcome]}: ${name}`];
  const [sign] = SIGN[verdict.outcome].split(' ');
  return [`# ${sign} ${escapeMarkdown(headline)}`, name];
}

/** @returns numbered as in report.html */
function findingList(run: Run, most: number): string {
  const found = numbered(run.findings);
  if (found.length === 0) return '';
  const lines = found.slice(0, most).flatMap(({ number, finding }) => {
    const { kind, confidence, statement, phase } = finding;
    return [
      `${number}. **${kind}** (confidence: ${confidence.replaceAll('_', ' ')}): ${escapeMarkdown(statement)}`,
      ...below(finding, run, phase).map((line) => `   ${line}`),
    ];
  });
  if (found.length > most) lines.push('', `${found.length - most} more findings in run.json.`);
  return ['## Findings', '', ...lines].join('\n');
}

function noteList(run: Run, most: number): string {
  const notes = run.findings.filter(({ kind }) => kind === 'note');
  if (notes.length === 0) return '';
  const lines = notes
    .slice(0, most)
    .flatMap((finding) => [
      `- ${escapeMarkdown(finding.statement)}`,
      ...below({ ...finding, evidence: [] }, run, finding.phase).map((line) => `  ${line}`),
    ]);
  if (notes.length > most) lines.push(`- ${notes.length - most} more in run.json`);
  return ['## Notes', '', ...lines].join('\n');
}

/** @returns what it rests on */
function below({ evidence, observations = [] }: Finding, run: Run, phase: string | null): string[] {
  const lines = [...evidence, ...observations.map((one) => observationText(one, run, phase))];
  const shown = lines.slice(0, MAX_EVIDENCE).map((line) => `- ${escapeMarkdown(line)}`);
  return lines.length > MAX_EVIDENCE
    ? [...shown, `- ${lines.length - MAX_EVIDENCE} more in run.json`]
    : shown;
}

function bullets(lines: string[], most: number) {
  const shown = lines.slice(0, most).map((line) => `- ${escapeMarkdown(line)}`);
  if (lines.length > most) shown.push(`- ${lines.length - most} more in run.json`);
  return shown.join('\n');
}

/** @param most rows @returns '' without rows */
export function table({ title, caption, head, rows }: TextTable, most: number = MAX_ROWS[0]): string {
  if (rows.length === 0) return '';
  const line = (cells: string[]) =>
    `| ${cells.map((cell) => escapeMarkdown(cleanText(cell, [], MAX_CELL))).join(' | ')} |`;
  const lines = [`## ${escapeMarkdown(title)}`, ''];
  if (caption) lines.push(escapeMarkdown(caption), '');
  lines.push(line(head), `|${head.map(() => ' --- |').join('')}`);
  lines.push(...rows.slice(0, most).map(line));
  if (rows.length > most) lines.push('', `${rows.length - most} more rows in run.json.`);
  return lines.join('\n');
}

/** @returns what ran, against what, from where */
function about(run: Run): string {
  const lines = factsOf(run).map(([name, value]) => `| ${name} | ${escapeMarkdown(value)} |`);
  return ['| | |', '| --- | --- |', ...lines].join('\n');
}
