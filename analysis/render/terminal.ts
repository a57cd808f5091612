import { styleText } from 'node:util';
import type { Finding } from '../findings/finding.ts';
import { isOwnNote } from '../findings/note.ts';
import { lengthText } from '../judge/partial.ts';
import type { Run } from '../judge/run.ts';
import type { Verdict } from '../judge/verdict.ts';
import { cut, foldHead, grid, WIDTH, wrap } from './layout.ts';
import { nextCommands } from './next-commands.ts';
import { numbered, observationText } from './observations.ts';
import { ownTables, phaseTable, type TextTable, thresholdTable } from './tables.ts';

/** Maximum number of entries per block; report.md contains all. */
const MAX_PHASES = 6;
const MAX_MISSED = 3;
const MAX_FINDINGS = 3;
/** Maximum number of notes of a test, which are its main result. */
const MAX_OWN_NOTES = 6;
const MAX_REASONS = 3;
const MAX_REASON_LINES = 2;
/** Limits of a test's own tables, which are its main result and replace the table of phases. */
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
 * @param options directory of the results; colours only for a terminal; grafana: whether the stack has
 *   Grafana
 * @returns a summary with lines of up to 100 columns, not counting colours, the directory's path and long
 *   words of commands; report.md contains the rest
 */
export function renderTerminal(
  run: Run,
  { directory, colours, grafana = false }: { directory: string; colours: boolean; grafana?: boolean },
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
    ending(run, paint, { directory, grafana }),
  ].filter((block) => block.length > 0);
  return `${blocks.map((block) => block.join('\n')).join('\n\n')}\n`;
}

/** @returns the headline, which comes first */
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

/** Reasons that are not completely contained in the headline or in a threshold. */
function reasonLines({ headline = '', verdict, thresholds }: Run): string[] {
  const missed = new Set(thresholds.map(({ reason }) => reason));
  const reasons = verdict.reasons.filter((reason) => !headline.includes(reason) && !missed.has(reason));
  const rest = reasons.length - MAX_REASONS;
  return [
    ...reasons.slice(0, MAX_REASONS).flatMap((reason) => firstLines(wrap(reason, '- '), MAX_REASON_LINES)),
    ...(rest > 0 ? [`- ${rest} more in report.md`] : []),
  ];
}

function firstLines(lines: string[], maxLines: number): string[] {
  if (lines.length <= maxLines) return lines;
  return [...lines.slice(0, maxLines - 1), cut(`${lines[maxLines - 1]} …`, WIDTH)];
}

/** @returns the test's own tables */
function ownTableBlocks(run: Run, paint: Paint): string[][] {
  const tables = ownTables(run).filter(({ rows }) => rows.length > 0);
  const rest = tables.slice(MAX_TABLES).map(({ title }) => title);
  return [
    ...tables.slice(0, MAX_TABLES).map((table) => drawOwn(table, paint)),
    rest.length > 0 ? [cut(`in report.md: ${rest.join(', ')}`, WIDTH)] : [],
  ];
}

function drawOwn({ title, head, rows }: TextTable, paint: Paint): string[] {
  const visibleRows = rows.slice(0, MAX_ROWS);
  // Folding the head into several lines keeps all columns within the width.
  const drawn = [1, 2, 3].map((maxLines) => grid([foldHead(head, maxLines), ...visibleRows], MAX_OWN_CELL));
  const fitting = drawn.find((lines) => lines.every((line) => line.length <= WIDTH)) ?? drawn.at(-1) ?? [];
  const lines = fitting.map((line) => cut(line, WIDTH));
  return [
    paint('bold', cut(title.toUpperCase(), WIDTH)),
    ...lines.map((line, index) => (index < lines.length - visibleRows.length ? paint('bold', line) : line)),
    ...(rows.length > visibleRows.length ? [`… ${rows.length - visibleRows.length} more in report.md`] : []),
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

/** @returns phases of findings and of missed thresholds first, then all other measured phases */
function phaseRows(run: Run): TextTable {
  const table = phaseTable(run);
  if (table.rows.length <= MAX_PHASES) return table;
  const named = new Set([
    ...run.findings.map(({ phase }) => phase),
    ...run.thresholds.flatMap(({ ok, scope }) => (ok === false ? [scope.phase] : [])),
  ]);
  const rank = run.phases.map(({ name, measured }) => (named.has(name) ? 0 : measured ? 1 : 2));
  const visibleIndices = new Set(
    [...rank.keys()].toSorted((a, b) => Number(rank[a]) - Number(rank[b]) || a - b).slice(0, MAX_PHASES),
  );
  const rows = table.rows.filter((_, index) => visibleIndices.has(index));
  return { ...table, rows: [...rows, [`… ${table.rows.length - MAX_PHASES} more in report.md`]] };
}

/** Outcomes of thresholds. */
const MISSED = /^(FAIL|INVALID)\b/;

function tint(line: string, paint: Paint) {
  return MISSED.test(line) ? paint('red', line) : line;
}

/** @returns the missed thresholds, and the number of those that held */
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
 * @returns one line per finding, numbered as in the reports, then the notes. Notes that belong to a test's
 *   own tables come first. Statements that are a reason of the verdict are left out
 */
function findings(run: Run, paint: Paint): string[] {
  const isReason = (statement: string) => run.verdict.reasons.some((reason) => reason.startsWith(statement));
  const all = run.findings;
  const first = all.findIndex(({ kind }) => kind !== 'note');
  const ownCount = run.tables.length === 0 ? 0 : first < 0 ? all.length : first;
  const noteLines = (notes: typeof all) =>
    notes
      .filter(({ kind, statement }) => kind === 'note' && !isReason(statement))
      .map((finding) => {
        const { statement } = finding;
        return isOwnNote(finding, run.test) ? wrap(statement, '- ') : [`- ${statement}`];
      });
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
  const ofTest = all.filter((finding) => isOwnNote(finding, run.test)).length;
  const visibleEntries = entries.slice(0, Math.max(MAX_FINDINGS, Math.min(ofTest, MAX_OWN_NOTES)));
  if (visibleEntries.length === 0) return [];
  const rest = entries.length - visibleEntries.length;
  const lines = visibleEntries.flat();
  return [
    paint('bold', `FINDINGS${rest > 0 ? ` (${rest} more in report.md)` : ''}`),
    ...lines.map((line) => cut(line, WIDTH)),
  ];
}

/** @returns one line, preferably about the server, because the headline contains the client's figures */
function evidenceOf({ evidence, observations = [], phase }: Finding, run: Run): string[] {
  const observation = observations.find(({ series }) => !series.startsWith('client.')) ?? observations[0];
  const text = observation ? observationText(observation, run, phase) : evidence[0];
  return text === undefined ? [] : [`   ${text}`];
}

function ending(
  run: Run,
  paint: Paint,
  { directory, grafana }: { directory: string; grafana: boolean },
): string[] {
  const { outcome, exit_code } = run.verdict;
  return [
    paint('bold', paint(COLOUR[outcome], `VERDICT ${outcome} (exit code ${exit_code})`)),
    `results: ${directory}`,
    ...nextCommands(run, directory, WIDTH, grafana),
  ];
}
