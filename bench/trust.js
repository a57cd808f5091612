/**
 * `make bench-trust`: is a run declared invalid, for the right reason, if its figures cannot be trusted? Is a healthy
 * run never declared invalid? Each case is run on a separate stack.
 *
 *   RUNS=3       runs per case
 *   CASES=a,b    only the cases with one of these in their names
 */
import { INVALID } from '../analysis/judge/verdict.ts';
import { duration } from '../contract/units.js';
import { printTable } from './figures.ts';
import { count, logProgress } from './harness.ts';
import { withLabStack } from './lab-stack.js';
import { CASES } from './trust/cases.js';
import { runCase } from './trust/run-case.js';

const RUNS = count('RUNS', 3);
/** Duration of a run including set-up, warm-up and analysis. */
const RUN_S = 45;

const wanted = process.env.CASES ?? '';
const chosen = CASES.filter(({ name }) => wanted.split(',').some((part) => name.includes(part)));
if (chosen.length === 0) {
  console.error(
    `error: CASES is "${wanted}"; valid: parts of these names, separated by commas: ${CASES.map(({ name }) => name).join('; ')}`,
  );
  process.exit(2);
}

/**
 * @param {import('./lab-stack.js').LabStack} lab
 * @param {import('./trust/cases.js').Case} one
 * @returns {Promise<{right: boolean, invalid: boolean, reasons: string[]}>}
 */
async function runOnce(lab, one) {
  const { code, run } = await runCase(lab, one);
  const { reasons } = run.verdict;
  const { reason } = one;
  const invalid = code === INVALID;
  const right = reason
    ? invalid && reasons.some((/** @type {string} */ text) => reason.test(text))
    : !invalid;
  return { right, invalid, reasons };
}

await withLabStack(async (lab) => {
  logProgress(
    `${chosen.length} cases, ${RUNS} runs per case, about ${duration(chosen.length * RUNS * RUN_S)}. Do not run anything else on this machine.`,
  );
  /** @type {Map<string, Awaited<ReturnType<typeof runOnce>>[]>} */
  const results = new Map(chosen.map(({ name }) => [name, []]));
  // Round by round, so that a temporary disturbance affects one run of each case.
  for (let round = 1; round <= RUNS; round += 1) {
    for (const one of chosen) {
      const lacks = one.missing?.() ?? null;
      if (lacks !== null) {
        if (round === 1) logProgress(`${one.name}: skipped, ${lacks}`);
        continue;
      }
      const result = await runOnce(lab, one);
      results.get(one.name)?.push(result);
      logProgress(
        `round ${round} of ${RUNS}: ${one.name}: ${result.invalid ? 'invalid' : 'valid'}${result.right ? '' : ', WRONG'}: ${result.reasons.join(' | ')}`,
      );
    }
  }
  const rows = chosen.flatMap(({ name, reason }) => {
    const all = results.get(name) ?? [];
    if (all.length === 0) return [];
    const right = all.filter((one) => one.right).length;
    const shown = all.find((one) => !one.right) ?? all[0];
    return [
      {
        holds: right === all.length,
        cells: [
          name,
          reason ? 'invalid' : 'valid',
          `${all.filter(({ invalid }) => invalid).length} of ${all.length}`,
          `${right} of ${all.length}`,
          cut(shown?.invalid ? (shown.reasons[0] ?? '') : ''),
        ],
      },
    ];
  });
  printTable(
    ['case', 'expected', 'invalid', 'right', 'reason (of the first wrong one, else of the first)'],
    rows.map(({ cells }) => cells),
  );
  return rows.length > 0 && rows.every(({ holds }) => holds);
});

/** @param {string} text @returns {string} the text, shortened to fit into the table */
function cut(text) {
  return text.length > 110 ? `${text.slice(0, 107)}...` : text;
}
