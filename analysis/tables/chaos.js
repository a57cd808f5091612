/** `make chaos`: what each fault did, and how soon the server was as before; in the form of the document's table. */
import {
  FAILED_SHARE,
  faultEffect,
  HOLD_MS,
  LEAST_SHARE,
  SLOW_FACTOR,
  SLOW_MS,
  SLOW_SHARE,
  WINDOW_MS,
} from '../fault-effect.js';
import { judged } from '../judged.js';
import { counted, number, percent } from '../units.js';

/**
 * @typedef {import('../fault-effect.js').Effect} Effect
 * @typedef {import('../../experiments/chaos.js').Row} Row
 * @typedef {import('../report-tables.js').Column} Column
 *
 * @typedef {object} Seen a fault, and what the load saw of it
 * @property {Row} row
 * @property {string} phase the fault's
 * @property {Effect | null} effect null: it was not made
 * @property {number | null} dropped iterations that were not made under fault
 * @property {import('../thresholds.js').Threshold[]} thresholds
 */

/** @type {import('../report-tables.js').TableBuilder} */
export default async function chaos({ phases, legs, samples }) {
  const result = /** @type {import('../../experiments/chaos.js').ChaosResult | null | undefined} */ (
    legs?.result
  );
  if (!result) return { tables: [] };
  /** @type {Seen[]} */
  const seen = [];
  for (const row of result.faults) {
    const events = legs?.legs.find(({ name }) => name === row.name)?.events ?? [];
    const own = phases.filter(({ labels }) => labels.fault === row.name);
    const times = row.why_not ? null : timesOf(own, events);
    const effect = times && faultEffect(await seriesOf(samples(row.name)), times);
    const fault = own.find(({ labels }) => labels.part === 'fault');
    const thresholds = effect ? judge(row, effect, fault?.name ?? row.name, result.recovery_s) : [];
    seen.push({ row, phase: fault?.name ?? row.name, effect, dropped: fault?.dropped ?? null, thresholds });
  }
  return {
    tables: [faultTable(seen, result.recovery_s), latencyTable(seen)],
    thresholds: seen.flatMap(({ thresholds }) => thresholds),
  };
}

/**
 * @param {import('../phases.js').Phase[]} phases of the load around one fault
 * @param {import('../legs.js').LegEvent[]} events
 * @returns {import('../fault-effect.js').Times | null} null: the fault was not made, or the load did not come so far
 */
function timesOf(phases, events) {
  const at = (/** @type {string} */ kind) => events.find((event) => event.kind === kind)?.time_ms;
  const [injectedMs, liftedMs] = [at('inject'), at('lifted')];
  const [fromMs = Number.NaN, untilMs = Number.NaN] = [
    Date.parse(phases.find(({ labels }) => labels.part === 'baseline')?.start ?? ''),
    Date.parse(phases.find(({ labels }) => labels.part === 'after')?.end ?? ''),
  ];
  if (!injectedMs || !liftedMs || Number.isNaN(fromMs + untilMs)) return null;
  return { fromMs, injectedMs, liftedMs, untilMs };
}

/** @param {AsyncIterable<import('../raw-samples.js').RawSample>} samples */
async function seriesOf(samples) {
  /** @type {import('../fault-effect.js').Series} */
  const series = { requests: [], failures: [], refusals: [], latencies: [] };
  for await (const { metric, time_ms: timeMs, value } of samples) {
    if (metric === 'mcp_request_duration') series.latencies.push({ timeMs, ms: value });
    if (metric === 'mcp_refused') series.refusals.push(timeMs);
    if (metric !== 'mcp_request_failed') continue;
    series.requests.push(timeMs);
    if (value > 0) series.failures.push(timeMs);
  }
  return series;
}

/**
 * @param {Row} row
 * @param {Effect} effect
 * @param {string} phase
 * @param {number} limitS
 * @returns {import('../thresholds.js').Threshold[]}
 */
function judge({ title, least_success: least, most_refused: most }, effect, phase, limitS) {
  const { fault, state, recovery_s: recovered, watched_s: watched, back, after } = effect;
  const scope = { phase };
  const samples = fault.requests;
  const refused = samples === 0 ? null : fault.refusals / samples;
  const shares = /** @type {const} */ ([
    ['success_share', '>=', least, fault.success_share, 'success under fault'],
    ['refused_share', '<=', most, refused, 'refusals under fault'],
  ]);
  const ofShares = shares.flatMap(([metric, op, limit, observed, what]) =>
    limit === null
      ? []
      : [judged({ scope, metric, op, limit, observed, samples, what: `${title}: ${what}`, format: percent })],
  );

  const recovery = {
    scope,
    metric: 'recovery_s',
    op: /** @type {const} */ ('<'),
    limit: limitS,
    samples: after.requests,
    what: `${title}: the time to recover`,
    format: seconds,
  };
  const soughtS = watched - HOLD_MS / 1000;
  const known = state === 'unaffected' ? 0 : recovered;
  // Not seen in the time that was watched is too late where that was the whole of the bound, else nobody knows.
  const late = state === 'not_recovered' && soughtS >= limitS;
  const ofRecovery = judged({ ...recovery, observed: late ? soughtS : known });
  const reason = late
    ? `${title}: did not recover within ${seconds(soughtS)}, objective < ${seconds(limitS)}`
    : known === null
      ? `${title}: the time to recover can't be told: ${unknown(effect, soughtS)}`
      : ofRecovery.reason;
  const ofBack =
    back === null
      ? []
      : [
          judged({
            scope,
            metric: 'back_to_baseline',
            op: '>=',
            limit: 1,
            observed: Number(back),
            samples: after.requests,
            what: `${title}: back to its baseline`,
            format: (value) => (value ? 'yes' : 'no'),
          }),
        ];
  return [...ofShares, { ...ofRecovery, reason }, ...ofBack];
}

