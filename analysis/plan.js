#!/usr/bin/env node
/**
 * Prints what a test is about to do.
 *
 *   node analysis/plan.js <file> [--brief] [--write <plan.json>]
 *
 * The file is a plan, or what `k6 inspect` says of a test, which has the plan among its options.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { cleanDeep, secretsOf } from './clean-text.js';
import { renderPlan } from './render/plan.js';
import { writeAtomic } from './write-atomic.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { brief: { type: 'boolean', default: false }, write: { type: 'string' } },
});
const found = JSON.parse(readFileSync(positionals[0] ?? '', 'utf8'));
const plan = cleanDeep(found.ext?.['mcp-load-lab'] ?? found, secretsOf(process.env));
if (values.write) writeAtomic(values.write, `${JSON.stringify(plan, null, 2)}\n`);
const colours = process.stdout.isTTY === true && !process.env.NO_COLOR;
process.stdout.write(renderPlan(plan, { colours, brief: values.brief }));
