/** `make sweep`: what each value of a knob comes to, and which one to take. */
import { areApart, intervalOf, meanOf, medianOf } from '../interval.js';
import { counted, duration, number, percent, perSecond } from '../units.js';

/** A value with more failures is none to take. */
const MAX_FAILURE_SHARE = 0.01;

/**
 * @typedef {import('../phases.js').Phase} Phase
 *
 * @typedef {object} Value
 * @property {string} value
 * @property {Phase[]} runs
 * @property {import('../interval.js').Interval} throughput
 * @property {number} failed share
 */

/** @type {import('../report-tables.js').TableBuilder} */
export default async function sweep({ legs, phases, signals, metrics, increase, note }) {
  const result = /** @type {import('../../experiments/sweep.js').SweepResult | null | undefined} */ (
    legs?.result
  );
  if (!result) return { tables: [] };
  const { knob, repeats, legS } = result;
  const values = result.values.flatMap((value) => {
    const runs = phases.filter((phase) => phase.measured && phase.labels[knob] === value && phase.requests);
    const throughput = intervalOf(runs.map((run) => run.achieved_rps ?? 0));
    return throughput ? [{ value, runs, throughput, failed: shareOf(runs, 'failed', 'requests') }] : [];
  });
  const rows = await Promise.all(values.map((one) => row(one, { signals, metrics, increase })));
  const columns = /** @type {import('../report-tables.js').Column[]} */ ([
    { name: knob, unit: 'text' },
    { name: 'calls', unit: 'per_s' },
    { name: 'from', unit: 'per_s' },
    { name: 'to', unit: 'per_s' },
    { name: 'p99', unit: 'ms' },
    { name: 'CPU', unit: 'ratio' },
    { name: 'memory', unit: 'bytes' },
    { name: 'waited', unit: 'ratio' },
    { name: 'hits', unit: 'ratio' },
    { name: 'queries', unit: 'count' },
    { name: 'answer', unit: 'bytes' },
  ]);
  const notes = [
    `${counted(repeats, 'run')} of ${duration(legS)} each, in rounds of random order, each on a target just started with an empty cache; from and to: where the mean of such runs is, 19 times of 20; p99: the median of the runs'.`,
    'CPU is of the whole machine; waited: acquisitions of a connection that took more than 1 ms; queries: of the database for each call; answer: bytes on the wire for each call, headers included, to a client that accepts gzip.',
    ...notesOf(result),
  ];
  const title = `Sweep of ${knob}`;
  return { tables: [{ title, columns, rows, notes }], findings: [note(knob, recommend(knob, values))] };
}

/**
 * @param {Value} one
 * @param {Pick<import('../report-tables.js').Facts, 'signals' | 'metrics' | 'increase'>} facts
 * @returns {Promise<(string | number | null)[]>}
 */
async function row({ value, runs, throughput }, { signals, metrics, increase }) {
  /** @param {string} wanted of runs of one length: the mean of their means */
  const signalOf = (wanted) => {
    const means = runs.flatMap(({ name }) =>
      signals.filter(({ signal, phase }) => signal === wanted && phase === name).map(({ avg }) => avg),
    );
    return means.length > 0 ? meanOf(means) : null;
  };
  /** @param {string} selector */
  const risen = async (selector) => {
    const parts = await Promise.all(runs.map((run) => increase(selector, run)));
    return parts.reduce((sum, part) => (sum === null || part === null ? null : sum + part), 0);
  };
  const [calls, queries, hits, misses, acquired, atOnce] = await Promise.all(
    [
      'request_duration_seconds_count{job="target",method="tools/call"}',
      'database_query_duration_seconds_count{job="target",query_type!="transaction"}',
      'cache_hits_total{job="target"}',
      'cache_misses_total{job="target"}',
      'pool_acquire_duration_seconds_count{job="target"}',
      'pool_acquire_duration_seconds_bucket{job="target",le="0.001"}',
    ].map(risen),
  );
  const p99s = runs.flatMap(({ latency_ms: latency }) => latency?.p99 ?? []);
  const bytes = runs.reduce(
    (sum, { name }) => sum + (metrics.values('data_received', { phase: name }).count ?? 0),
    0,
  );
  const requests = runs.reduce((sum, run) => sum + (run.requests ?? 0), 0);
  return [
    value,
    throughput.mean,
    throughput.low === null ? null : Math.max(0, throughput.low),
    throughput.high,
    p99s.length > 0 ? medianOf(p99s) : null,
    signalOf('cpu'),
    signalOf('memory'),
    atOnce == null ? null : share((acquired ?? 0) - atOnce, acquired),
    share(hits, (hits ?? 0) + (misses ?? 0)),
    share(queries, calls),
    share(bytes, requests),
  ];
}

