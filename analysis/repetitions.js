/** What a test was repeated for: the median of its repetitions. */
import { medianOf } from './interval.js';

/**
 * @typedef {import('./phases.js').Phase} Phase
 * @typedef {{name: string, labels: Record<string, string>, phases: Phase[]}} Repeated the repetitions of one phase
 */

/** A percentile needs so many calls to be more than the slowest of them. */
const LEAST = { p50: 3, p95: 20, p99: 100 };

/**
 * @param {Phase[]} phases
 * @returns {Repeated[]} those that are measured, in their order
 */
export function repetitions(phases) {
  /** @type {Map<string, Repeated>} */
  const all = new Map();
  for (const phase of phases) {
    if (!phase.measured) continue;
    const { repetition, ...labels } = phase.labels;
    const name =
      repetition === undefined ? phase.name : phase.name.replace(new RegExp(`-${repetition}$`), '');
    const known = all.get(name);
    if (known) known.phases.push(phase);
    else all.set(name, { name, labels, phases: [phase] });
  }
  return [...all.values()];
}

/**
 * @param {Repeated} repeated
 * @param {(phase: Phase) => number | null} figure
 * @returns {number | null} null: no repetition has it
 */
export function median({ phases }, figure) {
  const values = phases.map(figure).filter((value) => value !== null);
  return values.length > 0 ? medianOf(values) : null;
}

/**
 * @param {Repeated} repeated
 * @param {'p50' | 'p95' | 'p99'} percentile
 * @returns {number | null} null: no repetition has calls enough
 */
export function medianLatency(repeated, percentile) {
  return median(repeated, ({ answered, latency_ms: latency }) =>
    latency && (answered ?? 0) >= LEAST[percentile] ? latency[percentile] : null,
  );
}

/**
 * @param {Repeated} repeated
 * @returns {number | null} of all repetitions
 */
export function slowest({ phases }) {
  const values = phases.flatMap(({ latency_ms: latency }) => latency?.max ?? []);
  return values.length > 0 ? Math.max(...values) : null;
}

/**
 * @param {Repeated} repeated
 * @param {(phase: Phase) => number | null} figure
 */
export function total({ phases }, figure) {
  return phases.reduce((sum, phase) => sum + (figure(phase) ?? 0), 0);
}
