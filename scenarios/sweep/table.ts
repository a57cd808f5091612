/** `make sweep`: the results of each value of a setting, and the recommended value. */

import { inScope, total } from '../../analysis/collect/groups.ts';
import { increaseIn } from '../../analysis/collect/increases.ts';
import { signalMean } from '../../analysis/collect/signals.ts';
import { note } from '../../analysis/findings/note.ts';
import type { Phase } from '../../analysis/judge/phases.ts';
import { RECOMMENDED } from '../../analysis/limits.ts';
import { round } from '../../analysis/round.ts';
import { compareInBlocks } from '../../analysis/statistics/block-design.ts';
import { meanOf, medianOf } from '../../analysis/statistics/interval.ts';
import {
  type Built,
  type Column,
  type Facts,
  ratio,
  type TableModule,
  tableOf,
} from '../../analysis/tables/report-tables.ts';
import { counted, duration, number, percent, perSecond } from '../../contract/units.js';
import type { SweepResult } from './trials.ts';

interface Value {
  value: string;
  runs: Phase[];
  /** Calls/s, the geometric mean of the runs. */
  rate: number;
  /** Failure rate, 0 to 1. */
  failed: number;
}

/** Counters of the target. */
const COUNTERS = {
  calls: 'request_duration_seconds_count{job="target",method="tools/call"}',
  queries: 'database_query_duration_seconds_count{job="target",query_type!="transaction"}',
  hits: 'cache_hits_total{job="target"}',
  misses: 'cache_misses_total{job="target"}',
  acquired: 'pool_acquire_duration_seconds_count{job="target"}',
  atOnce: 'pool_acquire_duration_seconds_bucket{job="target",le="0.001"}',
};

export const countersOf: TableModule['countersOf'] = ({ phases }) =>
  phases.flatMap((phase) => Object.values(COUNTERS).map((selector) => ({ selector, phase })));

export default function sweep({ trials, phases, signals, groups, increases }: Facts<SweepResult>): Built {
  const result = trials?.result;
  if (!result) return { tables: [] };
  const { setting, repeats, trialS } = result;
  const values = result.values.flatMap((value): Value[] => {
    const own = phases.filter(({ labels }) => labels[setting] === value);
    const runs = own.filter((phase) => phase.measured && phase.achieved_rps);
    const { means: [rate] = [] } = compareInBlocks([runs.map(rateOf)]) ?? {};
    const failed = sumOf(runs, (run) => run.failed) / Math.max(1, sumOf(runs, requests));
    return rate ? [{ value, runs, rate: round(rate), failed }] : [];
  });
  const sound = values.filter(({ failed }) => failed < RECOMMENDED.maxFailures);
  const apart = apartOf(sound);
  const best = Math.max(...sound.map(({ rate }) => rate));
  const p99Of = (latencies: number[]) => (latencies.length > 0 ? medianOf(latencies) : null);
  /** Uses the mean of the runs' means, because all runs have the same length. */
  const signalOf = (signal: string, { runs }: Value) => {
    const means = runs.flatMap(({ name }) => signalMean(signals, signal, name) ?? []);
    return means.length > 0 ? meanOf(means) : null;
  };
  const risen = (counter: keyof typeof COUNTERS, { runs }: Value) =>
    runs
      .map((run) => increaseIn(increases, COUNTERS[counter], run))
      .reduce((sum, part) => (sum === null || part === null ? null : sum + part), 0);
  const late = (value: Value) => {
    const [acquired, atOnce] = [risen('acquired', value), risen('atOnce', value)];
    return acquired === null || atOnce === null ? null : acquired - atOnce;
  };
  const lookUps = (value: Value) => (risen('hits', value) ?? 0) + (risen('misses', value) ?? 0);
  const bytes = ({ name }: Phase) => total(inScope(groups, { phase: name }), 'bytesReceived');
  const columns: Column<Value>[] = [
    { name: setting, unit: 'text', of: ({ value }) => value },
    { name: 'calls', unit: 'per_s', of: ({ rate }) => rate },
    { name: 'vs best', unit: 'ratio', of: ({ rate }) => ratio(rate, best) },
    { name: 'p99', unit: 'ms', of: ({ runs }) => p99Of(runs.flatMap((run) => run.latency_ms?.p99 ?? [])) },
    { name: 'CPU', unit: 'ratio', of: (value) => signalOf('cpu', value) },
    { name: 'memory', unit: 'bytes', of: (value) => signalOf('memory', value) },
    { name: 'waited', unit: 'ratio', of: (value) => ratio(late(value), risen('acquired', value)) },
    { name: 'hits', unit: 'ratio', of: (value) => ratio(risen('hits', value), lookUps(value)) },
    { name: 'queries', unit: 'count', of: (value) => ratio(risen('queries', value), risen('calls', value)) },
    { name: 'answer', unit: 'bytes', of: ({ runs }) => ratio(sumOf(runs, bytes), sumOf(runs, requests)) },
  ];
  const notes = [
    `${counted(repeats, 'run')} of ${duration(trialS)} per value, in rounds of random order, each on a new target with an empty cache. Calls: geometric mean of the runs. p99: median of the runs.`,
    ...(apart === null
      ? []
      : [
          `Values differ if one has at least ${number(apart)} x the calls of the other; a smaller factor may be chance (Tukey's range at 95 %, with the effect of the round removed).`,
        ]),
    'CPU: share of the whole machine. Waited: acquisitions of a connection that took more than 1 ms. Queries: database queries per call. Answer: bytes on the wire per call, with headers, to a client that accepts gzip.',
    ...notesOf(result),
  ];
  return {
    tables: [tableOf(`Sweep of ${setting}`, values, columns, notes)],
    findings: [note(setting, recommend(setting, values, sound, apart))],
  };
}