/** @param {number | null | undefined} part @param {number | null | undefined} whole */
const share = (part, whole) => (part == null || !whole ? null : part / whole);

/** @param {Phase[]} runs @param {'failed'} part @param {'requests'} whole */
function shareOf(runs, part, whole) {
  const sum = (/** @type {'failed' | 'requests'} */ name) =>
    runs.reduce((total, run) => total + (run[name] ?? 0), 0);
  return sum(part) / Math.max(1, sum(whole));
}

/** @param {import('../../experiments/sweep.js').SweepResult} result */
function notesOf({ knob, values, legS, beside }) {
  const [other] = Object.entries(beside);
  if (other)
    return [`${other.join('=')} in all of them: the database has no more connections for the most ${knob}.`];
  if (knob === 'CACHE_TTL') {
    const unseen = values.filter((value) => Number(value) > legS);
    return unseen.length === 0
      ? []
      : [
          `Nothing lives for longer than a run of ${duration(legS)}, so ${unseen.join(' and ')} s can't be told from never; longer runs: DURATION.`,
        ];
  }
  if (knob === 'CONTENT')
    return ["MessagePack, Protobuf and CBOR, which the document compares, are no part of MCP's wire."];
  return [];
}

/**
 * @param {string} knob
 * @param {Value[]} values
 * @returns {string} the value to take and why, or why none can be named
 */
export function recommend(knob, values) {
  const sound = values.filter(({ failed }) => failed < MAX_FAILURE_SHARE);
  const [fastest] = sound.toSorted((a, b) => b.throughput.mean - a.throughput.mean);
  if (!fastest)
    return `no value can be recommended: in each at least ${percent(MAX_FAILURE_SHARE)} of the calls failed`;
  if (sound.some(({ throughput }) => throughput.low === null)) {
    return 'not enough to tell which value is best: measured once each, and how far the next run may be from it is not known (REPEATS=3)';
  }
  const slower = sound.filter((one) => areApart(one.throughput, fastest.throughput));
  const equal = sound.filter((one) => !slower.includes(one));
  const failing = values.filter((one) => !sound.includes(one));
  const out =
    failing.length > 0
      ? `; out of the question, with failures: ${failing.map(({ value }) => value).join(', ')}`
      : '';
  if (slower.length === 0) {
    return `no difference that can be told between ${equal.map(({ value }) => value).join(', ')}: their intervals overlap${out}`;
  }
  // Of what does the same, the least; names have no less.
  const numeric = equal.every(({ value }) => /^\d+$/.test(value));
  const least = numeric ? equal.toSorted((a, b) => Number(a.value) - Number(b.value))[0] : fastest;
  const taken = least ?? fastest;
  const others = equal.filter((one) => one !== taken).map(({ value }) => value);
  const next = slower.toSorted((a, b) => b.throughput.mean - a.throughput.mean)[0] ?? taken;
  return (
    `${knob}=${taken.value} is recommended: ${rangeOf(taken)}, ${number(taken.throughput.mean / next.throughput.mean)} x ` +
    `${next.value} with ${rangeOf(next)}` +
    `${others.length > 0 ? `; ${others.join(', ')} can't be told from it${numeric ? ' and cost more' : ''}` : ''}${out}`
  );
}

/** @param {Value} value */
const rangeOf = ({ throughput: { mean, low, high } }) =>
  `${perSecond(mean)} (${number(Math.max(0, low ?? 0))} to ${number(high)})`;
