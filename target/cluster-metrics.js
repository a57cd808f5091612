import cluster from 'node:cluster';
import { AggregatorRegistry, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { LAG_RESOLUTION } from './metrics.js';

/** How long the primary waits for a busy worker before it uses that worker's last known metrics, ms. */
const COLLECT_TIMEOUT = 1500;

const COLLECT = 'metrics:collect';
const COLLECTED = 'metrics:collected';
const RENDER = 'metrics:render';
const RENDERED = 'metrics:rendered';

/** @typedef {import('prom-client').MetricObjectWithValues<import('prom-client').MetricValue<string>>} Metric */
/** @typedef {{type: string, id: number, metrics?: Metric[], text?: string}} Message */

/**
 * The primary's part: collects the metrics of all workers, sums them, and returns the text to the requesting worker.
 * @param {() => number} countWorkers
 * @returns {() => Promise<string>} the whole service's metrics as Prometheus text
 */
export function serveClusterMetrics(countWorkers) {
  const own = ownRegistry(countWorkers);
  /** @type {Map<number, Metric[]>} */
  const latest = new Map();
  /**
   * Counters of workers that have exited. Without them, a sum would decrease, which looks like a counter reset.
   */
  /** @type {Metric[]} */
  let retired = [];
  /** @type {Map<number, () => void>} */
  const pending = new Map();
  let lastId = 0;

  /** @param {import('node:cluster').Worker} worker */
  function collect(worker) {
    const id = ++lastId;
    return /** @type {Promise<void>} */ (
      new Promise((resolve) => {
        const timer = setTimeout(done, COLLECT_TIMEOUT);
        function done() {
          clearTimeout(timer);
          pending.delete(id);
          resolve();
        }
        pending.set(id, done);
        worker.send({ type: COLLECT, id }, (error) => error && done());
      })
    );
  }

  async function render() {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected());
    await Promise.all(
      workers.map((worker) => collect(/** @type {import('node:cluster').Worker} */ (worker))),
    );
    const self = await own.getMetricsAsJSON();
    return renderSum([...latest.values(), retired, self]);
  }

  cluster.on('message', async (worker, /** @type {Message} */ message) => {
    if (message.type === COLLECTED) {
      // Store late answers, too: the worker's next answer may also be late.
      if (message.metrics && worker.isConnected()) latest.set(worker.id, message.metrics);
      pending.get(message.id)?.();
    }
    if (message.type === RENDER) {
      const text = await render();
      if (worker.isConnected()) worker.send({ type: RENDERED, id: message.id, text }, () => {});
    }
  });
  cluster.on('exit', async (worker) => {
    const counted = (latest.get(worker.id) ?? []).filter(({ type }) => String(type) !== 'gauge');
    latest.delete(worker.id);
    retired = await AggregatorRegistry.aggregate([retired, counted]).getMetricsAsJSON();
  });
  return render;
}

/**
 * A worker's part: sends its metrics to the primary, and requests the sum.
 * @param {import('./metrics.js').Metrics} metrics
 * @returns {() => Promise<string>} the whole service's metrics as Prometheus text
 */
export function connectClusterMetrics(metrics) {
  /** @type {Map<number, (text: string) => void>} */
  const pending = new Map();
  let lastId = 0;
  process.on('message', async (/** @type {Message} */ message) => {
    if (message.type === COLLECT) {
      process.send?.({ type: COLLECTED, id: message.id, metrics: await metrics.registry.getMetricsAsJSON() });
    }
    if (message.type === RENDERED) {
      pending.get(message.id)?.(message.text ?? '');
      pending.delete(message.id);
    }
  });
  return () =>
    new Promise((resolve) => {
      const id = ++lastId;
      pending.set(id, resolve);
      process.send?.({ type: RENDER, id });
    });
}

/**
 * The primary's own metrics: its CPU time and memory, and the number of workers. Its event loop serves no requests and
 * is left out.
 * @param {() => number} countWorkers
 */
function ownRegistry(countWorkers) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const { name } of registry.getMetricsAsArray()) {
    if (!name.startsWith('process_')) registry.removeSingleMetric(name);
  }
  new Gauge({
    name: 'target_workers',
    help: 'Processes that serve requests.',
    registers: [registry],
    collect() {
      this.set(countWorkers());
    },
  });
  return registry;
}

/**
 * @param {Metric[][]} parts
 * @returns {Promise<string>}
 */
function renderSum(parts) {
  const sum = /** @type {Registry} */ (
    AggregatorRegistry.aggregate(parts.map((metrics) => metrics.flatMap(prepare)))
  );
  addRatio(sum, {
    name: 'cache_hit_rate',
    help: 'Share of all look-ups so far that the cache answered; 0 before the first look-up.',
    labels: { cache_type: 'redis' },
    part: total(sum, 'cache_hits_total'),
    whole: total(sum, 'cache_hits_total') + total(sum, 'cache_misses_total'),
  });
  addRatio(sum, {
    name: 'connection_pool_usage',
    help: 'Share of database connections in use, across all workers.',
    labels: { pool_type: 'postgres' },
    part: total(sum, 'pool_connections', { state: 'used' }),
    whole: total(sum, 'pool_size'),
  });
  return sum.metrics();
}

/**
 * Prepares one worker's metric for the sum. Event-loop lag is aggregated by maximum, so that an idle worker can't hide
 * a busy one. Node.js measures the time between two samples, so the sampling interval is subtracted.
 * @param {Metric} metric
 * @returns {Metric[]} empty if the metric has no usable value
 */
function prepare(metric) {
  const statistic = /^nodejs_eventloop_lag_(?:(\w+)_)?seconds$/.exec(metric.name);
  if (!statistic) return [metric];
  if (statistic[1] === 'min' || statistic[1] === 'stddev') return [];
  const interval = statistic[1] ? LAG_RESOLUTION / 1000 : 0;
  const values = metric.values
    // Without a sample since the last collection, Node.js returns NaN, which arrives as null.
    .filter(({ value }) => Number.isFinite(value))
    .map((entry) => ({ ...entry, value: Math.max(0, entry.value - interval) }));
  return [{ ...metric, values, aggregator: 'max' }];
}

/**
 * @param {Registry} sum
 * @param {string} name
 * @param {Record<string, string>} [labels]
 * @returns {number} 0 if there is no such metric
 */
function total(sum, name, labels = {}) {
  const metric = /** @type {{get(): Metric} | undefined} */ (
    /** @type {unknown} */ (sum.getSingleMetric(name))
  );
  const values = metric?.get().values ?? [];
  return values
    .filter((entry) => Object.entries(labels).every(([label, value]) => entry.labels[label] === value))
    .reduce((whole, { value }) => whole + value, 0);
}

/**
 * Adds a ratio of sums. An average of the workers' ratios would give idle and busy workers the same weight.
 * @param {Registry} registry
 * @param {{name: string, help: string, labels: Record<string, string>, part: number, whole: number}} ratio
 */
function addRatio(registry, { name, help, labels, part, whole }) {
  const gauge = new Gauge({ name, help, labelNames: Object.keys(labels), registers: [registry] });
  gauge.set(labels, whole === 0 ? 0 : part / whole);
}