const requests = (run: Phase) => run.requests;

const rateOf = ({ achieved_rps: rate }: Phase) => rate ?? 0;

const sumOf = (runs: Phase[], figure: (run: Phase) => number | null) =>
  runs.reduce((sum, run) => sum + (figure(run) ?? 0), 0);

/**
 * @returns the smallest factor between two values that is significant and relevant; null = too few runs
 */
function apartOf(values: Value[]): number | null {
  const [first] = values;
  const rounds = (first?.runs ?? [])
    .map(({ labels }) => labels.round)
    .filter((round) => values.every(({ runs }) => runs.some(({ labels }) => labels.round === round)));
  const figures = values.map(({ runs }) =>
    runs.filter(({ labels }) => rounds.includes(labels.round)).map(rateOf),
  );
  const apart = values.length > 1 ? (compareInBlocks(figures)?.apart ?? null) : null;
  return apart === null ? null : Math.max(apart, RECOMMENDED.minFactor);
}

function notesOf({ setting, values, trialS, needed }: SweepResult) {
  const [other] = Object.entries(needed);
  if (other)
    return [
      `All runs use ${other.join('=')}: the database has no more connections for the highest ${setting}.`,
    ];
  const unseen = setting === 'CACHE_TTL' ? values.filter((value) => Number(value) > trialS) : [];
  if (unseen.length > 0)
    return [
      `Runs last only ${duration(trialS)}, so a ${setting} of ${unseen.join(' and ')} s has the same effect as no expiry; set a longer DURATION.`,
    ];
  if (setting === 'CONTENT')
    return ['MessagePack, Protobuf and CBOR, which the document compares, are not wire formats of MCP.'];
  return [];
}

/**
 * @param sound the values that can be recommended
 * @param apart the smallest significant factor between two values
 * @returns the recommended value and the reason, or why there is none
 */
function recommend(setting: string, values: Value[], sound: Value[], apart: number | null): string {
  const byRate = sound.toSorted((a, b) => b.rate - a.rate);
  const [fastest] = byRate;
  if (!fastest)
    return `no value can be recommended: with each, at least ${percent(RECOMMENDED.maxFailures)} of the calls failed`;
  const failing = values.filter((one) => !sound.includes(one)).map(({ value }) => value);
  const out = failing.length > 0 ? `; excluded for failures: ${failing.join(', ')}` : '';
  if (sound.length === 1) return `${setting}=${fastest.value} is the only value left${out}`;
  if (apart === null) {
    const times = sound.some(({ runs }) => runs.length < 2) ? 'once' : 'twice';
    return `the best value is inconclusive: each was measured only ${times}, so the spread between runs is unknown (RUNS=3)`;
  }
  const equal = byRate.filter(({ rate }) => fastest.rate < apart * rate);
  const next = byRate[equal.length];
  if (!next) {
    const range = number(fastest.rate / (byRate.at(-1) ?? fastest).rate);
    return `no significant difference between ${sound.map(({ value }) => value).join(', ')}: at most ${range} x, and up to ${number(apart)} x may be chance (raise RUNS)${out}`;
  }
  const numeric = sound.every(({ value }) => /^\d+$/.test(value));
  const taken = numeric ? least(fastest, equal, sound) : fastest;
  const others = equal.filter((one) => one !== taken && one !== fastest).map(({ value }) => value);
  const why =
    taken === fastest
      ? ''
      : `${perSecond(taken.rate)}, the smallest value without a significant difference to ${fastest.value}, the fastest with `;
  const same = others.length > 0 ? `; no significant difference to ${others.join(', ')}` : '';
  return (
    `${setting}=${taken.value} is recommended: ${why}${perSecond(fastest.rate)}, ` +
    `${number(fastest.rate / next.rate)} x ${next.value} with ${perSecond(next.rate)}${same}${out}`
  );
}

/**
 * @param equal values that do not differ significantly from the fastest
 * @returns for numbers, the smallest value that is as fast: the search goes down from the fastest value and
 *   ends at the first slower one
 */
function least(fastest: Value, equal: Value[], all: Value[]): Value {
  const below = all
    .filter(({ value }) => Number(value) < Number(fastest.value))
    .toSorted((a, b) => Number(b.value) - Number(a.value));
  const firstSlower = below.findIndex((one) => !equal.includes(one));
  return (firstSlower < 0 ? below : below.slice(0, firstSlower)).at(-1) ?? fastest;
}
