import { Worker } from 'node:worker_threads';
import { areaOf } from './areas.js';

/**
 * @typedef {object} Job
 * @property {string} area
 * @property {number} seed
 * @property {number} [ms] for all properties together; without: the short form, as many inputs as each of them says
 * @property {string} [only] this property alone
 * @property {string} [path] this input alone, and what it shrinks to
 *
 * @typedef {object} Outcome of one property
 * @property {string} name
 * @property {number} inputs that were tried, not counting what a failure was shrunk by
 * @property {number} seconds
 * @property {string} said of all inputs together
 * @property {{path: string, input: string, error: string}} [failure]
 */

/** No input takes so long, on however busy a machine. */
const HANG_MS = 90_000;

/**
 * @param {Job} job
 * @returns {Promise<Outcome[]>} one a property; the last may be one that hangs
 */
export async function tryArea(job) {
  const progress = new SharedArrayBuffer(8);
  const at = new Int32Array(progress);
  const { properties } = await areaOf(job.area);
  const started = Date.now();
  /** @type {Outcome[]} */
  const outcomes = [];
  const worker = new Worker(new URL('worker.js', import.meta.url), { workerData: { ...job, progress } });
  const broken = (/** @type {string} */ error, /** @type {number} */ input) =>
    outcomes.push({
      name: properties[at[0] ?? 0]?.name ?? job.area,
      inputs: at[1] ?? 0,
      seconds: (Date.now() - started) / 1000,
      said: '',
      failure: { path: String(input), input: 'not shrunk', error },
    });
  let seen = '';
  let sinceMs = Date.now();
  const watch = setInterval(() => {
    const now = `${at[0]} ${at[1]}`;
    if (now !== seen) [seen, sinceMs] = [now, Date.now()];
    else if (Date.now() - sinceMs > HANG_MS) {
      broken(`it hangs: no answer in ${HANG_MS / 1000} s`, (at[1] ?? 1) - 1);
      void worker.terminate();
    }
  }, 1000);
  worker.on('message', (outcome) => outcomes.push(outcome));
  await new Promise((resolve) => {
    worker.on('error', (error) => broken(error.stack ?? error.message, (at[1] ?? 1) - 1));
    worker.on('exit', resolve);
  });
  clearInterval(watch);
  return outcomes;
}

/**
 * @param {Job} job
 * @param {Outcome} outcome
 * @returns {string} what failed and the command that tries it again; '' where nothing did
 */
export function told({ area, seed }, { name, failure }) {
  if (!failure) return '';
  const { path, input, error } = failure;
  const again = `make fuzz AREA=${area} PROPERTY=${JSON.stringify(name)} SEED=${seed}${path && ` AT=${path}`}`;
  return `${area}: ${name}\n  input: ${input}\n  ${error.replaceAll('\n', '\n  ')}\n  again: ${again}\n`;
}
