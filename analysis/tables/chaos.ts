/** `make chaos`: what each fault did, and how soon the server was as before; in the form of the document's table. */
import { counted, number, percent } from '../../contract/units.js';
import { type Line, Within } from '../collect/seconds.ts';
import type { TrialEvent } from '../collect/trials.ts';
import {
  type Counts,
  type Effect,
  FAILED_SHARE,
  faultEffect,
  HOLD_MS,
  type Load,
  MIN_SHARE,
  SLOW_FACTOR,
  SLOW_MS,
  SLOW_SHARE,
  type Times,
} from '../findings/fault-effect.ts';
import { judged } from '../judge/judged.ts';
import type { Phase } from '../judge/phases.ts';
import type { Threshold } from '../judge/threshold.ts';
import { wordsOf } from '../judge/threshold-words.ts';
import type { Built, Column, Facts, ReportTable } from './report-tables.ts';
import type { ChaosResult, ChaosRow } from './trial-results.ts';

/** A fault, and what the load saw of it. */
interface Seen {
  row: ChaosRow;
  /** The fault's. */
  phase: string;
  /** null: it was not made. */
  effect: Effect | null;
  /** Iterations that were not made under fault. */
  dropped: number | null;
  thresholds: Threshold[];
}

export default function chaos({ phases, trials, seconds }: Facts): Built {
  const result = trials?.result as ChaosResult | null | undefined;
  if (!result) return { tables: [] };
  const seen: Seen[] = [];
  for (const row of result.faults) {
    const events = trials?.trials.find(({ name }) => name === row.name)?.events ?? [];
    const own = phases.filter(({ labels }) => labels.fault === row.name);
    const times = row.why_not ? null : timesOf(own, events);
    const fault = own.find(({ labels }) => labels.part === 'fault');
    const load = loadOf(seconds.get(row.name) ?? [], fault?.name ?? '');
    const effect = times && faultEffect(load, times);
    const thresholds = effect ? judge(row, effect, fault?.name ?? row.name, result.recovery_s) : [];
    seen.push({ row, phase: fault?.name ?? row.name, effect, dropped: fault?.dropped ?? null, thresholds });
  }
  return {
    tables: [faultTable(seen, result.recovery_s), latencyTable(seen)],
    thresholds: seen.flatMap(({ thresholds }) => thresholds),
  };
}

/** @param phases of the load around one fault @returns null: the fault was not made, or the load did not come so far */
function timesOf(phases: Phase[], events: TrialEvent[]): Times | null {
  const at = (kind: string) => events.find((event) => event.kind === kind)?.time_ms;
  const [injectedMs, liftedMs] = [at('inject'), at('lifted')];
  const [fromMs = Number.NaN, untilMs = Number.NaN] = [
    Date.parse(phases.find(({ labels }) => labels.part === 'baseline')?.start ?? ''),
    Date.parse(phases.find(({ labels }) => labels.part === 'after')?.end ?? ''),
  ];
  if (!injectedMs || !liftedMs || Number.isNaN(fromMs + untilMs)) return null;
  return { fromMs, injectedMs, liftedMs, untilMs };
}

/** @param phase of the requests that were made under fault */
function loadOf(lines: readonly Line[], phase: string): Load {
  const bySecond: Map<number, Within> = new Map();
  const underFault = new Within();
  for (const { second, groups } of lines) {
    const groupOf = (number: string) => groups.get(number);
    underFault.add(second, groupOf, [phase]);
    const own = bySecond.get(second.at) ?? new Within();
    own.add(second, groupOf);
    bySecond.set(second.at, own);
  }
  const [first, last] = [Math.min(...bySecond.keys()), Math.max(...bySecond.keys())];
  // One that nobody wrote down is one in which nothing began.
  const seconds = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => ({
    atMs: (first + index) * 1000,
    ...countsOf(bySecond.get(first + index) ?? new Within()),
  }));
  return { seconds, underFault: countsOf(underFault) };
}

const countsOf = ({ requests, failed, rejected, latencies }: Within): Counts => ({
  ...{ requests, failures: failed, refusals: rejected },
  durations: [latencies.all.text],
});

function judge(
  { title, least_success, most_refused }: ChaosRow,
  effect: Effect,
  phase: string,
  limitS: number,
): Threshold[] {
  const { fault, after, state, recovery_s, watched_s, back } = effect;
  const bound = (
    metric: string,
    op: '>=' | '<=' | '<',
    limit: number | null,
    observed: number | null,
    samples: number,
  ) => {
    const { name, format } = wordsOf(metric);
    const what = `${title}: ${name}`;
    return limit === null
      ? []
      : [judged({ scope: { phase }, metric, op, limit, observed, samples, what, format })];
  };
  const soughtS = watched_s - HOLD_MS / 1000;
  // Not seen in the time that was watched is too late where that was the whole of the bound; else nobody knows.
  const late = state === 'not_recovered' && soughtS >= limitS;
  const observed = late ? soughtS : state === 'unaffected' ? 0 : recovery_s;
  const reasonOf = (usual: string | null) => {
    if (late) return `${title}: did not recover within ${seconds(soughtS)}, objective < ${seconds(limitS)}`;
    return observed === null
      ? `${title}: the time to recover can't be told: ${unknown(effect, soughtS)}`
      : usual;
  };
  return [
    ...bound('success_share', '>=', least_success, fault.success_share, fault.requests),
    ...bound(
      'refused_share',
      '<=',
      most_refused,
      fault.requests === 0 ? null : fault.refusals / fault.requests,
      fault.requests,
    ),
    ...bound('recovery_s', '<', limitS, observed, after.requests).map((threshold) => ({
      ...threshold,
      reason: reasonOf(threshold.reason),
    })),
    ...bound('back_to_baseline', '>=', back === null ? null : 1, Number(back), after.requests),
  ];
}

