/**
 * `node bench/series.js RUN...`: how many series and samples each generator of a run wrote to Prometheus, and how many bytes
 * its requests took: what docs/scale.md multiplies. RUN is a folder of results, of a run with SAMPLES=stream on the stack that
 * is up now.
 */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { askPrometheus } from '../tests/lab.js';
import { printTable } from './table.js';

/**
 * @param {string} testid
 * @returns {Promise<any[]>} series with all that they hold
 */
async function written(testid) {
  const query = `{__name__=~"k6_.*",testid=${JSON.stringify(testid)}}[1d]`;
  return (await askPrometheus('query', { query })).result;
}

/** @param {string} folder @returns {Promise<string[]>} */
async function row(folder) {
  const testid = basename(folder);
  const { started, ended, operations } = JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8'));
  const seconds = (Date.parse(ended) - Date.parse(started)) / 1000;
  const series = await written(testid);
  if (series.length === 0) throw new Error(`Prometheus has nothing of ${testid}`);
  const generators = new Set(series.map(({ metric }) => metric.generator)).size;
  const histograms = series.filter((one) => one.histograms);
  const samples = series.reduce(
    (sum, { values = [], histograms = [] }) => sum + values.length + histograms.length,
    0,
  );
  const each = (/** @type {number} */ figure) => Math.round(figure / generators).toLocaleString('en');
  const total = (/** @type {'requests' | 'request_bytes' | 'response_bytes'} */ which) =>
    operations.reduce((/** @type {number} */ sum, /** @type {any} */ one) => sum + (one[which] ?? 0), 0);
  const bytes = (/** @type {'request_bytes' | 'response_bytes'} */ which) =>
    Math.round(total(which) / total('requests')).toLocaleString('en');
  return [
    testid,
    String(operations.length),
    String(generators),
    each(series.length),
    each(histograms.length),
    each(samples / seconds),
    bytes('request_bytes'),
    bytes('response_bytes'),
  ];
}

const folders = process.argv.slice(2);
if (folders.length === 0) {
  console.error('usage: node bench/series.js RUN...   (folders of results)');
  process.exit(2);
}
const HEAD = [
  'run',
  'operations',
  'generators',
  'series each',
  'histograms',
  'samples/s each',
  'bytes sent a request',
  'received',
];
printTable(HEAD, await Promise.all(folders.map(row)));
