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

/** A GitHub step summary is limited to 1 MiB. */
const MAX_BYTES = 1_000_000;
/** Maximum number of rows per table. The lower limits are used if the report is too large. */
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
 * @param text untrusted text, such as a server's name
 * @returns Markdown that renders the text literally: no markup, links, mentions or cell borders
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

/** @returns report.md; only the number of rows and the total size are limited */
export function renderMarkdown(run: Run): string {
  let text = '';
  for (const rows of MAX_ROWS) {
    const sections = sectionsOf(run, rows).filter((section) => section !== '');
    text = `${sections.join('\n\n')}\n`;
    if (Buffer.byteLength(text) <= MAX_BYTES) return text;
  }
  return firstBytes(text);
}

/** @returns the sections that fit into the limit */
function firstBytes(text: string): string {
  const rest = '\n\nThe rest is in report.html.\n';
  let bytesLeft = MAX_BYTES - Buffer.byteLength(rest);
  const sections = text.split('\n\n');
  const end = sections.findIndex((section) => {
    bytesLeft -= Buffer.byteLength(section) + 2;
    return bytesLeft < 0;
  });
  return `${sections.slice(0, end).join('\n\n')}${rest}`;
}

function sectionsOf(run: Run, maxRows: number) {
  const { verdict } = run;
  const signals = signalTable(run);
  const tableText = (text: TextTable) => table(text, maxRows);
  const withNotes = (text: TextTable & { notes: string[] }) =>
    [tableText(text), text.notes.map(escapeMarkdown).join('\n')].join('\n\n').trim();
  return [
    ...heading(run),
    bullets(verdict.reasons, maxRows),
    about(run),
    findingList(run, maxRows),
    ...ownTables(run).map(withNotes),
    tableText(phaseTable(run)),
    run.resources ? withNotes(resourceTable(run.resources)) : '',
    ...[outcomeTable(run), partTable(run)].filter(({ rows }) => rows.length > 0).map(tableText),
    tableText(operationTable(run)),
    run.failed_probes ? tableText(failedProbeTable(run)) : '',
    run.failures.length > 0 ? tableText(failureTable(run)) : '',
    tableText(thresholdTable(run)),
    run.objectives_off ? 'Objectives are off: measured, not judged.' : '',
    tableText(signals),
    signals.quiet.length > 0 ? `Zero throughout: ${signals.quiet.map(escapeMarkdown).join(', ')}.` : '',
    noteList(run, maxRows),
    repeat(run),
    run.phases.length > 0 ? `<sub>${howMeasured().map(escapeMarkdown).join('\n')}</sub>` : '',
  ];
}

/** @returns commands in an indented code block, which needs no escaping */
function repeat(run: Run): string {
  const lines = repeatCommands(run).map((command) => `    ${commandLine(command)}`);
  return lines.length > 0 ? ['## Run it again', '', ...lines].join('\n') : '';
}

/** @returns the headline and the name of the run */
function heading({ headline, verdict, title, test, testid }: Run): string[] {
  const name = escapeMarkdown(title ?? test ?? testid);
  if (!headline) return [`# ${SIGN[verdict.outcome]}: ${name}`];
  const [sign] = SIGN[verdict.outcome].split(' ');
  return [`# ${sign} ${escapeMarkdown(headline)}`, name];
}

/** @returns numbered as in report.html */
function findingList(run: Run, maxFindings: number): string {
  const found = numbered(run.findings);
  if (found.length === 0) return '';
  const lines = found.slice(0, maxFindings).flatMap(({ number, finding }) => {
    const { kind, confidence, statement, phase } = finding;
    return [
      `${number}. **${kind}** (confidence: ${confidence.replaceAll('_', ' ')}): ${escapeMarkdown(statement)}`,
      ...below(finding, run, phase).map((line) => `   ${line}`),
    ];
  });
  if (found.length > maxFindings) lines.push('', `${found.length - maxFindings} more findings in run.json.`);
  return ['## Findings', '', ...lines].join('\n');
}

function noteList(run: Run, maxNotes: number): string {
  const notes = run.findings.filter(({ kind }) => kind === 'note');
  if (notes.length === 0) return '';
  const lines = notes
    .slice(0, maxNotes)
    .flatMap((finding) => [
      `- ${escapeMarkdown(finding.statement)}`,
      ...below({ ...finding, evidence: [] }, run, finding.phase).map((line) => `  ${line}`),
    ]);
  if (notes.length > maxNotes) lines.push(`- ${notes.length - maxNotes} more in run.json`);
  return ['## Notes', '', ...lines].join('\n');
}

/** @returns the evidence */
function below({ evidence, observations = [] }: Finding, run: Run, phase: string | null): string[] {
  const lines = [...evidence, ...observations.map((one) => observationText(one, run, phase))];
  const visibleLines = lines.slice(0, MAX_EVIDENCE).map((line) => `- ${escapeMarkdown(line)}`);
  return lines.length > MAX_EVIDENCE
    ? [...visibleLines, `- ${lines.length - MAX_EVIDENCE} more in run.json`]
    : visibleLines;
}

function bullets(lines: string[], maxLines: number) {
  const visibleLines = lines.slice(0, maxLines).map((line) => `- ${escapeMarkdown(line)}`);
  if (lines.length > maxLines) visibleLines.push(`- ${lines.length - maxLines} more in run.json`);
  return visibleLines.join('\n');
}

/** @param maxRows maximum number of rows @returns '' without rows */
export function table({ title, caption, head, rows }: TextTable, maxRows: number = MAX_ROWS[0]): string {
  if (rows.length === 0) return '';
  const line = (cells: string[]) =>
    `| ${cells.map((cell) => escapeMarkdown(cleanText(cell, [], MAX_CELL))).join(' | ')} |`;
  const lines = [`## ${escapeMarkdown(title)}`, ''];
  if (caption) lines.push(escapeMarkdown(caption), '');
  lines.push(line(head), `|${head.map(() => ' --- |').join('')}`);
  lines.push(...rows.slice(0, maxRows).map(line));
  if (rows.length > maxRows) lines.push('', `${rows.length - maxRows} more rows in run.json.`);
  return lines.join('\n');
}

/** @returns facts about the test, the target and the environment */
function about(run: Run): string {
  const lines = factsOf(run).map(([name, value]) => `| ${name} | ${escapeMarkdown(value)} |`);
  return ['| | |', '| --- | --- |', ...lines].join('\n');
}
