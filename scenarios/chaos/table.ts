/** `make chaos`: the effect of each fault and the time to recover, in the format of the document's table. */

import { inScope, total } from '../../analysis/collect/groups.ts';
import { bucketsOf } from '../../analysis/episode.ts';
import { type Effect, faultEffect, type Parts, partsOf } from '../../analysis/findings/fault-effect.ts';
import { judged } from '../../analysis/judge/judged.ts';
import type { Phase } from '../../analysis/judge/phases.ts';
import type { Threshold } from '../../analysis/judge/threshold.ts';
import { wordsOf } from '../../analysis/judge/threshold-words.ts';
import { RECOVERY } from '../../analysis/limits.ts';
import { round } from '../../analysis/round.ts';
import { type Built, type Facts, type ReportTable, tableOf } from '../../analysis/tables/report-tables.ts';
import { duration, number, percent } from '../../contract/units.js';
import type { ChaosResult, ChaosRow } from './trials.ts';

/**
 * A fault and its effect on the load. Only `row` is set if it was not injected, or if the load ended before
 * its removal.
 */
interface Seen {
  row: ChaosRow;
  effect: Effect | null;
  /** From the injection to the end of the load. */
  failures: number | null;
  /** From the injection to the end of the load. */
  refusals: number | null;
  /** Success rate of the requests that began during the fault; null = there were none. */
  success: number | null;
  thresholds: Threshold[];
}

const NOTHING = { effect: null, failures: null, refusals: null, success: null, thresholds: [] };

export default function chaos({ phases, trials, seconds, groups }: Facts<ChaosResult>): Built {
  const result = trials?.result;
  if (!result) return { tables: [] };
  const seen = result.faults.map((row): Seen => {
    const parts = partsOf(phases.filter(({ labels }) => labels.fault === row.name));
    const events = trials?.trials.find(({ name }) => name === row.name)?.events ?? [];
    const removed = events.find(({ kind }) => kind === 'removed');
    if (row.why_not || !parts || !removed) return { row, ...NOTHING };
    const buckets = bucketsOf(seconds.get(row.name) ?? [], Object.values(parts));
    const effect = faultEffect(parts, removed.time_ms / 1000, buckets);
    if (!effect) return { row, ...NOTHING };
    const refusedIn = ({ name }: Phase) => total(inScope(groups, { phase: name }), 'rejected');
    const { fault, after } = parts;
    return {
      row,
      effect,
      failures: (fault.failed ?? 0) + (after.failed ?? 0),
      refusals: refusedIn(fault) + refusedIn(after),
      success: fault.failure_rate === null ? null : 1 - fault.failure_rate,
      thresholds: judge(row, effect, parts, refusedIn(fault), result.recovery_s),
    };
  });
  return {
    tables: [faultTable(seen, result.recovery_s)],
    thresholds: seen.flatMap(({ thresholds }) => thresholds),
  };
}

/** @param refused share of the requests during the fault @param limitS limit of the recovery time, seconds */
function judge(
  { title, least_success, most_refused }: ChaosRow,
  { affected, recovery_s, back, observed_s, reason }: Effect,
  { fault, after }: Parts,
  refused: number,
  limitS: number,
): Threshold[] {
  const requests = fault.requests ?? 0;
  const bound = (
    metric: string,
    op: '>=' | '<=' | '<',
    limit: number | null,
    observed: number | null,
    samples = requests,
  ) => {
    const { name, format } = wordsOf(metric);
    const threshold = { scope: { phase: fault.name }, metric, op, observed, samples, format };
    return limit === null ? [] : [judged({ ...threshold, limit, what: `${title}: ${name}` })];
  };
  const soughtS = soughtFor(observed_s);
  // Without a recovery, the objective is missed only if the time limit was observed in full. Otherwise the
  // result is unknown.
  const late = affected !== null && recovery_s === null && soughtS >= limitS;
  const recovered = late ? soughtS : recovery_s;
  const reasonOf = (usual: string | null) => {
    if (late) return `${title}: did not recover within ${duration(soughtS)}, objective < ${duration(limitS)}`;
    if (recovered !== null) return usual;
    const why = reason ?? `only ${duration(soughtS)} were observed before the last ${RECOVERY.minNormalS} s`;
    return `${title}: the time to recover is inconclusive: ${why}`;
  };
  return [
    ...bound('success_share', '>=', least_success, requests === 0 ? null : 1 - (fault.failure_rate ?? 0)),
    ...bound('refused_share', '<=', most_refused, requests === 0 ? null : refused / requests),
    ...bound('recovery_s', '<', limitS, recovered, after.requests ?? 0).map((threshold) => ({
      ...threshold,
      reason: reasonOf(threshold.reason),
    })),
    ...bound('back_to_baseline', '>=', back === null ? null : 1, Number(back), after.requests ?? 0),
  ];
}

/** @returns the time in which a recovery could be recognized as lasting, seconds */
const soughtFor = (observedS: number) => Math.max(0, round(observedS - RECOVERY.minNormalS, 1));

function faultTable(seen: Seen[], limitS: number): ReportTable {
  return tableOf(
    'Faults under a steady load',
    seen,
    [
      { name: 'scenario', unit: 'text', of: ({ row }) => row.title },
      { name: 'intensity', unit: 'text', of: intensityOf },
      { name: 'failures', unit: 'count', of: ({ failures }) => failures },
      { name: 'recovery', unit: 'text', of: ({ effect }) => effect && recoveryText(effect) },
      { name: 'normal p99', unit: 'ms', of: ({ effect }) => effect?.range?.p99_ms ?? null },
      { name: 'refusals', unit: 'count', of: ({ refusals }) => refusals },
      { name: 'success', unit: 'ratio', of: ({ success }) => success },
      { name: 'status', unit: 'text', of: statusOf },
    ],
    [
      `Recovery: time from the removal of the fault until p99 and failures are back in the normal range of the fault's own baseline. N/A: they never left it. Objective: < ${duration(limitS)}.`,
      'Failures and refusals are counted from the injection to the end of the load. A refusal is a failed connection, a 429 or a 503. Success covers the requests that began during the fault. For latency during the fault, see the phases.',
      ...seen.flatMap(({ row: { title, name, why_not }, effect }) =>
        effect ? [] : [`${title} (${name}) was not injected: ${why_not ?? 'the load ended before'}.`],
      ),
    ],
  );
}

/** @returns the intended intensity, with the measured one in brackets */
function intensityOf({ row: { intensity, did }, effect }: Seen) {
  if (!effect) return intensity;
  const { heap_peak_share: peak, kills } = did;
  if (typeof peak === 'number') return `${intensity} (${percent(peak)})`;
  return typeof kills === 'number' ? `${intensity} (${number(kills)})` : intensity;
}

function recoveryText({ affected, recovery_s, observed_s }: Effect) {
  if (affected === null) return 'inconclusive';
  if (!affected) return 'N/A';
  return recovery_s === null ? `not within ${duration(soughtFor(observed_s))}` : duration(recovery_s);
}

function statusOf({ effect, thresholds }: Seen) {
  if (!effect) return 'not injected';
  const missed = thresholds.filter(({ outcome }) => outcome === 'fail');
  if (missed.length > 0) return `fail: ${missed.map(({ metric }) => wordsOf(metric).name).join(', ')}`;
  return thresholds.some(({ outcome }) => outcome === 'invalid') ? 'inconclusive' : 'pass';
}
