/**
 * A process to be watched: prom-client's default metrics at /metrics of PORT, and node-redis' own OpenTelemetry metrics at
 * /metrics of OTEL_PORT. It reads ten keys over and over, nine of ten from the client's cache, and blocks its event loop
 * for 30 ms, ten times a second.
 *
 *   node watched.js PORT OTEL_PORT REDIS_URL
 */
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { collectDefaultMetrics, register } from 'prom-client';
import { createClient, OpenTelemetry } from 'redis';

// Installed next to this file, for nothing else.
const require = createRequire(import.meta.url);
const { PrometheusExporter } = require('@opentelemetry/exporter-prometheus');
const { MeterProvider } = require('@opentelemetry/sdk-metrics');
// The copy of the API that node-redis has. One of another version would not be the one that it asks.
const { metrics } = createRequire(import.meta.resolve('redis'))('@opentelemetry/api');

const [port, otelPort, url = ''] = process.argv.slice(2);
const BLOCKED_MS = 30;
const KEYS = 10;

collectDefaultMetrics();
createServer(async (_, response) => {
  response.setHeader('Content-Type', register.contentType);
  response.end(await register.metrics());
}).listen(Number(port), '127.0.0.1');

const exporter = new PrometheusExporter({ host: '127.0.0.1', port: Number(otelPort) });
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [exporter] }));
OpenTelemetry.init({
  metrics: { enabled: true, enabledMetricGroups: ['command', 'connection-basic', 'client-side-caching'] },
});

const client = createClient({
  url,
  RESP: 3,
  clientSideCache: { ttl: 0, maxEntries: 100, evictPolicy: 'LRU' },
});
await client.connect();
const writer = client.duplicate({ clientSideCache: undefined });
await writer.connect();
for (;;) {
  for (let n = 0; n < KEYS; n++) await client.get(`key-${n}`);
  // The server tells the first client to forget this one.
  await writer.set('key-0', String(Date.now()));
  const until = Date.now() + BLOCKED_MS;
  while (Date.now() < until);
  await sleep(100 - BLOCKED_MS);
}
