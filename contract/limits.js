/** Limits that a test, its analysis and the dashboards share. The others are in analysis/limits.ts. */

/** Share of a phase's offered load that must be made. */
export const MIN_DELIVERED = 0.95;

/** CPU of k6, as a share of what it may use, above which it measures its own waiting. */
export const MAX_GENERATOR_CPU = 0.8;