function unknown({ band, baseline }: Effect, soughtS: number) {
  if (!band) return `the baseline has ${counted(baseline.requests, 'request')}, ${baseline.failures} failed`;
  return `only ${seconds(Math.max(0, soughtS))} were watched that a hold of ${HOLD_MS / 1000} s could follow`;
}

function faultTable(seen: Seen[], limitS: number): ReportTable {
  const columns = [
    { name: 'scenario', unit: 'text' },
    { name: 'intensity', unit: 'text' },
    { name: 'failures', unit: 'count' },
    { name: 'recovery', unit: 'text' },
    { name: 'refusals', unit: 'count' },
    { name: 'success', unit: 'ratio' },
    { name: 'status', unit: 'text' },
  ] as Column[];
  const rows = seen.map(({ row, effect, thresholds }) => {
    if (!effect) return [row.title, row.intensity, null, null, null, null, 'not made'];
    const { fault } = effect;
    return [
      row.title,
      intensityOf(row),
      effect.failures,
      recoveryText(effect),
      effect.refusals,
      fault.success_share,
      statusOf(thresholds),
    ];
  });
  const missing = seen.filter(({ effect }) => !effect);
  return {
    title: 'Faults in the middle of a steady load',
    columns,
    rows,
    notes: [
      `Recovery: from the lifting until, for ${HOLD_MS / 1000} s, every second is in the band of its own ` +
        `baseline: failures and slow answers no more than in the worst second there (or ${percent(FAILED_SHARE)} and ` +
        `${percent(SLOW_SHARE)}), slow being over ${SLOW_FACTOR} times its p99 and over it by ${SLOW_MS} ms or more, and at ` +
        `least ${percent(MIN_SHARE)} of its requests. N/A: it never left the band. It may have been a second earlier: load is looked at a second at a time. Bound: < ${seconds(limitS)}.`,
      'Failures and refusals are counted from the making of the fault to the end of the load; a refusal is a connection that was not made, a 429 or a 503. Success is that of the requests that were made under fault, whenever they ended.',
      ...missing.map(
        ({ row }) => `${row.title} (${row.name}) was not made: ${row.why_not ?? 'the load ended before'}.`,
      ),
    ],
  };
}

/** @param row what was meant, and in brackets what came of it */
function intensityOf({ intensity, did }: ChaosRow) {
  const { heap_peak_share: peak, kills } = did;
  if (typeof peak === 'number') return `${intensity} (${percent(peak)})`;
  return typeof kills === 'number' ? `${intensity} (${number(kills)})` : intensity;
}

function recoveryText({ state, recovery_s, watched_s }: Effect) {
  if (state === 'unaffected') return 'N/A';
  if (state === 'not_enough_to_tell') return 'not enough to tell';
  if (recovery_s !== null) return seconds(recovery_s);
  return `not within ${seconds(watched_s - HOLD_MS / 1000)}`;
}

function statusOf(thresholds: Threshold[]) {
  const missed = thresholds.filter(({ outcome }) => outcome === 'fail');
  if (missed.length > 0) return `fail: ${missed.map(({ metric }) => wordsOf(metric).name).join(', ')}`;
  return thresholds.some(({ outcome }) => outcome === 'invalid') ? 'not enough to tell' : 'pass';
}

function latencyTable(seen: Seen[]): ReportTable {
  const columns = [
    { name: 'scenario', unit: 'text' },
    { name: 'requests', unit: 'count' },
    { name: 'not sent', unit: 'count' },
    { name: 'before: p95', unit: 'ms' },
    { name: 'under it: p50', unit: 'ms' },
    { name: 'p95', unit: 'ms' },
    { name: 'p99', unit: 'ms' },
    { name: 'after: p95', unit: 'ms' },
    { name: 'slow', unit: 'ms' },
    { name: 'as before', unit: 'text' },
  ] as Column[];
  const rows = seen.flatMap(({ row, effect, dropped }) => {
    if (!effect) return [];
    const { baseline, fault, after, band } = effect;
    return [
      [
        row.title,
        fault.requests,
        dropped,
        baseline.latency.p95_ms,
        fault.latency.p50_ms,
        fault.latency.p95_ms,
        fault.latency.p99_ms,
        after.latency.p95_ms,
        band?.slow_ms ?? null,
        effect.back === null ? '?' : effect.back ? 'yes' : 'no',
      ],
    ];
  });
  return {
    title: 'Latency under fault',
    columns,
    rows,
    notes: [
      'Latency of all calls, by when they began; one without an answer counts with what it waited. Not sent: due under fault, while every user still waited for an answer. Slow: over this.',
      `As before: from the recovery to the end of the load success, p95 and rate are the baseline's (less than ${percent(FAILED_SHARE)} more failures, p95 not slow, ${percent(MIN_SHARE)} of the rate); ?: not enough to tell.`,
    ],
  };
}

const seconds = (value: number) => `${number(value)} s`;
