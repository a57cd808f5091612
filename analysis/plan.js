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
import { cleanDeep, cleanText, secretsOf } from './clean-text.js';
import { renderPlan } from './render/plan.js';
import { validatePlan } from './summary.js';
import { writeAtomic } from './write-atomic.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    brief: { type: 'boolean', default: false },
    legs: { type: 'boolean', default: false },
    write: { type: 'string' },
  },
});
const plan = cleanDeep(planIn(positionals[0] ?? ''), secretsOf(process.env));
if (values.write) writeAtomic(values.write, `${JSON.stringify(plan, null, 2)}\n`);
const colours = process.stdout.isTTY === true && !process.env.NO_COLOR;
process.stdout.write(renderPlan(plan, { colours, brief: values.brief, legs: values.legs }));

/** @param {string} file @returns {import('./summary.js').Plan} */
function planIn(file) {
  /** @type {any} */
  let found;
  try {
    found = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return end(`${file} is not JSON, or can not be read`);
  }
  const plan = found?.ext?.['mcp-load-lab'] ?? found;
  const problem = validatePlan(plan);
  return problem ? end(`${file} has no plan of a test: ${problem}`) : plan;
}

/** @param {string} text @returns {never} */
function end(text) {
  process.stderr.write(`plan: ${cleanText(text, secretsOf(process.env))}\n`);
  process.exit(1);
}
