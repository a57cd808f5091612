#!/usr/bin/env node
/**
 * Prints what a test is about to do.
 *
 *   node analysis/plan.js <file> [--brief] [--legs] [--write <plan.json>]
 *
 * The file is a plan, or what `k6 inspect` says of a test, which has the plan among its options.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { cleanText, secretsOf } from './clean-text.js';
import { planOf } from './read-plan.js';
import { wantsColours } from './render/colours.js';
import { renderPlan } from './render/plan.js';
import { writeAtomic } from './write-atomic.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    brief: { type: 'boolean', default: false },
    legs: { type: 'boolean', default: false },
    write: { type: 'string' },
  },
});
const plan = planIn(positionals[0] ?? '');
if (values.write) writeAtomic(values.write, `${JSON.stringify(plan, null, 2)}\n`);
process.stdout.write(renderPlan(plan, { colours: wantsColours(), brief: values.brief, legs: values.legs }));

/** @param {string} file @returns {import('./summary.js').Plan} */
function planIn(file) {
  try {
    return planOf(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    const text = error instanceof SyntaxError ? 'is not JSON' : /** @type {Error} */ (error).message;
    process.stderr.write(`plan: ${cleanText(`${file}: ${text}`, secretsOf(process.env))}\n`);
    return process.exit(1);
  }
}
