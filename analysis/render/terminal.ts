import { styleText } from 'node:util';
import type { Finding } from '../findings/finding.ts';
import { lengthText } from '../judge/partial.ts';
import type { Run } from '../judge/run.ts';
import type { Verdict } from '../judge/verdict.ts';
import { cut, foldHead, grid, WIDTH, wrap } from './layout.ts';
import { nextCommands } from './next-commands.ts';
import { numbered, observationText } from './observations.ts';
import { ownTables, phaseTable, type TextTable, thresholdTable } from './tables.ts';

/** Entries of each block; the rest is in report.md. */
const MAX_PHASES = 6;
const MAX_MISSED = 3;
const MAX_FINDINGS = 3;
/** The same if a test has notes of its own, which are what it is run for. */
const MAX_OWN_NOTES = 6;
const MAX_REASONS = 3;
const MAX_REASON_LINES = 2;
/** Of a test's own tables, which are what it is run for: they take the place of the phases. */
const MAX_TABLES = 2;
const MAX_ROWS = 10;

const MAX_CELL = 20;
const MAX_THRESHOLD_CELL = 60;
const MAX_OWN_CELL = 60;

type Paint = (style: 'bold' | 'dim' | 'red' | 'green' | 'yellow', text: string) => string;

const COLOUR: Record<Verdict['outcome'], 'green' | 'red' | 'yellow'> = {
  pass: 'green',
  fail: 'red',
  invalid: 'yellow',
  error: 'red',
};

/**
 * @param options where the results are; colours only for a terminal
 * @returns a summary, every line within 100 columns (colours, the folder's path and a command's long words aside); report.md has the rest
 */
export function renderTerminal(
  run: Run,
  { directory, colours }: { directory: string; colours: boolean },
): string {
  const paint: Paint = colours
    ? (style, text) => styleText(style, text, { validateStream: false })
    : (_, text) => text;
  const blocks = [
    [...headlineLines(run, paint), ...header(run, paint)],
    reasonLines(run),
    ...ownTableBlocks(run, paint),
    run.tables.length > 0 ? [] : draw(phaseRows(run), paint, MAX_CELL),
    missedThresholds(run, paint),
    findings(run, paint),
    ending(run, paint, directory),
  ].filter((block) => block.length > 0);
  return `${blocks.map((block) => block.join('\n')).join('\n\n')}\n`;
}

/** @returns what happened, before all else */
function headlineLines({ headline = '', verdict: { outcome } }: Run, paint: Paint): string[] {
  const lines = headline === '' ? [] : wrap(headline, '');
  return lines.map((line) => paint('bold', paint(COLOUR[outcome], line)));
}

function header(run: Run, paint: Paint): string[] {
  const { testid, test, profile, target } = run;
  const server = [target?.server?.name, target?.server?.version].filter(Boolean).join(' ');
  const what = [test ?? 'run', profile && `profile ${profile}`, lengthText(run)];
  const lines = [
    `${what.filter(Boolean).join(', ')}  ${testid}`,
    ...(target ? [[target.url, server, target.era].filter(Boolean).join('  ')] : []),
  ];
  return lines.map((line, index) => (index === 0 ? paint('bold', cut(line, WIDTH)) : cut(line, WIDTH)));
}

/** The reasons that neither the headline nor a threshold has in full. */
function reasonLines({ headline = '', verdict, thresholds }: Run): string[] {
  const missed = new Set(thresholds.map(({ reason }) => reason));
  const reasons = verdict.reasons.filter((reason) => !headline.includes(reason) && !missed.has(reason));
  const rest = reasons.length - MAX_REASONS;
  return [
    ...reasons.slice(0, MAX_REASONS).flatMap((reason) => firstLines(wrap(reason, '- '), MAX_REASON_LINES)),
    ...(rest > 0 ? [`- ${rest} more in report.md`] : []),
  ];
}

function firstLines(lines: string[], most: number): string[] {
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most - 1), cut(`${lines[most - 1]} …`, WIDTH)];
}

/** @returns what the test was run for */
function ownTableBlocks(run: Run, paint: Paint): string[][] {
  const tables = ownTables(run).filter(({ rows }) => rows.length > 0);
  const rest = tables.slice(MAX_TABLES).map(({ title }) => title);
  return [
    ...tables.slice(0, MAX_TABLES).map((table) => drawOwn(table, paint)),
    rest.length > 0 ? [cut(`in report.md: ${rest.join(', ')}`, WIDTH)] : [],
  ];
}

function drawOwn({ title, head, rows }: TextTable, paint: Paint): string[] {
  const shown = rows.slice(0, MAX_ROWS);
  // A head of several lines keeps all columns within the width.
  const drawn = [1, 2, 3].map((most) => grid([foldHead(head, most), ...shown], MAX_OWN_CELL));
  const fitting = drawn.find((lines) => lines.every((line) => line.length <= WIDTH)) ?? drawn.at(-1) ?? [];
  const lines = fitting.map((line) => cut(line, WIDTH));
  return [
    paint('bold', cut(title.toUpperCase(), WIDTH)),
    ...lines.map((line, index) => (index < lines.length - shown.length ? paint('bold', line) : line)),
    ...(rows.length > shown.length ? [`… ${rows.length - shown.length} more in report.md`] : []),
  ];
}

