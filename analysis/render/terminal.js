import { styleText } from 'node:util';
import { lengthText } from '../partial.js';
import { cut, foldHead, grid, WIDTH, wrap } from './layout.js';
import { numbered, observationText } from './observations.js';
import {
  failureTable,
  operationTable,
  ownTables,
  phaseTable,
  signalTable,
  thresholdTable,
} from './tables.js';

const MAX_CELL = 20;
const MAX_OWN_CELL = 60;
/** A longer table is shortened in its middle; report.md has all of it. */
const MAX_ROWS = 10;
const MAX_NOTES = 6;
const MAX_FINDINGS = 6;
const SCREEN = 60;
/** What gives way, step by step, where all of it is more than a screen: thresholds that held, signals that nothing happened to. */
const ROOM = [
  { held: 6, observations: 3, steady: true },
  { held: 2, observations: 3, steady: true },
  { held: 0, observations: 3, steady: true },
  { held: 0, observations: 2, steady: true },
  { held: 0, observations: 1, steady: true },
  { held: 0, observations: 3, steady: false },
  { held: 0, observations: 2, steady: false },
];
/** A signal is steady, where its highest mean is no more than this many times its lowest. */
const STEADY = 1.25;

const MAX_REASONS = 6;

/** @typedef {(style: 'bold' | 'dim' | 'red' | 'green' | 'yellow', text: string) => string} Paint */

/** @type {Record<import('../verdict.js').Verdict['outcome'], 'green' | 'red' | 'yellow'>} */
const COLOUR = { pass: 'green', fail: 'red', invalid: 'yellow', error: 'red' };

/**
 * @param {import('../run.js').Run} run
 * @param {{directory: string, colours: boolean}} options where the results are; colours only for a terminal
 * @returns {string} a summary that fits a screen, every line within 100 columns (colours aside)
 */
export function renderTerminal(run, { directory, colours }) {
  /** @type {Paint} */
  const paint = colours
    ? (style, text) => styleText(style, text, { validateStream: false })
    : (_, text) => text;
  let lines = [''];
  for (const room of ROOM) {
    lines = linesOf(run, paint, directory, room);
    if (lines.length <= SCREEN) break;
  }
  return `${lines.join('\n')}\n`;
}

/**
 * @param {import('../run.js').Run} run
 * @param {Paint} paint
 * @param {string} directory
 * @param {typeof ROOM[number]} room
 * @returns {string[]}
 */
function linesOf(run, paint, directory, { held, observations, steady }) {
  const phases = phaseTable(run);
  const operations = operationTable(run);
  const all = signalTable(run, 2);
  const signals = steady ? all : withoutSteady(run, all);
  const blocks = [
    [...verdictLines(run, paint), ...header(run, paint)],
    ...ownTables(run).map((table) => drawOwn(table, paint)),
    draw(phases, paint),
    draw(without(operations, ['sent', 'received']), paint),
    draw(without(failureTable(run), ['last seen']), paint, 60),
    draw(firstRows(thresholdTable(withoutHeldGuards(run)), held), paint, 60),
    drawSignals(signals, paint),
    findings(run, paint, observations),
    conclusion(run, paint, directory),
  ];
  return blocks
    .filter((block) => block.length > 0)
    .flatMap((block, index) => (index === 0 ? block : ['', ...block]));
}

/** @param {import('../run.js').Run} run @param {Paint} paint @returns {string[]} what happened, before all else */
function verdictLines({ headline = '', verdict: { outcome } }, paint) {
  const lines = headline === '' ? [] : wrap(headline, '');
  return lines.map((line) => paint('bold', paint(COLOUR[outcome], line)));
}

/** @param {import('../run.js').Run} run @param {Paint} paint @returns {string[]} */
function header(run, paint) {
  const { testid, test, profile, target } = run;
  const server = [target?.server?.name, target?.server?.version].filter(Boolean).join(' ');
  const what = [test ?? 'run', profile && `profile ${profile}`, lengthText(run)];
  const lines = [
    `${what.filter(Boolean).join(', ')}  ${testid}`,
    ...(target ? [[target.url, server, target.era].filter(Boolean).join('  ')] : []),
  ];
  return lines.map((line, index) => (index === 0 ? paint('bold', cut(line, WIDTH)) : cut(line, WIDTH)));
}

/**
 * @param {import('./tables.js').TextTable} table
 * @param {string[]} columns
 * @returns {import('./tables.js').TextTable}
 */
