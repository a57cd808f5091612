/**
 * Finds the highest rate that holds. It raises the rate until a step breaks, narrows the range between the
 * last rate that held and the first rate that broke, and then holds the result for longer. If this hold
 * breaks, it tries a lower rate.
 */

/** The result of one rate. */
export interface Step {
  holds: boolean;
  /** The rate does not hold because the load generator, not the server, reached its limit. */
  generator: boolean;
}

/** The result of a search. Rates are in requests/s. */
export interface Found {
  /** The highest rate that held; null = none. */
  rate: number | null;
  /** The lowest rate that did not hold; null = all held, or the generator reached its limit. */
  broken: number | null;
  /** The generator reached its limit: the server's capacity may be higher. */
  generator: boolean;
  /** The search reached `max`. */
  most: boolean;
  /** Number of holds that broke. */
  lowered: number;
}

/** Each step multiplies the rate by this. */
const FACTOR = 2;
/** A hold that breaks multiplies the rate by this. */
const LOWER = 0.9;
const MAX_HOLDS = 4;
const MIN_RATE = 1;

/** @returns the maximum number of steps */
export const maxSteps = (start: number, max: number, precision: number) =>
  1 +
  Math.ceil(Math.log(Math.max(1, max / start)) / Math.log(FACTOR)) +
  Math.ceil(Math.log2((FACTOR - 1) / precision));

/**
 * @param bounds.start first rate, requests/s
 * @param bounds.max highest rate, requests/s
 * @param bounds.precision the search ends when the rates that held and broke differ by at most this, relative
 *   to the rate that held
 * @param bounds.whole whether to try whole numbers only
 * @param step tries a rate
 * @param hold tries a rate for longer
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
    // Retry once: a single failure may be chance, such as a garbage collection.
    const outcome = first.holds || first.generator ? first : await step(rate);
    if (outcome.holds) good = rate;
    else if (outcome.generator) generator = true;
    else broken = rate;
    return outcome.holds;
  };
  const brokenNow = () => broken;

  let rate = Math.min(start, max);
  while ((await holdsAt(rate)) && rate < max) rate = Math.min(max, rate * FACTOR);
  // Go below the first rate if even that was too high.
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

/** Rounds to two or three digits: a search is not more precise. */
function toDigits(rate: number): number {
  const digit = 10 ** Math.max(0, Math.floor(Math.log10(rate)) - 2);
  return rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate / digit) * digit;
}
