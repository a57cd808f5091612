/** Limits shared by tests, the analysis and the dashboards. Other limits are in analysis/limits.ts. */

/** Minimum share of a phase's planned load that k6 must deliver. */
export const MIN_DELIVERED = 0.95;

/**
 * Maximum CPU usage of k6, as a share of the CPU available to it. Above it, latencies include k6's own
 * delays.
 */
export const MAX_GENERATOR_CPU = 0.8;
