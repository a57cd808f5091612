/** Generated arguments inside k6: the same as in Node, letter by letter. */
import { check } from 'k6';
import { generateArguments } from '../../lib/schema/generate.js';

export const options = { iterations: 1, thresholds: { checks: ['rate==1.0'] } };

/** @type {{about: string, schema: any, options: {seed: number, count: number}, expected: string}[]} */
const cases = JSON.parse(open(__ENV.CASES ?? ''));

export default function () {
  for (const { about, schema, options, expected } of cases) {
    const made = JSON.stringify(generateArguments(schema, options));
    if (made !== expected) console.error(`${about}: Node made ${expected}, k6 ${made}`);
    check(made, { 'k6 makes the same arguments as Node': () => made === expected });
  }
}