/** @returns [] without rows */
function draw({ title, head, rows }: TextTable, paint: Paint, maxCell: number): string[] {
  if (rows.length === 0) return [];
  const [first = '', ...others] = head;
  return grid([[`${title.toUpperCase()} ${first}`.trim(), ...others], ...rows], maxCell).map((line, index) =>
    index === 0 ? paint('bold', cut(line, WIDTH)) : tint(cut(line, WIDTH), paint),
  );
}

/** @returns the phases of findings and of missed thresholds first, then what was measured */
function phaseRows(run: Run): TextTable {
  const table = phaseTable(run);
  if (table.rows.length <= MAX_PHASES) return table;
  const named = new Set([
    ...run.findings.map(({ phase }) => phase),
    ...run.thresholds.flatMap(({ ok, scope }) => (ok === false ? [scope.phase] : [])),
  ]);
  const rank = run.phases.map(({ name, measured }) => (named.has(name) ? 0 : measured ? 1 : 2));
  const kept = new Set(
    [...rank.keys()].toSorted((a, b) => Number(rank[a]) - Number(rank[b]) || a - b).slice(0, MAX_PHASES),
  );
  const rows = table.rows.filter((_, index) => kept.has(index));
  return { ...table, rows: [...rows, [`… ${table.rows.length - MAX_PHASES} more in report.md`]] };
}

/** Outcomes of thresholds. */
const MISSED = /^(FAIL|INVALID)\b/;

function tint(line: string, paint: Paint) {
  return MISSED.test(line) ? paint('red', line) : line;
}

/** @returns and how many held */
function missedThresholds(run: Run, paint: Paint): string[] {
  const table = thresholdTable(run);
  const missed = table.rows.filter(([outcome = '']) => MISSED.test(outcome));
  if (missed.length === 0) return [];
  const held = run.thresholds.filter(({ outcome }) => outcome === 'pass').length;
  const rest = missed.length - MAX_MISSED;
  const counts = [...(rest > 0 ? [`${rest} more in report.md`] : []), ...(held > 0 ? [`${held} held`] : [])];
  const rows = [...missed.slice(0, MAX_MISSED), ...(counts.length > 0 ? [[`… ${counts.join(', ')}`]] : [])];
  return draw({ ...table, rows }, paint, MAX_THRESHOLD_CELL);
}

/**
 * @returns a line each, numbered as in the reports, then the notes; the notes of a test's own tables come first. What a reason of the
 *   verdict says already is left out
 */
function findings(run: Run, paint: Paint): string[] {
  const isReason = (statement: string) => run.verdict.reasons.some((reason) => reason.startsWith(statement));
  const all = run.findings;
  const first = all.findIndex(({ kind }) => kind !== 'note');
  const ownCount = run.tables.length === 0 ? 0 : first < 0 ? all.length : first;
  const noteLines = (notes: typeof all) =>
    notes
      .filter(({ kind, statement }) => kind === 'note' && !isReason(statement))
      .map(({ subject, statement }) => (subject === run.test ? wrap(statement, '- ') : [`- ${statement}`]));
  const own = noteLines(all.slice(0, ownCount));
  const entries = [
    ...own,
    ...numbered(all)
      .filter(({ finding }) => !isReason(finding.statement))
      .map(({ number, finding }, index) => [
        `${number}. ${finding.kind}: ${finding.statement}`,
        ...(index === 0 ? evidenceOf(finding, run) : []),
      ]),
    ...noteLines(all.slice(ownCount)),
  ];
  const ofTest = all.filter(({ kind, subject }) => kind === 'note' && subject === run.test).length;
  const shown = entries.slice(0, Math.max(MAX_FINDINGS, Math.min(ofTest, MAX_OWN_NOTES)));
  if (shown.length === 0) return [];
  const rest = entries.length - shown.length;
  const lines = shown.flat();
  return [
    paint('bold', `FINDINGS${rest > 0 ? ` (${rest} more in report.md)` : ''}`),
    ...lines.map((line) => cut(line, WIDTH)),
  ];
}

/** @returns one line, about the server where there is one: the headline has the client's figures */
function evidenceOf({ evidence, observations = [], phase }: Finding, run: Run): string[] {
  const observation = observations.find(({ series }) => !series.startsWith('client.')) ?? observations[0];
  const text = observation ? observationText(observation, run, phase) : evidence[0];
  return text === undefined ? [] : [`   ${text}`];
}

function ending(run: Run, paint: Paint, directory: string): string[] {
  const { outcome, exit_code } = run.verdict;
  return [
    paint('bold', paint(COLOUR[outcome], `VERDICT ${outcome} (exit code ${exit_code})`)),
    `results: ${directory}`,
    ...nextCommands(run, directory, WIDTH),
  ];
}
