/** Batches of different sizes: which one moves the most items, and at what price. */
import { dashboard } from './dashboard.js';
import { barGauge, percentiles, rates, ratio, row, signal, table, timeSeries } from './panels.js';
import {
  failedByPhase,
  inOrder,
  percentileByPhase,
  phaseSeconds,
  requestsByPhase,
  startedMs,
} from './phase-queries.js';
import { DURATION, FAILURES, orZero, perSecond, REQUESTS, total } from './queries.js';
import { steps } from './signal-catalogue.js';

const ITEMS = 'mcp_items_total';

/** As in analysis/tables/batch.js: failures that rule a size out, and how much closer counts as equal. */
const MAX_FAILURE_SHARE = 0.01;
const TIE = 0.02;
const FAILURE_STEPS = steps(0.0001, MAX_FAILURE_SHARE);

const NO_ITEMS = 'No batches in this time range';

const items = () => total(ITEMS, 'phase');
const itemsPerSecond = () => `(${items()} / ${phaseSeconds()})`;
/** @returns {string} items that a successful request processed */
function batchSize() {
  const succeeded = `(${requestsByPhase()} - ${orZero(total(FAILURES, 'phase'), requestsByPhase())})`;
  return `round(${items()} / ${succeeded})`;
}

/**
 * @param {string} byPhase
 * @returns {string} with the label group: phases that differ in nothing but their size are named alike before its number
 */
const grouped = (byPhase) => `label_replace(${byPhase}, "group", "$1", "phase", "(.*?)-?[0-9]*")`;

/** @returns {string} the items per second of those sizes that may be the best, by group and phase */
const candidates = () =>
  grouped(`(${itemsPerSecond()} and on (phase) ${failedByPhase()} < ${MAX_FAILURE_SHARE})`);
const fastest = () =>
  `${candidates()} >= on (group) group_left () ${1 - TIE} * max by (group) (${candidates()})`;
/** @returns {string} the sizes that are best: of the fastest the smallest, in groups of several sizes */
const best = () =>
  `bottomk by (group) (1, ${grouped(batchSize())} and on (phase) (${fastest()})) ` +
  `and on (group) count by (group) (${grouped(items())}) > 1`;
/** @param {string} byPhase @returns {string} of the best sizes alone */
const ofBest = (byPhase) => `${grouped(byPhase)} and on (phase) (${best()})`;

/** Items per second of the single ones in the same group. */
const speedUp = () => {
  const single = `${grouped(itemsPerSecond())} and on (phase) (${batchSize()} == 1)`;
  return `${grouped(itemsPerSecond())} / on (group) group_left () max by (group) (${single})`;
};

const wide = { width: 12, height: 9 };
const bars = { width: 12, height: 9 };

