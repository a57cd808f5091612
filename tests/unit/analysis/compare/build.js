/** Runs to be compared, made from a run document that the analysis wrote. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf } from '../../../../analysis/compare/digest.ts';
import { runOf, signal, summary } from '../build.js';

/**
 * @typedef {object} Wanted
 * @property {string} [testid]
 * @property {number} [day] of 2026 on which it started
 * @property {number} [p99] ms of the one phase; the other latencies follow from it
 * @property {number} [answered]
 * @property {Record<string, number>} [failures]
 * @property {number} [memory] bytes
 * @property {number} [rate]
 * @property {Partial<import('../../../../analysis/judge/verdict.ts').Verdict>} [verdict]
 * @property {Partial<import('../../../../analysis/collect/environment.ts').Environment>} [environment]
 * @property {Record<string, string>} [settings]
 */

/** @param {Wanted} [wanted] @returns {Promise<import('../../../../analysis/judge/run.ts').Run>} */
export async function run({
  testid = 'spike-1',
  day = 1,
  p99 = 50,
  answered = 2000,
  failures = {},
  memory = 100e6,
  rate = 100,
  verdict = {},
  environment = {},
  settings,
} = {}) {
  const failed = Object.values(failures).reduce((sum, count) => sum + count, 0);
  const figures = { iterations: answered + failed, requests: answered + failed, answered, failures, p99 };
  const document = await runOf(
    {
      summary: summary({
        phases: [
          { name: 'warm-up', measured: false, duration_s: 3 },
          { name: 'calm', offered_rps: rate, figures },
        ],
        plan: { testid },
        startedMs: Date.UTC(2026, 0, day),
      }),
      ...(settings && { settings }),
    },
    { signals: [signal('memory', 'calm', memory, 'bytes'), signal('gc', 'calm', 0.002)] },
  );
  return {
    ...document,
    environment: { ...document.environment, ...environment },
    verdict: { outcome: 'pass', exit_code: 0, reasons: ['1 threshold held'], ...verdict },
  };
}

/** @param {Wanted} [wanted] */
export const digest = async (wanted) => digestOf(await run(wanted));

/**
 * @param {string} name
 * @param {number[]} p99s a run each
 * @param {Wanted} [rest]
 * @returns {Promise<import('../../../../analysis/compare/comparison.ts').Given>}
 */
export const side = async (name, p99s, rest = {}) => ({
  given: name,
  digests: await Promise.all(
    p99s.map((p99, index) => digest({ testid: `${name}-${index + 1}`, day: index + 1, p99, ...rest })),
  ),
});

/** @type {import('../../../../analysis/compare/comparison.ts').Options} */
export const DEFAULTS = {
  metrics: null,
  least: {},
  operations: false,
  includeFailed: false,
  allowSingle: false,
};

/** @param {string} results @param {import('../../../../analysis/judge/run.ts').Run} document @returns {string} its folder */
export function store(results, document) {
  const folder = join(results, document.testid);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'run.json'), JSON.stringify(document));
  return folder;
}
