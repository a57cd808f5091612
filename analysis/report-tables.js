/**
 * The tables that a test prints beside those of every run, in the form that its benchmark document has them. Each test
 * that has any builds them in a file of its own, `tables/<test>.js`; so a new test's table touches no other file.
 */
import { existsSync } from 'node:fs';
import { note } from './note.js';

/**
 * @typedef {'ms' | 's' | 'us' | 'per_s' | 'ratio' | 'bytes' | 'bytes_per_s' | 'count' | 'factor' | 'usd' | 'text'} ColumnUnit
 *   ratio: 0 to 1, shown in percent; factor: shown as `1.5 x`
 *
 * @typedef {{name: string, unit: ColumnUnit}} Column
 *
 * @typedef {object} ReportTable
 * @property {string} title
 * @property {Column[]} columns
 * @property {(string | number | null)[][]} rows null: no figure
 * @property {string[]} notes below the table, a sentence each
 *
 * @typedef {object} Facts what a table is made of
 * @property {import('./summary.js').Plan} plan
 * @property {import('./phases.js').Phase[]} phases of all legs
 * @property {import('./operations.js').Operation[]} operations
 * @property {import('./signals.js').Signal[]} signals
 * @property {import('./metrics.ts').Metrics} metrics of all legs, by phase
 * @property {import('./environment.js').Environment} environment
 * @property {import('./legs.js').Legs | null} legs null: the test is one k6 run
 * @property {(selector: string, phase: import('./phases.js').Phase) => Promise<number | null>} increase of a Prometheus
 *   counter, summed over its series, from the phase's start to its end; null: not known
 * @property {(leg: string) => ReturnType<typeof import('./seconds.ts').secondsOf>} seconds of a leg
 * @property {typeof note} note makes a finding
 *
 * @typedef {object} Built
 * @property {ReportTable[]} tables
 * @property {import('./thresholds.js').Threshold[]} [thresholds] that count for the verdict
 * @property {import('./findings.js').Finding[]} [findings]
 * @property {Record<string, string>} [files] to leave in the results folder, by name
 *
 * @typedef {(facts: Facts) => Built | Promise<Built>} TableBuilder
 */

/**
 * @param {Omit<Facts, 'note'>} facts
 * @returns {Promise<Required<Built>>}
 */
export async function makeTables(facts) {
  const none = { tables: [], thresholds: [], findings: [], files: {} };
  // The name is a test's, and with it a file's: it comes from a document.
  if (!/^[a-z][a-z0-9-]*$/.test(facts.plan.test)) return none;
  const file = new URL(`tables/${facts.plan.test}.js`, import.meta.url);
  if (!existsSync(file)) return none;
  /** @type {{default: TableBuilder}} */
  const { default: build } = await import(file.href);
  return { ...none, ...(await build({ ...facts, note })) };
}
