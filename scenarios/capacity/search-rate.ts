/**
 * Finds the highest rate that holds: steps up until one breaks, narrows down between the last that held and the first
 * that did not, and then holds what was found for longer. If the hold breaks, a lower rate is held.
 */

/** What came of one rate. */
export interface Step {
  holds: boolean;
  /** It does not hold because the load generator did not make it, and not for the server's fault. */
  generator: boolean;
}

/** The highest rate that a search found. Rates are requests/s. */
export interface Found {
  /** null: none was held. */
  rate: number | null;
  /** The lowest that did not hold; null: all did, or the generator could make no more. */
  broken: number | null;
  /** The generator could make no more: the server may do more. */
  generator: boolean;
  /** Nothing higher was to be tried. */
  most: boolean;
  /** How often a hold broke. */
  lowered: number;
}

/** Each step is this many times the one before. */
const FACTOR = 2;
/** After a hold that broke, the rate is multiplied by this. */
const LOWER = 0.9;
const MAX_HOLDS = 4;
const MIN_RATE = 1;

/** @returns the number of steps if all of them are taken */
export const maxSteps = (start: number, max: number, precision: number) =>
  1 +
  Math.ceil(Math.log(Math.max(1, max / start)) / Math.log(FACTOR)) +
  Math.ceil(Math.log2((FACTOR - 1) / precision));

/**
 * @param bounds.start requests/s to begin with
 * @param bounds.max requests/s
 * @param bounds.precision what held and what did not are no further apart in the end, relative to what held
 * @param bounds.whole only whole numbers are tried
 * @param step tries a rate
 * @param hold tries it for longer
 */
export async function searchRate(
  {
    start,
    max,
    precision,
    whole = false,
  }: { start: number; max: number; precision: number; whole?: boolean },
  step: (rate: number) => Promise<Step>,
  hold: (rate: number) => Promise<Step>,
): Promise<Found> {
  const rounded = whole ? Math.round : toDigits;
  let good = 0;
  let broken: number | null = null;
  let generator = false;
  const holdsAt = async (rate: number) => {
    const first = await step(rate);
    // Once is chance: a neighbour's work, a garbage collection.
    const outcome = first.holds || first.generator ? first : await step(rate);
    if (outcome.holds) good = rate;
    else if (outcome.generator) generator = true;
    else broken = rate;
    return outcome.holds;
  };
  const brokenNow = () => broken;

  let rate = Math.min(start, max);
  while ((await holdsAt(rate)) && rate < max) rate = Math.min(max, rate * FACTOR);
  // Below the first rate, if that was too much already.
  for (let at = brokenNow(); good === 0 && at !== null && at > MIN_RATE; at = brokenNow()) {
    await holdsAt(Math.max(MIN_RATE, rounded(at / FACTOR)));
    if (generator) break;
  }
  for (let at = brokenNow(); good > 0 && at !== null && at > good * (1 + precision); at = brokenNow()) {
    const middle = rounded(Math.sqrt(good * at));
    if (middle <= good || middle >= at) break;
    await holdsAt(middle);
    if (generator) break;
  }

  let lowered = 0;
  while (good > 0 && lowered < MAX_HOLDS) {
    const outcome = await hold(good);
    if (outcome.holds) return { rate: good, broken, generator, most: good >= max, lowered };
    if (outcome.generator) generator = true;
    else broken = good;
    lowered += 1;
    good = good <= MIN_RATE ? 0 : Math.max(MIN_RATE, rounded(good * LOWER));
  }
  return { rate: null, broken, generator, most: false, lowered };
}

/** To two or three digits: more would suggest a precision that a search does not have. */
function toDigits(rate: number): number {
  const digit = 10 ** Math.max(0, Math.floor(Math.log10(rate)) - 2);
  return rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate / digit) * digit;
}
