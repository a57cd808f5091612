/**
 * The document that a run leaves for `analysis/`: the plan and k6's own end-of-test data, side by side.
 * Every submetric that the analysis reads must have been named in the thresholds, or k6 does not keep it.
 */

import { harmlessJson } from '../contract/one-line.js';
import { FAILURE_KINDS } from './mcp/failure-kinds.js';
import { withConnection } from './plan.js';

/** What k6 computes of every time Trend, from the raw samples. */
export const SUMMARY_TREND_STATS = [
  'min',
  'avg',
  'med',
  'p(50)',
  'p(75)',
  'p(90)',
  'p(95)',
  'p(99)',
  'p(99.9)',
  'max',
  'count',
];

const OF_PHASE_AND_OPERATION = ['mcp_request_duration', 'mcp_requests', 'mcp_request_failed'];
const OF_PHASE = [
  'iterations',
  'mcp_items',
  'mcp_phase_end_seconds',
  'mcp_further_requests',
  'mcp_cache_hits',
];
/** Counted where they happen, whatever the VU's tags say. */
const OF_PHASE_OR_OPERATION = ['mcp_exceptions'];
const OF_STEP = ['mcp_phase_start_seconds', 'mcp_step_iterations'];
/** k6's own: bytes on the wire, headers included. */
const OF_OPERATION = ['data_sent', 'data_received'];
/** Of mcp/observing-client.js, by phase and by operation. */
const OBSERVED = [
  'mcp_request_bytes',
  'mcp_response_bytes',
  'mcp_compressed',
  'mcp_connections',
  'mcp_connect_duration',
  'mcp_tls_duration',
  'mcp_keep_alive_seconds',
];

/**
 * @param {import('./phases.js').PlannedPhase[]} phases
 * @param {import('./workload.js').Operation[]} operations
 * @param {Pick<import('./test.js').TestDefinition, 'sequence' | 'measures' | 'observe'>} definition
 * @returns {Record<string, string[]>} thresholds without an expression: they judge nothing, k6 keeps the submetric
 */
export function keptSubmetrics(phases, operations, { sequence, measures = [], observe }) {
  const ofBoth = [...OF_PHASE_AND_OPERATION, ...(observe ? OBSERVED : [])];
  const ofPhase = [
    ...ofBoth,
    ...OF_PHASE,
    ...OF_PHASE_OR_OPERATION,
    ...(sequence ? OF_STEP : []),
    ...measures,
  ];
  /** @type {string[]} */
  const names = FAILURE_KINDS.map((kind) => `mcp_failure_seconds{kind:${kind}}`);
  /** @param {string[]} metrics @param {string} tag */
  const keep = (metrics, tag) => {
    names.push(...metrics.map((metric) => `${metric}{${tag}}`));
    names.push(...FAILURE_KINDS.map((kind) => `mcp_failures{${tag},kind:${kind}}`));
  };
  for (const { name, measured } of phases) {
    if (!measured) continue;
    keep(ofPhase, `phase:${name}`);
    // k6 gives this one metric the scenario's name, which is the phase's, but none of the scenario's own tags.
    names.push(`dropped_iterations{scenario:${name}}`);
  }
  for (const { operation } of operations) {
    keep([...ofBoth, ...OF_OPERATION, ...OF_PHASE_OR_OPERATION], `operation:${operation}`);
  }
  return Object.fromEntries(names.map((name) => [name, []]));
}

/**
 * @param {ReturnType<typeof import('./plan.js').makePlan>} plan
 * @param {any} data what k6 hands to handleSummary
 * @returns {string} the summary document
 */
export function summaryDocument(plan, data) {
  const { setup_data: setup, ...k6 } = data;
  return harmlessJson({
    schema: 'mcp-load-lab/summary/1',
    plan: withConnection(plan, setup?.connection),
    started_ms: setup?.startedMs ?? null,
    k6,
  });
}