function without({ title, head, rows }, columns) {
  /** @param {string[]} cells */
  const keep = (cells) => cells.filter((_, index) => !columns.includes(head[index] ?? ''));
  return { title, head: keep(head), rows: rows.map(keep) };
}

/**
 * @param {import('./tables.js').TextTable} table
 * @param {Paint} paint
 * @param {number} [maxCell]
 * @returns {string[]} [] without rows
 */
function draw({ title, head, rows }, paint, maxCell = MAX_CELL) {
  if (rows.length === 0) return [];
  const [first = '', ...others] = head;
  return grid([[`${title.toUpperCase()} ${first}`.trim(), ...others], ...shorten(rows)], maxCell).map(
    (line, index) => (index === 0 ? paint('bold', cut(line, WIDTH)) : tint(cut(line, WIDTH), paint)),
  );
}

/**
 * What the test was run for: whole, with the sentences below it.
 *
 * @param {ReturnType<typeof ownTables>[number]} table
 * @param {Paint} paint
 * @returns {string[]}
 */
function drawOwn({ title, head, rows, notes }, paint) {
  if (rows.length === 0) return [];
  // A head of several lines rather than columns that are not there.
  const drawn = [1, 2, 3].map((most) => grid([foldHead(head, most), ...rows], MAX_OWN_CELL));
  const fitting = drawn.find((lines) => lines.every((line) => line.length <= WIDTH)) ?? drawn.at(-1) ?? [];
  const lines = fitting.map((line) => cut(line, WIDTH));
  return [
    paint('bold', title.toUpperCase()),
    ...lines.map((line, index) => (index < lines.length - rows.length ? paint('bold', line) : line)),
    ...notes.flatMap((note) => wrap(note, '  ')),
  ];
}

/** @param {string[][]} rows */
function shorten(rows) {
  if (rows.length <= MAX_ROWS) return rows;
  const half = MAX_ROWS / 2;
  return [...rows.slice(0, half), [`… ${rows.length - MAX_ROWS} more in report.md`], ...rows.slice(-half)];
}

/** Those that failed come first, so the end is what can be left out. */
const MAX_THRESHOLDS = 6;

/**
 * @param {import('./tables.js').TextTable} table
 * @param {number} held most rows, where those that did not hold are fewer
 * @returns {import('./tables.js').TextTable}
 */
function firstRows({ title, head, rows }, held) {
  const missed = rows.filter(([outcome = '']) => MISSED.test(outcome)).length;
  const most = Math.min(MAX_THRESHOLDS, Math.max(missed, held));
  const rest = rows.length - most;
  const all = rows.slice(most).every(([outcome]) => outcome === 'pass');
  const note = all ? ['pass', `${rest} more in report.md`, '', ''] : [`… ${rest} more in report.md`];
  return { title, head, rows: rest > 0 ? [...rows.slice(0, most), note] : rows };
}

/**
 * A guard that held says nothing that its objective does not say.
 *
 * @param {import('../run.js').Run} run
 * @returns {import('../run.js').Run}
 */
function withoutHeldGuards(run) {
  const worthALine = run.thresholds.filter(({ metric, ok }) => metric !== 'min_samples' || ok !== true);
  return { ...run, thresholds: worthALine };
}

/** Outcomes of thresholds. */
const MISSED = /^(FAIL|INVALID)\b/;

/** @param {string} line @param {Paint} paint */
function tint(line, paint) {
  if (MISSED.test(line)) return paint('red', line);
  return line;
}

/** Volumes explain no latency by themselves: a screen has no room for them, report.md has. */
export const VOLUMES = [
  'db_transactions',
  'disk_io',
  'generator_memory',
  'host_memory',
  'network',
  'redis_memory',
];
/** More signals than this are shown in two blocks side by side, where they fit. */
const MAX_SIGNALS = 8;
const MAX_PHASE = 9;

/**
 * @param {import('../run.js').Run} run
 * @param {ReturnType<typeof signalTable>} table
 * @returns {ReturnType<typeof signalTable> & {steady: string[]}} signals that are much the same in all phases only by name,
 *   but for those that a finding was read from
 */
