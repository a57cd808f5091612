/**
 * Finds the highest rate that holds: steps up until one breaks, narrows down between the last that held and the first
 * that did not, and then holds what was found for longer. Where the hold breaks, a lower rate is held.
 */

/**
 * @typedef {object} Step
 * @property {boolean} holds
 * @property {boolean} generator it did not hold because the load generator could make no more
 *
 * @typedef {import('../analysis/tables/trial-results.ts').Found} Found
 */

/** A step is this much more than the one before. */
const FACTOR = 2;
/** A rate whose hold broke is followed by one this much lower. */
const LOWER = 0.9;
const MOST_HOLDS = 4;
/** Less is no load. */
const LEAST_RATE = 1;

/**
 * @param {number} start
 * @param {number} most
 * @param {number} precision
 * @returns {number} steps that it takes where all of them are taken
 */
export const mostSteps = (start, most, precision) =>
  1 +
  Math.ceil(Math.log(Math.max(1, most / start)) / Math.log(FACTOR)) +
  Math.ceil(Math.log2((FACTOR - 1) / precision));

/**
 * @param {object} bounds
 * @param {number} bounds.start requests/s to begin with
 * @param {number} bounds.most requests/s
 * @param {number} bounds.precision as a share: what held and what did not are no further apart in the end
 * @param {(rate: number) => Promise<Step>} step tries a rate
 * @param {(rate: number) => Promise<Step>} hold tries it for longer
 * @returns {Promise<Found>}
 */
export async function searchRate({ start, most, precision }, step, hold) {
  let good = 0;
  /** @type {number | null} */
  let broken = null;
  let generator = false;
  /** @param {number} rate */
  const holdsAt = async (rate) => {
    const first = await step(rate);
    // Once is chance: a neighbour's work, a collection of garbage.
    const outcome = first.holds || first.generator ? first : await step(rate);
    if (outcome.holds) good = rate;
    else if (outcome.generator) generator = true;
    else broken = rate;
    return outcome.holds;
  };

  let rate = Math.min(start, most);
  while ((await holdsAt(rate)) && rate < most) rate = Math.min(most, rate * FACTOR);
  // Below what it began with, where that was too much already.
  while (good === 0 && broken !== null && broken > LEAST_RATE) {
    await holdsAt(Math.max(LEAST_RATE, tidy(broken / FACTOR)));
    if (generator) break;
  }
  while (good > 0 && broken !== null && broken > good * (1 + precision)) {
    const middle = tidy(Math.sqrt(good * broken));
    if (middle <= good || middle >= broken) break;
    await holdsAt(middle);
    if (generator) break;
  }

  let lowered = 0;
  while (good > 0 && lowered < MOST_HOLDS) {
    const outcome = await hold(good);
    if (outcome.holds) return { rate: good, broken, generator, most: good >= most, lowered };
    if (outcome.generator) generator = true;
    else broken = good;
    lowered += 1;
    good = good <= LEAST_RATE ? 0 : Math.max(LEAST_RATE, tidy(good * LOWER));
  }
  return { rate: null, broken, generator, most: false, lowered };
}

/** @param {number} rate @returns {number} with two or three digits: more would pretend */
function tidy(rate) {
  const digit = 10 ** Math.max(0, Math.floor(Math.log10(rate)) - 2);
  return rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate / digit) * digit;
}
