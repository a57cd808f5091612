/** Tries one area's properties in a thread of its own, which can be ended where one hangs. */
import { parentPort, workerData } from 'node:worker_threads';
import fc from 'fast-check';
import { areaOf } from './areas.js';

/** A counterexample may be a whole run document. */
const MOST_SHOWN = 1500;

/** @type {import('./try-area.js').Job & {progress: SharedArrayBuffer}} */
const { area: name, seed, ms, only, path, progress } = workerData;
/** Which property, and how many inputs of it: what whoever watches needs to say where it hangs. */
const at = new Int32Array(progress);

const area = await areaOf(name);
const chosen = area.properties
  .map((property, index) => ({ property, index }))
  .filter(({ property }) => only === undefined || property.name === only);
const endsAt = ms === undefined ? Infinity : Date.now() + ms;
try {
  for (const [turn, { property, index }] of chosen.entries()) {
    at[0] = index;
    at[1] = 0;
    // What one property leaves of its share of the time is the others'.
    const share =
      ms === undefined ? undefined : Math.max(1000, (endsAt - Date.now()) / (chosen.length - turn));
    parentPort?.postMessage(await tryProperty(property, share));
  }
} finally {
  await area.close?.();
}

/**
 * @param {import('./property.js').Property<any>} property
 * @param {number | undefined} limitMs undefined: the short form
 * @returns {Promise<import('./try-area.js').Outcome>}
 */
async function tryProperty({ name, runs, input, holds, after }, limitMs) {
  const started = Date.now();
  let inputs = 0;
  let failed = false;
  const details = await fc.check(
    fc.asyncProperty(input, async (value) => {
      at[1] = (at[1] ?? 0) + 1;
      if (!failed) inputs += 1;
      try {
        await holds(value);
      } catch (error) {
        failed = true;
        throw error;
      }
    }),
    {
      seed,
      ...(path && { path }),
      numRuns: path ? 1 : limitMs === undefined ? runs : 2 ** 30,
      ...(limitMs !== undefined && { interruptAfterTimeLimit: limitMs }),
    },
  );
  const seconds = (Date.now() - started) / 1000;
  const outcome = { name, inputs, seconds, said: '' };
  if (details.failed && details.counterexample) {
    return {
      ...outcome,
      failure: {
        path: details.counterexamplePath ?? '',
        input: fc.stringify(details.counterexample[0]).slice(0, MOST_SHOWN),
        error: wordsOf(details.errorInstance),
      },
    };
  }
  try {
    // One input tried again says nothing of all.
    return { ...outcome, said: (!path && after?.()) || '' };
  } catch (error) {
    return { ...outcome, failure: { path: '', input: 'all of them together', error: wordsOf(error) } };
  }
}

/** @param {unknown} error */
function wordsOf(error) {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return text.slice(0, MOST_SHOWN);
}