function withoutSteady({ signals, findings }, table) {
  const observed = new Set(
    findings.flatMap(({ observations = [] }) => observations.map(({ series }) => series)),
  );
  const steady = table.rows
    .map(([name = '']) => name)
    .filter((name) => {
      const means = signals.filter(({ signal }) => signal === name).map(({ avg }) => avg);
      return !observed.has(name) && Math.max(...means) <= STEADY * Math.min(...means);
    });
  const named = steady.filter((name) => !VOLUMES.includes(name));
  return { ...table, rows: table.rows.filter(([name = '']) => !steady.includes(name)), steady: named };
}

/**
 * @param {ReturnType<typeof signalTable> & {steady?: string[]}} signals
 * @param {Paint} paint
 * @returns {string[]} phases left out in the middle where they are too many
 */
function drawSignals({ title, head, rows: found, quiet, steady = [] }, paint) {
  const rows = found.filter(([name = '']) => !VOLUMES.includes(name));
  if (rows.length + quiet.length + steady.length === 0) return [];
  const all = [head.map((cell) => cut(cell, MAX_PHASE)), ...rows];
  const layouts = [
    ...(rows.length > MAX_SIGNALS ? [sideBySide(all)] : []),
    grid(
      all.map((row) => narrow(row, 6)),
      MAX_SIGNAL,
    ),
  ];
  const fitting =
    layouts.find((lines) => lines.every((line) => line.length <= WIDTH)) ?? layouts.at(-1) ?? [];
  const named = [
    ...(steady.length > 0 ? wrap(`the same in all phases: ${steady.join(', ')}`, '') : []),
    ...(quiet.length > 0 ? wrap(`zero throughout: ${quiet.join(', ')}`, '') : []),
  ];
  const lines = rows.length > 0 ? fitting.map((line) => cut(line, WIDTH)) : [];
  return [paint('bold', title.toUpperCase()), ...lines, ...named];
}

const MAX_SIGNAL = 16;

/** @param {string[][]} rows the first is the head @returns {string[]} the lower half beside the upper one */
function sideBySide([head = [], ...rows]) {
  const half = Math.ceil(rows.length / 2);
  const none = head.map(() => '');
  const lines = [head, ...rows.slice(0, half)].map((row, index) => [
    ...row,
    '',
    ...(index === 0 ? head : (rows[half + index - 1] ?? none)),
  ]);
  return grid(lines, MAX_SIGNAL, 1);
}

/** @param {string[]} row the first cell names it @param {number} most cells after the name, the gap aside */
function narrow(row, most) {
  if (row.length <= most + 1) return row;
  const end = Math.floor(most / 2);
  return [...row.slice(0, 1 + most - end), '…', ...row.slice(-end)];
}

/**
 * @param {import('../run.js').Run} run
 * @param {Paint} paint
 * @param {number} most observations of each
 * @returns {string[]} numbered as in the reports, then the notes
 */
function findings(run, paint, most) {
  const found = numbered(run.findings);
  const notes = run.findings.filter(({ kind }) => kind === 'note');
  if (found.length + notes.length === 0) return [];
  const rest = Math.max(0, found.length - MAX_FINDINGS) + Math.max(0, notes.length - MAX_NOTES);
  return [
    paint('bold', found.length > 0 ? 'FINDINGS' : 'NOTES'),
    ...found.slice(0, MAX_FINDINGS).flatMap(({ number, finding }) => {
      const { kind, statement, observations = [], phase } = finding;
      const bullet = `${number}. `;
      const texts = observations.slice(0, most).map((one) => observationText(one, run, phase));
      return [
        ...wrap(`${kind}: ${statement}`, bullet),
        ...texts.flatMap((text) => wrap(text, ' '.repeat(bullet.length))),
      ];
    }),
    ...notes.slice(0, MAX_NOTES).flatMap(({ statement }) => wrap(statement, '- ')),
    ...(rest > 0 ? [`- ${rest} more in report.md`] : []),
  ];
}

/** @param {import('../run.js').Run} run @param {Paint} paint @param {string} directory @returns {string[]} */
function conclusion({ verdict: { outcome, exit_code, reasons } }, paint, directory) {
  const rest = reasons.length - MAX_REASONS;
  return [
    paint('bold', paint(COLOUR[outcome], `VERDICT ${outcome} (exit code ${exit_code})`)),
    ...reasons.slice(0, MAX_REASONS).flatMap((reason) => wrap(reason, '- ')),
    ...(rest > 0 ? [`- ${rest} more in report.md`] : []),
    `results: ${directory}`,
  ];
}