export function batch() {
  return dashboard({
    uid: 'mcp-batch',
    title: 'Batch',
    folder: 'runs',
    description:
      'How large should a batch be? Items per second, latency and failures by the size of a batch.',
    panels: [
      table({
        id: 1,
        title: 'Best size',
        description:
          `The size with the most items per second among those of which less than 1% failed; of sizes within 2% of it the ` +
          'smallest. In each group of phases that differ only in their size. This is the rule of the report. While the test runs: ' +
          'the best so far.',
        width: 24,
        height: 4,
        noValue: NO_ITEMS,
        label: ['group', 'phase'],
        heading: ['Group', 'Phase'],
        sortBy: 'Group',
        columns: [
          { name: 'Best size', unit: 'short', expr: best() },
          { name: 'Items/s', unit: 'short', expr: ofBest(itemsPerSecond()) },
          { name: 'p99', unit: 's', expr: ofBest(percentileByPhase(0.99)) },
          { name: 'Failed', unit: 'percentunit', expr: ofBest(failedByPhase()), steps: FAILURE_STEPS },
        ],
      }),

      row({ id: 10, title: 'By size' }),
      table({
        id: 11,
        title: 'Sizes',
        description:
          'Every phase is one size. Larger batches move more items per second until something gives way; p99 is what a caller waits ' +
          'for all items of a batch. Speed-up: items per second as a multiple of those of size 1, where the group has one.',
        width: 24,
        height: 10,
        noValue: NO_ITEMS,
        label: 'phase',
        heading: 'Phase',
        sortBy: 'Started',
        columns: [
          { name: 'Started', unit: 'time:HH:mm:ss', expr: `${startedMs()} and on (phase) ${items()}` },
          { name: 'Size', unit: 'short', expr: batchSize() },
          { name: 'Batches', unit: 'short', expr: requestsByPhase() },
          { name: 'Batches/s', unit: 'reqps', expr: `${requestsByPhase()} / ${phaseSeconds()}` },
          { name: 'Items', unit: 'short', expr: items() },
          { name: 'Items/s', unit: 'short', expr: itemsPerSecond() },
          { name: 'Speed-up', unit: 'short', expr: `sum by (phase) (${speedUp()})` },
          { name: 'p50', unit: 's', expr: percentileByPhase(0.5) },
          { name: 'p99', unit: 's', expr: percentileByPhase(0.99) },
          { name: 'Failed', unit: 'percentunit', expr: failedByPhase(), steps: FAILURE_STEPS },
        ],
      }),
      barGauge({
        ...bars,
        id: 12,
        title: 'Items per second by size',
        description:
          'In the order of the phases. Where the bars of a group stop growing, larger batches bring nothing but longer waits.',
        unit: 'short',
        noValue: NO_ITEMS,
        expr: inOrder(itemsPerSecond()),
        legend: '{{phase}}',
      }),
      barGauge({
        ...bars,
        id: 13,
        title: 'p99 by size',
        description:
          'How long the slowest hundredth of the batches took at least. Read beside the items per second.',
        unit: 's',
        noValue: NO_ITEMS,
        expr: inOrder(percentileByPhase(0.99)),
        legend: '{{phase}}',
      }),
      barGauge({
        ...bars,
        id: 14,
        title: 'Batches by size',
        description:
          'Requests that were made of each size, failed ones among them. Few of them make a p99 that says little: below 100 it is the ' +
          'slowest one.',
        unit: 'short',
        noValue: NO_ITEMS,
        expr: inOrder(requestsByPhase()),
        legend: '{{phase}}',
      }),
      barGauge({
        ...bars,
        id: 15,
        title: 'Failed by size',
        description: 'Failed requests of all of that size. From 1% on, red, a size can not be the best.',
        unit: 'percentunit',
        noValue: NO_ITEMS,
        max: 1,
        expr: inOrder(failedByPhase()),
        legend: '{{phase}}',
        steps: FAILURE_STEPS,
      }),

      row({ id: 20, title: 'Over time' }),
      timeSeries({
        ...wide,
        id: 21,
        title: 'Items per second',
        description: 'Items of batches that succeeded, over the last seconds, a line for each size.',
        unit: 'short',
        noValue: NO_ITEMS,
        lines: [{ expr: perSecond(ITEMS, 'phase'), legend: '{{phase}}' }],
      }),
      percentiles({
        ...wide,
        id: 22,
        title: 'p99',
        description:
          'Of whole batches, over the last seconds, a line for each size. Within about 5% of the true value.',
        metric: DURATION,
        by: 'phase',
        quantiles: [0.99],
      }),
      rates({
        ...wide,
        id: 23,
        title: 'Batches per second',
        description:
          'Requests per second, a line for each size. It falls as batches grow; how fast is what decides.',
        metric: REQUESTS,
        by: 'phase',
      }),
      ratio({
        ...wide,
        id: 24,
        title: 'Failed',
        description: 'Failed requests of all, over the last seconds, a line for each size.',
        part: FAILURES,
        whole: REQUESTS,
        by: 'phase',
        steps: FAILURE_STEPS,
      }),

      row({ id: 30, title: 'What holds larger batches back?' }),
      signal({ id: 31, signal: 'cpu:ratio' }),
      signal({ id: 32, signal: 'eventloop_lag:seconds' }),
      signal({ id: 33, signal: 'pool_used:ratio' }),
      signal({ id: 34, signal: 'pool_waiting:count' }),
      signal({ id: 35, signal: 'db_transactions:rate' }),
      signal({ id: 36, signal: 'db_locks:count' }),
      signal({ id: 37, signal: 'disk_io:bytes_rate' }),
      signal({ id: 38, signal: 'generator_cpu:ratio' }),
    ],
  });
}
