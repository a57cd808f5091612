/** A run's folder as it fills while k6 runs. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** @param {number} ms @returns {string} a call's duration as the output lab writes it */
export function durationOf(ms) {
  const exponent = Math.floor(Math.log2(ms));
  const bucket = (exponent + 1023) * 512 + Math.floor((ms / 2 ** exponent - 1) * 512);
  return bucket.toString(36);
}

const PHASES = [
  { name: 'warm-up', measured: false, start_s: 0, duration_s: 10, offered_rps: 10 },
  { name: 'baseline', measured: true, start_s: 10, duration_s: 20, offered_rps: 10 },
  { name: 'spike', measured: true, overload: true, start_s: 30, duration_s: 20, offered_rps: 200 },
];

/** @param {string} folder @param {object} [more] of its plan */
export function beginRun(folder, more = {}) {
  mkdirSync(folder, { recursive: true });
  const plan = {
    testid: 'spike-1',
    test: 'spike',
    title: 'A spike',
    phases: PHASES,
    objectives: [
      { scope: { phase: 'baseline' }, metric: 'p99_ms', op: '<', limit: 85 },
      { scope: { phase: 'baseline' }, metric: 'failure_rate', op: '<', limit: 0.001 },
    ],
    objectives_off: false,
    target: { url: 'http://127.0.0.1:8000/mcp' },
    watched_server: 'reference',
    ...more,
  };
  writeFileSync(join(folder, 'plan.json'), JSON.stringify(plan));
}

/**
 * Seconds from `fromS` on, each with as many calls of one phase.
 *
 * @param {string} folder
 * @param {{phase: string, startedS: number, fromS: number, toS: number, requests: number, ms: number, failed?: number}} load
 */
export function writeSeconds(folder, { phase, startedS, fromS, toS, requests, ms, failed = 0 }) {
  mkdirSync(folder, { recursive: true });
  const group = PHASES.findIndex(({ name }) => name === phase) + 1;
  const lines = [
    { group: 0, phase: '', operation: '' },
    { group, phase, operation: 'get_user' },
  ];
  const durations = { ok: `${durationOf(ms)}*${requests.toString(36)}` };
  const started = { 0: { metrics: { mcp_started_seconds: { range: [startedS, startedS] } } } };
  const counts = {
    requests,
    iterations: requests,
    durations,
    ...(failed && { failed, failures: { tool: failed } }),
  };
  const seconds = Array.from({ length: toS - fromS }, (_, index) => ({
    at: fromS + index,
    vus: 5,
    groups: { ...started, [group]: counts },
  }));
  for (const line of [...lines, ...seconds])
    appendFileSync(join(folder, 'seconds.jsonl'), `${JSON.stringify(line)}\n`);
}
