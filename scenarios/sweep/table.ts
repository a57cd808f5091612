/** `make sweep`: what each value of a setting comes to, and which one to take. */

import { inScope, total } from '../../analysis/collect/groups.ts';
import { increaseIn } from '../../analysis/collect/increases.ts';
import { signalMean } from '../../analysis/collect/signals.ts';
import { note } from '../../analysis/findings/note.ts';
import type { Phase } from '../../analysis/judge/phases.ts';
import { round } from '../../analysis/round.ts';
import { compareInBlocks } from '../../analysis/statistics/block-design.ts';
import { meanOf, medianOf } from '../../analysis/statistics/interval.ts';
import {
  type Built,
  type Column,
  type Facts,
  type TableModule,
  tableOf,
} from '../../analysis/tables/report-tables.ts';
import { counted, duration, number, percent, perSecond } from '../../contract/units.js';
import type { SweepResult } from './trials.ts';

/** A value with more failures is none to take. */
const MAX_FAILURE_SHARE = 0.01;
/** A difference of less is none that anybody would change a server for. */
const LEAST_DIFFERENCE = 1.02;

interface Value {
  value: string;
  runs: Phase[];
  /** Calls a second, the geometric mean of its runs. */
  rate: number;
  /** Share. */
  failed: number;
}

/** Counters of the target, in the order in which a row has them. */
const COUNTERS = [
  'request_duration_seconds_count{job="target",method="tools/call"}',
  'database_query_duration_seconds_count{job="target",query_type!="transaction"}',
  'cache_hits_total{job="target"}',
  'cache_misses_total{job="target"}',
  'pool_acquire_duration_seconds_count{job="target"}',
  'pool_acquire_duration_seconds_bucket{job="target",le="0.001"}',
];

export const countersOf: TableModule['countersOf'] = ({ phases }) =>
  phases.flatMap((phase) => COUNTERS.map((selector) => ({ selector, phase })));

export default function sweep({ trials, phases, signals, groups, increases }: Facts<SweepResult>): Built {
  const result = trials?.result;
  if (!result) return { tables: [] };
  const { setting, repeats, trialS } = result;
  const values = result.values.flatMap((value) => {
    const runs = phases.filter(
      (phase) => phase.measured && phase.labels[setting] === value && phase.achieved_rps,
    );
    const { means: [rate] = [] } = compareInBlocks([runs.map(rateOf)]) ?? {};
    return rate ? [{ value, runs, rate: round(rate), failed: shareOf(runs, 'failed', 'requests') }] : [];
  });
  const sound = values.filter(({ failed }) => failed < MAX_FAILURE_SHARE);
  const apart = apartOf(sound);
  const best = Math.max(...sound.map(({ rate }) => rate));
  const columns: Column<ReturnType<typeof figuresOf>>[] = [
    { name: setting, unit: 'text', of: ({ value }) => value },
    { name: 'calls', unit: 'per_s', of: ({ rate }) => rate },
    { name: 'of best', unit: 'ratio', of: ({ rate }) => share(rate, best) },
    { name: 'p99', unit: 'ms', of: ({ p99s }) => (p99s.length > 0 ? medianOf(p99s) : null) },
    { name: 'CPU', unit: 'ratio', of: ({ signalOf }) => signalOf('cpu') },
    { name: 'memory', unit: 'bytes', of: ({ signalOf }) => signalOf('memory') },
    {
      name: 'waited',
      unit: 'ratio',
      of: ({ acquired, atOnce }) => (atOnce == null ? null : share((acquired ?? 0) - atOnce, acquired)),
    },
    { name: 'hits', unit: 'ratio', of: ({ hits, misses }) => share(hits, (hits ?? 0) + (misses ?? 0)) },
    { name: 'queries', unit: 'count', of: ({ queries, calls }) => share(queries, calls) },
    { name: 'answer', unit: 'bytes', of: ({ bytes, requests }) => share(bytes, requests) },
  ];
  const notes = [
    `${counted(repeats, 'run')} of ${duration(trialS)} each, in rounds of random order, each on a target just started with an empty cache; calls: their geometric mean; p99: the median of theirs.`,
    ...(apart === null
      ? []
      : [
          `Values are told apart where one does ${number(apart)} x the other or more; less may be chance (Tukey's range at 95 %, with what a round has in common taken out).`,
        ]),
    'CPU is of the whole machine; waited: acquisitions of a connection that took more than 1 ms; queries: of the database for each call; answer: bytes on the wire for each call, headers included, to a client that accepts gzip.',
    ...notesOf(result),
  ];
  const rows = values.map((value) => figuresOf(value, { signals, groups, increases }));
  return {
    tables: [tableOf(`Sweep of ${setting}`, rows, columns, notes)],
    findings: [note(setting, recommend(setting, values, sound, apart))],
  };
}

const rateOf = ({ achieved_rps: rate }: Phase) => rate ?? 0;

