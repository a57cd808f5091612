import { constants, PerformanceObserver } from 'node:perf_hooks';
import { Histogram } from 'prom-client';

/** @typedef {import('node:perf_hooks').PerformanceEntry & {detail: {kind: number}}} Collection duration: ms */

const NAME = 'nodejs_gc_duration_seconds';
const BUCKETS = [0.001, 0.01, 0.1, 1, 2, 5];
/** @type {Record<number, string>} */
const KINDS = {
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
};

/**
 * Measures garbage collections. Replaces prom-client's metric of the same name, which counts only the first collection
 * per turn of the event loop. In a busy process, it would miss most collections.
 * @param {import('prom-client').Registry} registry
 */
export function measureCollections(registry) {
  registry.removeSingleMetric(NAME);
  const durations = new Histogram({
    name: NAME,
    help: 'Garbage collection duration by kind, one of major, minor, incremental or weakcb.',
    labelNames: ['kind'],
    buckets: BUCKETS,
    registers: [registry],
  });
  new PerformanceObserver((list) => {
    for (const entry of /** @type {Collection[]} */ (list.getEntries()))
      durations.observe({ kind: KINDS[entry.detail.kind] ?? 'other' }, entry.duration / 1000);
  }).observe({ entryTypes: ['gc'] });
}
