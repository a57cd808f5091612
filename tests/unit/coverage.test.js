/** Every part of the five benchmark documents that measures something is some test's. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { scriptOf, testNames } from '../../contract/tests.js';

/** Headings of the documents with results that a client can measure. */
const DOCUMENTS = {
  'MCP server': [
    ...['Standard Configuration', 'Worker Process Count', 'Database Connection Pool Size'],
    ...['Cache Configuration', 'Serialization Format', 'Sustained Load Test', 'Spike Load Test'],
    ...['Endurance Test', 'Horizontal Scaling', 'Vertical Scaling', 'Auto-Scaling Configuration'],
    ...['Simple Tool Execution', 'Complex Tool Execution', 'External API Tool', 'Batch Processing Tool'],
    ...['Hardware Recommendations', 'Network Recommendations'],
  ],
  'NPM MCP server': [
    ...['Throughput Benchmarks', 'Latency Benchmarks', 'Concurrency Benchmarks', 'Batch Size Impact'],
    ...['Certificate Renewal', 'Resource Count Impact', 'Bulk Operations at Scale', 'Baseline Memory'],
    ...['Resource Caching', 'Connection Pool', 'Multi-Instance', 'Request/Response Sizes'],
    ...['Bandwidth Utilization', 'Connection Behavior', 'Configuration Recommendations'],
    'Performance Budget',
  ],
  'MCP Gateway': [
    ...['Establishing a Baseline', 'Scripted Load Tests', 'Interpreting Results'],
    'JSON Serialization Performance',
  ],
  erlmcp: [
    ...['Network I/O Benchmark', 'Sustained Load Benchmark', 'Time-Series Performance'],
    ...['Memory Growth Under Sustained Load', 'Chaos Engineering Results', 'MCP Protocol Benchmarks'],
    ...['Concurrent Connection Scaling', 'Cluster Scaling Recommendations'],
  ],
  RBAC: ['Test Scenarios', 'CSV Output Format'],
};

test('each part is reproduced by a test, and no test names another', () => {
  const wanted = Object.entries(DOCUMENTS).flatMap(([document, parts]) =>
    parts.map((part) => `${document}: ${part}`),
  );
  const named = testNames().flatMap((name) => {
    const [, list = ''] = /^ {2}covers: \[([^\]]+)\]/m.exec(readFileSync(scriptOf(name), 'utf8')) ?? [];
    // One that reproduces none was asked for by users.
    return [...list.matchAll(/'([^']+)'/g)].map(([, entry]) => entry);
  });
  assert.deepEqual([...new Set(named)].sort(), wanted.sort());
});
