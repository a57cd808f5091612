import { cleanText } from '../clean-text.js';
import { bytes, counted, duration, percent } from '../units.js';
import {
  failureTable,
  operationTable,
  ownTables,
  phaseTable,
  signalTable,
  thresholdTable,
} from './tables.js';

/** A GitHub step summary holds 1 MiB: far more rows than any sensible test has, and still a bound. */
const MAX_ROWS = 200;
const MAX_CELL = 200;

/** @type {Record<import('../verdict.js').Verdict['outcome'], string>} */
const SIGN = { pass: '✅ pass', fail: '❌ fail', invalid: '⚠️ invalid', error: '💥 error' };

/**
 * @param {string} text from anywhere: a server's name is whatever the server says
 * @returns {string} Markdown that shows the text as it is: no markup, no link, no mention, no cell border
 */
export function escapeMarkdown(text) {
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

/**
 * @param {import('../run.js').Run} run
 * @returns {string} report.md, complete: nothing in it is shortened but for a bound on rows
 */
export function renderMarkdown(run) {
  const { verdict } = run;
  const signals = signalTable(run);
  const sections = [
    `# ${SIGN[verdict.outcome]}: ${escapeMarkdown(run.title ?? run.test ?? run.testid)}`,
    bullets(verdict.reasons),
    about(run),
    ...ownTables(run).map((own) =>
      [table(own), own.notes.map(escapeMarkdown).join('\n')].join('\n\n').trim(),
    ),
    table(phaseTable(run)),
    table(operationTable(run)),
    run.failures.length > 0 ? table(failureTable(run)) : '',
    table(thresholdTable(run)),
    run.objectives_off ? 'Objectives are off: measured, not judged.' : '',
    table(signals),
    signals.quiet.length > 0 ? `Zero throughout: ${signals.quiet.map(escapeMarkdown).join(', ')}.` : '',
    findingList(run),
    run.phases.length > 0 ? how(run) : '',
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

/** @param {import('../run.js').Run} run @returns {string} */
const how = ({ streamed }) =>
  [
    streamed
      ? `<sub>Percentiles come from histograms of all answered requests and are up to ${percent(streamed.percentile_error)} off (nearest rank); min and max are the bounds of the outermost buckets.\nAn absolute objective for a percentile is judged by the exact number of requests that were not below its limit. Warm-up requests are in no figure.`
      : '<sub>Percentiles come from the raw samples of all answered requests; warm-up requests are in no figure.',
    HOW,
  ].join('\n');

const HOW = [
  'Operations are over all measured phases. A signal is a 6 s rate read every 2 s: the first 8 s of a phase are left out;',
  'of a phase of 12 s or less the values around its end are shown, which hold some of the phase before; of one below 2 s none.</sub>',
].join('\n');

/** @param {import('../run.js').Run} run @returns {string} */
function findingList({ findings }) {
  if (findings.length === 0) return '';
  const lines = findings.flatMap(({ kind, confidence, statement, evidence }) =>
    kind === 'note'
      ? [`- ${escapeMarkdown(statement)}`]
      : [
          `- ${kind} (confidence: ${confidence.replaceAll('_', ' ')}): ${escapeMarkdown(statement)}`,
          ...evidence.map((line) => `  - ${escapeMarkdown(line)}`),
        ],
  );
  return ['## Findings', '', ...lines].join('\n');
}

/** @param {string[]} lines */
function bullets(lines) {
  const shown = lines.slice(0, MAX_ROWS).map((line) => `- ${escapeMarkdown(line)}`);
  if (lines.length > MAX_ROWS) shown.push(`- ${lines.length - MAX_ROWS} more in run.json`);
  return shown.join('\n');
}

/** @param {import('./tables.js').TextTable} table @returns {string} '' without rows */
function table({ title, head, rows }) {
  if (rows.length === 0) return '';
  /** @param {string[]} cells */
  const line = (cells) =>
    `| ${cells.map((cell) => escapeMarkdown(cleanText(cell, [], MAX_CELL))).join(' | ')} |`;
  const lines = [`## ${escapeMarkdown(title)}`, '', line(head), `|${head.map(() => ' --- |').join('')}`];
  lines.push(...rows.slice(0, MAX_ROWS).map(line));
  if (rows.length > MAX_ROWS) lines.push('', `${rows.length - MAX_ROWS} more rows in run.json.`);
  return lines.join('\n');
}

/** @param {import('../run.js').Run} run @returns {string} what ran, against what, from where */
function about({ testid, test, profile, workload, target, started, duration_s, environment }) {
  const { k6, node, os, cpu, cores, memory_bytes, git } = environment;
  const server = target?.server ? [target.server.name, target.server.version].filter(Boolean).join(' ') : '';
  const protocol = [target?.era, target?.protocol_version].filter(Boolean).join(', ');
  /** @type {[string, string | null][]} */
  const facts = [
    ['run', testid],
    ['test', test && `${test}, profile ${profile}, workload ${workload}`],
    ['target', target && [target.url, server, protocol && `(${protocol})`].filter(Boolean).join(' ')],
    [
      'knobs',
      target?.knobs
        ? Object.entries(target.knobs)
            .map(([knob, value]) => `${knob}=${value}`)
            .join(' ')
        : null,
    ],
    ['started', started && `${started}, ${duration(duration_s)}`],
    ['machine', [os, cpu, counted(cores, 'core'), bytes(memory_bytes)].filter(Boolean).join(', ')],
    [
      'versions',
      `k6 ${k6 ?? 'unknown'}, node ${node}${git ? `, git ${git.commit.slice(0, 12)}${git.dirty ? ' (changed)' : ''}` : ''}`,
    ],
  ];
  const known = facts.flatMap(([name, value]) => (value ? [`| ${name} | ${escapeMarkdown(value)} |`] : []));
  return ['| | |', '| --- | --- |', ...known].join('\n');
}
