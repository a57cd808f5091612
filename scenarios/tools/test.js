/**
 * What does each kind of tool cost? The tools run in sequence, each with enough VUs to keep it busy.
 */
import { defineTest } from '../../lib/test.js';
import reference from '../../workloads/reference.js';

export const { options, setup, iterate } = defineTest({
  name: 'tools',
  title: 'get_user, generate_report, fetch_weather and process_batch side by side',
  group: 'limits and tuning',
  about:
    'four kinds of tools side by side: throughput, p99, queries per call, cache hits, timeouts, circuit breaker trips',
  judgedBy: 'p99 or p95 and failure rate per kind',
  servers: 'any',
  covers: [
    'MCP server: Simple Tool Execution',
    'MCP server: Complex Tool Execution',
    'MCP server: External API Tool',
  ],
  workload: reference,
  // Pauses separate the queries of adjacent tools. The slowest tool gets enough time for a p99.
  phases: [
    { name: 'get_user', operation: 'get_user', vus: 50, duration: '45s' },
    { name: 'generate_report', operation: 'generate_report', vus: 10, duration: '105s', pause: '4s' },
    { name: 'fetch_weather', operation: 'fetch_weather', vus: 160, duration: '45s', pause: '4s' },
    {
      name: 'process_batch',
      operation: 'process_batch',
      vus: 20,
      duration: '45s',
      pause: '4s',
      labels: { items: 100 },
    },
  ],
  eachOf: { vus: 10, duration: '20s', objectives: { failure_rate: 0.01 } },
  objectives: {
    get_user: { p99_ms: 180, failure_rate: 0.001 },
    generate_report: { p99_ms: 2400, failure_rate: 0.001 },
    // The weather service never answers one call in two hundred.
    fetch_weather: { p95_ms: 850, failure_rate: 0.02 },
    process_batch: { p99_ms: 2100, failure_rate: 0.001 },
  },
});
