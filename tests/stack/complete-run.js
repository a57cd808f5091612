/** A spike with the same verdict on any machine, and what every run of the reference target leaves. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { envFile } from '../lab.js';

const FILES = [
  'measured.json',
  'seconds.jsonl',
  'run.json',
  'report.md',
  'report.html',
  'junit.xml',
  'summary.csv',
  'k6.log',
];
/** Signals that every run of the reference target has samples of. */
export const SIGNALS = [
  'cpu',
  'pool_utilization',
  'cache_hit',
  'db_connections',
  'host_cpu',
  'generator_cpu',
];

/**
 * Each statement takes so much longer that the database, not the machine, is what the spike is too much for; and other programs may use
 * what they like.
 */
export const STEADY_SPIKE = {
  PROFILE: 'smoke',
  MAX_BACKGROUND_CPU: '1',
  // Half the rate, for twice as long: so that k6 gets its share of a machine that does other things, too.
  RATE_SCALE: '0.5',
  DURATION: '60s',
  TARGET_FAULTS: '{"slow_statement_ms":20}',
  THRESHOLDS: ['baseline', 'recovered']
    .flatMap((phase) => [`${phase}.p99_ms=10000`, `${phase}.failure_rate=0.2`])
    .join(),
};

/** @param {any} document @returns {any[]} */
export const measured = (document) => document.phases.filter((/** @type {any} */ phase) => phase.measured);

/** @param {number[]} numbers */
export const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** @param {any} document @param {string} wanted @returns {number} samples of the signal in all phases */
export const samplesOf = ({ signals }, wanted) =>
  sum(
    signals
      .filter((/** @type {any} */ { signal }) => signal === wanted)
      .map((/** @type {any} */ one) => one.samples),
  );

/** @param {{output: string, folder: string, document: any}} run */
export function assertComplete({ output, folder, document }) {
  assert.ok(document, output.slice(-3000));
  for (const file of FILES) assert.ok(existsSync(`${folder}/${file}`), file);
  const warmUp = document.phases[0];
  assert.equal(warmUp.measured, false);
  assert.equal(warmUp.requests, null, 'the warm-up has no figures');
  for (const phase of measured(document)) {
    assert.ok(phase.requests > 0, phase.name);
    assert.ok(phase.achieved_rps > 0, phase.name);
    if (phase.answered === 0) assert.equal(phase.latency_ms, null, phase.name);
    else assert.ok(phase.latency_ms.p50 <= phase.latency_ms.p99, phase.name);
  }
  // Two independent ways to count the same requests; the handshakes of a legacy target are in the phases alone.
  const byPhase = sum(measured(document).map((phase) => phase.requests));
  const byOperation = sum(document.operations.map((/** @type {any} */ operation) => operation.requests));
  if (document.target.era === 'modern') assert.equal(byPhase, byOperation);
  else assert.ok(byPhase > byOperation);

  const token = envFile('secrets.env').TARGET_TOKEN ?? '';
  assert.ok(token.length > 20);
  for (const file of readdirSync(folder)) {
    assert.ok(!readFileSync(`${folder}/${file}`, 'utf8').includes(token), `${file} holds the token`);
  }
  assert.ok(!output.includes(token), 'the terminal shows the token');
}
