/** The arithmetic of the benches. */

/**
 * @param {number[]} values at least one
 * @param {number} q 0..1
 * @returns {number} interpolated between the two nearest ranks, as k6 does it
 */
export function quantile(values, q) {
  const [below, above] = neighbours(values, q);
  return below + (above - below) * (((values.length - 1) * q) % 1);
}

/**
 * @param {number[]} values at least one
 * @param {number} q 0..1
 * @returns {[number, number]} the values at the two ranks next to the quantile, which may be one
 */
export function neighbours(values, q) {
  const sorted = Float64Array.from(values).sort();
  const rank = (sorted.length - 1) * q;
  return [sorted[Math.floor(rank)] ?? Number.NaN, sorted[Math.ceil(rank)] ?? Number.NaN];
}

/**
 * @param {number[]} values
 * @returns {{median: number, min: number, max: number}}
 */
export function spread(values) {
  return { median: quantile(values, 0.5), min: Math.min(...values), max: Math.max(...values) };
}

/**
 * Round by round, so that a machine that gets faster or slower meanwhile does not move it.
 *
 * @param {number[]} ours
 * @param {number[]} base of the same rounds
 */
export function ratio(ours, base) {
  return spread(ours.map((value, round) => value / (base[round] ?? Number.NaN)));
}

/**
 * @param {{x: number, y: number}[]} points
 * @returns {number} of the straight line with the least squares
 */
export function slope(points) {
  const x = mean(points.map((point) => point.x));
  const y = mean(points.map((point) => point.y));
  const along = points.reduce((sum, point) => sum + (point.x - x) ** 2, 0);
  return points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0) / along;
}

/** @param {number[]} values */
function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * The latencies that a client sees who sends at a constant rate whatever the server does, where the server stops once
 * for a while. A request that is being served when it stops goes on afterwards; all others then begin to be served.
 *
 * @param {object} load
 * @param {number} load.rate a second
 * @param {number} load.seconds
 * @param {number} load.afterMs when the server stops
 * @param {number} load.freezeMs for how long
 * @param {number} load.serviceMs what every request takes
 * @returns {number[]} milliseconds, in the order of sending
 */
export function openLoop({ rate, seconds, afterMs, freezeMs, serviceMs }) {
  const goesOn = afterMs + freezeMs;
  return Array.from({ length: rate * seconds }, (_, index) => {
    const sent = (index * 1000) / rate;
    if (sent >= goesOn || sent + serviceMs <= afterMs) return serviceMs;
    return sent < afterMs ? goesOn - sent : goesOn - sent + serviceMs;
  });
}

/**
 * @param {{x: number, y: number}[]} points
 * @param {number} windows as many parts of the points, by their order
 * @returns {{x: number, y: number}[]} each part's lowest
 */
export function floors(points, windows) {
  const size = Math.max(1, Math.floor(points.length / windows));
  /** @type {{x: number, y: number}[]} */
  const lowest = [];
  for (let start = 0; start + size <= points.length; start += size) {
    lowest.push(
      points.slice(start, start + size).reduce((least, point) => (point.y < least.y ? point : least)),
    );
  }
  return lowest;
}