/**
 * @returns the least factor between two of them that is more than chance, and that matters; null: they were not measured often enough to
 *   tell
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
  return apart === null ? null : Math.max(apart, LEAST_DIFFERENCE);
}

/** A value, and what was counted in its runs. */
function figuresOf(
  { value, runs, rate }: Value,
  { signals, groups, increases }: Pick<Facts, 'signals' | 'groups' | 'increases'>,
) {
  /** Runs of one length: the mean of their means. */
  const signalOf = (wanted: string) => {
    const means = runs.flatMap(({ name }) => signalMean(signals, wanted, name) ?? []);
    return means.length > 0 ? meanOf(means) : null;
  };
  const risen = (selector: string) => {
    const parts = runs.map((run) => increaseIn(increases, selector, run));
    return parts.reduce((sum, part) => (sum === null || part === null ? null : sum + part), 0);
  };
  const [calls, queries, hits, misses, acquired, atOnce] = COUNTERS.map(risen);
  return {
    ...{ value, rate, signalOf, calls, queries, hits, misses, acquired, atOnce },
    p99s: runs.flatMap(({ latency_ms: latency }) => latency?.p99 ?? []),
    bytes: runs.reduce((sum, { name }) => sum + total(inScope(groups, { phase: name }), 'bytesReceived'), 0),
    requests: runs.reduce((sum, run) => sum + (run.requests ?? 0), 0),
  };
}

const share = (part: number | null | undefined, whole: number | null | undefined) =>
  part == null || !whole ? null : part / whole;

function shareOf(runs: Phase[], part: 'failed', whole: 'requests') {
  const sum = (name: 'failed' | 'requests') => runs.reduce((total, run) => total + (run[name] ?? 0), 0);
  return sum(part) / Math.max(1, sum(whole));
}

function notesOf({ setting, values, trialS, needed }: SweepResult) {
  const [other] = Object.entries(needed);
  if (other)
    return [
      `${other.join('=')} in all of them: the database has no more connections for the most ${setting}.`,
    ];
  if (setting === 'CACHE_TTL') {
    const unseen = values.filter((value) => Number(value) > trialS);
    return unseen.length === 0
      ? []
      : [
          `Nothing lives for longer than a run of ${duration(trialS)}, so ${unseen.join(' and ')} s can't be told from never; longer runs: DURATION.`,
        ];
  }
  if (setting === 'CONTENT')
    return ["MessagePack, Protobuf and CBOR, which the document compares, are no part of MCP's wire."];
  return [];
}

/**
 * @param sound those that can be taken
 * @param apart the least factor between two of them that is more than chance
 * @returns the value to take and why, or why none can be named
 */
function recommend(setting: string, values: Value[], sound: Value[], apart: number | null): string {
  const byRate = sound.toSorted((a, b) => b.rate - a.rate);
  const [fastest] = byRate;
  if (!fastest)
    return `no value can be recommended: in each at least ${percent(MAX_FAILURE_SHARE)} of the calls failed`;
  const failing = values.filter((one) => !sound.includes(one));
  const out =
    failing.length > 0
      ? `; out of the question, with failures: ${failing.map(({ value }) => value).join(', ')}`
      : '';
  if (sound.length === 1) return `${setting}=${fastest.value} is all that is left${out}`;
  if (apart === null) {
    const times = sound.some(({ runs }) => runs.length < 2) ? 'once' : 'twice';
    return `not enough to tell which value is best: measured ${times} each, and how far the next run may be from it is not known (RUNS=3)`;
  }
  const equal = byRate.filter(({ rate }) => fastest.rate < apart * rate);
  const next = byRate[equal.length];
  if (!next) {
    const range = number(fastest.rate / (byRate.at(-1) ?? fastest).rate);
    return `no difference that can be told between ${sound.map(({ value }) => value).join(', ')}: ${range} x at most, and up to ${number(apart)} x may be chance (more RUNS tell more)${out}`;
  }
  const numeric = sound.every(({ value }) => /^\d+$/.test(value));
  const taken = numeric ? least(fastest, equal, sound) : fastest;
  const others = equal.filter((one) => one !== taken && one !== fastest).map(({ value }) => value);
  const why =
    taken === fastest
      ? ''
      : `${perSecond(taken.rate)}, the least that can't be told from ${fastest.value}, the fastest; that has `;
  return (
    `${setting}=${taken.value} is recommended: ${why}${perSecond(fastest.rate)}, ${number(fastest.rate / next.rate)} x ` +
    `${next.value} with ${perSecond(next.rate)}` +
    `${others.length > 0 ? `; ${others.join(', ')} can't be told from it` : ''}${out}`
  );
}

/**
 * @param equal to it, as far as can be told
 * @returns of numbers the least that does the same: down from the fastest to the first that does less
 */
function least(fastest: Value, equal: Value[], all: Value[]): Value {
  const below = all
    .filter(({ value }) => Number(value) < Number(fastest.value))
    .toSorted((a, b) => Number(b.value) - Number(a.value));
  const firstSlower = below.findIndex((one) => !equal.includes(one));
  return (firstSlower < 0 ? below : below.slice(0, firstSlower)).at(-1) ?? fastest;
}