/** @param {Effect} effect @param {number} soughtS */
function unknown({ band, baseline }, soughtS) {
  if (!band) return `the baseline has ${counted(baseline.requests, 'request')}, ${baseline.failures} failed`;
  return `only ${seconds(Math.max(0, soughtS))} were watched that a hold of ${HOLD_MS / 1000} s could follow`;
}

/**
 * @param {Seen[]} seen
 * @param {number} limitS
 * @returns {import('../report-tables.js').ReportTable}
 */
function faultTable(seen, limitS) {
  const columns = /** @type {Column[]} */ ([
    { name: 'scenario', unit: 'text' },
    { name: 'intensity', unit: 'text' },
    { name: 'failures', unit: 'count' },
    { name: 'recovery time', unit: 'text' },
    { name: 'refusals', unit: 'count' },
    { name: 'success under fault', unit: 'ratio' },
    { name: 'asked for', unit: 'ratio' },
    { name: 'as before', unit: 'text' },
    { name: 'status', unit: 'text' },
  ]);
  const rows = seen.map(({ row, effect, thresholds }) => {
    if (!effect) return [row.title, row.intensity, null, null, null, null, null, null, 'not made'];
    const { fault, after } = effect;
    return [
      row.title,
      intensityOf(row),
      fault.failures + after.failures,
      recoveryText(effect),
      fault.refusals + after.refusals,
      fault.success_share,
      row.least_success,
      effect.back === null ? 'not enough to tell' : effect.back ? 'yes' : 'no',
      statusOf(thresholds),
    ];
  });
  const missing = seen.filter(({ effect }) => !effect);
  return {
    title: 'Faults in the middle of a steady load',
    columns,
    rows,
    notes: [
      `Recovery: from the lifting until, for ${HOLD_MS / 1000} s, every window of ${WINDOW_MS / 1000} s is in the band of its own ` +
        `baseline: failures and slow answers no more than in the worst window there (or ${percent(FAILED_SHARE)} and ` +
        `${percent(SLOW_SHARE)}), slow being over ${SLOW_FACTOR} times its p99 and over it by ${SLOW_MS} ms or more, and at ` +
        `least ${percent(LEAST_SHARE)} of its requests. N/A: it never left the band. Bound: < ${seconds(limitS)}.`,
      'Failures and refusals are counted from the making of the fault to the end of the load; a refusal is a connection that was not made, a 429 or a 503. A dash under "asked for": nothing can get through.',
      ...missing.map(
        ({ row }) => `${row.title} (${row.name}) was not made: ${row.why_not ?? 'the load ended before'}.`,
      ),
    ],
  };
}

/** @param {Row} row what was meant, and what came of it where that differs */
function intensityOf({ intensity, did }) {
  const { heap_peak_share: peak, kills } = did;
  if (typeof peak === 'number') return `${intensity}; ${percent(peak)} at its peak`;
  return typeof kills === 'number' ? `${intensity}, ${number(kills)} in all` : intensity;
}

/** @param {Effect} effect */
function recoveryText({ state, recovery_s, watched_s }) {
  if (state === 'unaffected') return 'N/A';
  if (state === 'not_enough_to_tell') return 'not enough to tell';
  if (recovery_s !== null) return seconds(recovery_s);
  return `not within ${seconds(watched_s - HOLD_MS / 1000)}`;
}

/** @param {import('../thresholds.js').Threshold[]} thresholds */
function statusOf(thresholds) {
  const missed = thresholds.filter(({ outcome }) => outcome === 'fail');
  if (missed.length > 0) return `fail: ${missed.map(({ metric }) => SHORT[metric] ?? metric).join(', ')}`;
  return thresholds.some(({ outcome }) => outcome === 'invalid') ? 'not enough to tell' : 'pass';
}

const SHORT = /** @type {Record<string, string>} */ ({
  success_share: 'success',
  refused_share: 'refusals',
  recovery_s: 'recovery',
  back_to_baseline: 'not as before',
});

/** @param {Seen[]} seen @returns {import('../report-tables.js').ReportTable} */
function latencyTable(seen) {
  const columns = /** @type {Column[]} */ ([
    { name: 'scenario', unit: 'text' },
    { name: 'requests', unit: 'count' },
    { name: 'not sent', unit: 'count' },
    { name: 'p95 before', unit: 'ms' },
    { name: 'p99 before', unit: 'ms' },
    { name: 'p50 under fault', unit: 'ms' },
    { name: 'p95 under fault', unit: 'ms' },
    { name: 'p99 under fault', unit: 'ms' },
    { name: 'p95 after', unit: 'ms' },
    { name: 'slow is over', unit: 'ms' },
  ]);
  const rows = seen.flatMap(({ row, effect, dropped }) => {
    if (!effect) return [];
    const { baseline, fault, after, band } = effect;
    return [
      [
        row.title,
        fault.requests,
        dropped,
        baseline.latency.p95_ms,
        baseline.latency.p99_ms,
        fault.latency.p50_ms,
        fault.latency.p95_ms,
        fault.latency.p99_ms,
        after.latency.p95_ms,
        band?.slow_ms ?? null,
      ],
    ];
  });
  return {
    title: 'Latency under fault',
    columns,
    rows,
    notes: [
      'Of answered requests, by when they ended. Not sent: due under fault, while every user still waited for an answer.',
    ],
  };
}

/** @param {number} value */
const seconds = (value) => `${number(value)} s`;
