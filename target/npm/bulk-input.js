/** Input of the tools that change many resources: the batch size, and a dry run. */
import { z } from 'zod';
import { ResourceId } from './kinds.js';

export const Ids = z.array(ResourceId).min(1).max(10_000).optional();
export const DryRun = z.boolean().default(false).describe('true: only count the matching resources');

/** @param {number} fallback */
export const batchSize = (fallback) => z.int().min(1).max(1000).default(fallback);

/**
 * @param {number[]} ids
 * @param {number} size
 * @returns {number[][]}
 */
export function inBatches(ids, size) {
  return Array.from({ length: Math.ceil(ids.length / size) }, (_, n) => ids.slice(n * size, (n + 1) * size));
}
