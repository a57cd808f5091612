import { counted, duration, number } from '../../contract/units.js';
import type { Phase } from '../judge/phases.ts';
import { rangeOrigin, rangeText } from '../normal.ts';
import type { Finding, Observation } from './finding.ts';
import type { Known } from './known.ts';
import type { Recovery } from './recovery.ts';

/** @returns a finding for each overload: the time until everything was normal again */
export function recovery({ phases, recoveries }: Known): Finding[] {
  return recoveries.map((found) => {
    const { overload, range, recovery_s } = found;
    return {
      kind: 'recovery',
      subject: 'recovery',
      phase: overload,
      confidence: found.confidence,
      statement: statementOf(found),
      figures: {
        recovery_s,
        latency_recovery_s: found.latency_recovery_s,
        failures_recovery_s: found.failures_recovery_s,
        normal_for_s: recovery_s === null ? null : found.normal_for_s,
        observed_s: found.observed_s,
        normal_p99_ms: range?.p99_ms ?? null,
        normal_failure_rate: range?.failure_rate ?? null,
        baseline_p99_ms: range?.baseline_p99_ms ?? null,
        baseline_failure_rate: range?.baseline_failure_rate ?? null,
      },
      evidence: evidenceOf(found),
      observations: observationsOf(found, phases.find(({ name }) => name === overload) ?? null),
    };
  });
}

function statementOf({ overload, range, recovery_s, observed_s, normal_for_s, reason }: Recovery) {
  if (!range || reason) return `the recovery time after ${overload} is inconclusive: ${reason}`;
  if (recovery_s === null)
    return `did not recover within ${duration(observed_s)} after ${overload}: not back to ${rangeText(range)}`;
  const seen = `${rangeText(range)}, observed for ${duration(normal_for_s)}`;
  if (recovery_s === 0) return `recovered immediately after ${overload}: ${seen}`;
  return `recovered ${duration(recovery_s)} after ${overload}: ${seen}`;
}

function evidenceOf({ range, reason, calls, ...found }: Recovery): string[] {
  if (!range || reason) return range ? [rangeOrigin(range)] : [];
  const when = (seconds: number | null) =>
    seconds === null ? 'not at all' : seconds === 0 ? 'immediately' : `after ${number(seconds)} s`;
  const parts = `p99 recovered ${when(found.latency_recovery_s)}, failures ${when(found.failures_recovery_s)}`;
  const since = found.recovery_s === null ? [] : [`${counted(calls, 'call')} since then; precision: 1 s`];
  return [rangeOrigin(range), parts, ...since];
}

function observationsOf(
  { range, ended_s, latency_recovery_s, failures_recovery_s, reason }: Recovery,
  overload: Phase | null,
): Observation[] {
  if (!range || reason) return [];
  const at = (seconds: number | null) =>
    seconds === null ? null : new Date((ended_s + seconds) * 1000).toISOString();
  return [
    {
      series: 'client.p99',
      unit: 'milliseconds',
      from: range.baseline_p99_ms,
      to: overload?.latency_ms?.p99 ?? null,
      threshold: range.p99_ms,
      at: at(latency_recovery_s),
    },
    {
      series: 'client.failed',
      unit: 'ratio',
      from: range.baseline_failure_rate,
      to: overload?.failure_rate ?? null,
      threshold: range.failure_rate,
      at: at(failures_recovery_s),
    },
  ];
}
