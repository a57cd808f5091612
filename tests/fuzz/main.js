#!/usr/bin/env node
/**
 * Fuzzing with generated input; `make fuzz` calls this.
 *
 *   MINUTES   how long, all areas together; 0: the short form of `make test`
 *   AREA      these alone, with commas between
 *   SEED      of the generated input; by default another one each time
 *   PROPERTY, AT   one property of one AREA, one of its inputs: as a failure says
 *
 * Exit code: 0, 1 where something failed, 2 bad usage.
 */
import { AREAS } from './areas.js';
import { told, tryArea } from './try-area.js';

/** @param {string} text @returns {never} */
function usage(text) {
  process.stderr.write(`error: ${text}\n`);
  process.exit(2);
}

const { MINUTES = '', AREA = '', SEED = '', PROPERTY, AT } = process.env;
// They are for this program, not for what it starts: SEED is a variable of every test, too.
for (const name of ['MINUTES', 'AREA', 'SEED', 'PROPERTY', 'AT']) delete process.env[name];
if (!/^(\d{1,4}(\.\d+)?)?$/.test(MINUTES))
  usage(`MINUTES is "${MINUTES}"; valid: a number of minutes, 0: the short form`);
if (!/^(\d{1,9})?$/.test(SEED)) usage(`SEED is "${SEED}"; valid: a whole number`);
const names = AREA === '' ? Object.keys(AREAS) : AREA.split(',');
const unknown = names.find((name) => !Object.hasOwn(AREAS, name));
if (unknown !== undefined) usage(`AREA has "${unknown}"; valid: ${Object.keys(AREAS).join(', ')}`);
if ((PROPERTY || AT) && names.length > 1) usage('PROPERTY and AT are of one area; valid: with AREA=name');
const minutes = MINUTES === '' ? 10 : Number(MINUTES);
const seed = SEED === '' ? Math.floor(Math.random() * 1e9) : Number(SEED);

process.stdout.write(`seed ${seed}, ${minutes > 0 ? `${minutes} minutes` : 'short form'}\n`);
process.stdout.write(`${row(['area', 'inputs', 'failures', 'seconds'])}\n`);
const total = { inputs: 0, failures: 0, seconds: 0 };
let texts = '';
for (const area of names) {
  const ms = (minutes * 60_000) / names.length;
  const job = {
    area,
    seed,
    ...(minutes > 0 && { ms }),
    ...(PROPERTY && { only: PROPERTY }),
    ...(AT && { path: AT }),
  };
  const outcomes = await tryArea(job);
  if (outcomes.length === 0) usage(`PROPERTY is "${PROPERTY}", which ${area} has not`);
  const sum = {
    inputs: outcomes.reduce((all, { inputs }) => all + inputs, 0),
    failures: outcomes.filter(({ failure }) => failure).length,
    seconds: outcomes.reduce((all, { seconds }) => all + seconds, 0),
  };
  process.stdout.write(`${row([area, sum.inputs, sum.failures, sum.seconds.toFixed(1)])}\n`);
  for (const outcome of outcomes) {
    const { name, inputs, seconds, said } = outcome;
    process.stdout.write(`${row([`  ${name}`, inputs, outcome.failure ? 1 : 0, seconds.toFixed(1)])}\n`);
    if (said) process.stdout.write(`    ${said}\n`);
    texts += told(job, outcome);
  }
  for (const key of /** @type {const} */ (['inputs', 'failures', 'seconds'])) total[key] += sum[key];
}
process.stdout.write(`${row(['all', total.inputs, total.failures, total.seconds.toFixed(1)])}\n`);
process.stderr.write(texts);
process.exitCode = total.failures > 0 ? 1 : 0;

/** @param {(string | number)[]} cells */
function row([first = '', ...rest]) {
  return String(first).padEnd(70) + rest.map((cell) => String(cell).padStart(10)).join('');
}
