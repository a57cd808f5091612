import { counted, duration, milliseconds, number, percent } from '../../contract/units.js';
import type { Phase } from '../judge/phases.ts';
import { bandOrigin, bandText, HISTOGRAM_ERROR } from './band.ts';
import type { Finding, Known, Observation } from './findings.ts';
import type { Recovery } from './recovery.ts';

/** @returns one for each overload: when all was normal again after it */
export function recovery({ phases, recoveries }: Known): Finding[] {
  return recoveries.map((found) => {
    const { overload, band, observed_s, window_s, hold_s, recovery_s, confidence } = found;
    return {
      kind: 'recovery',
      subject: 'recovery',
      phase: overload,
      confidence,
      statement: statementOf(found),
      figures: {
        recovery_s,
        latency_recovery_s: found.latency_recovery_s,
        failures_recovery_s: found.failures_recovery_s,
        band_p99_ms: band?.p99_ms ?? null,
        band_failure_share: band?.failure_share ?? null,
        baseline_p99_ms: band?.baseline_p99_ms ?? null,
        baseline_failure_share: band?.baseline_failure_share ?? null,
        observed_s,
        hold_s,
        window_s,
        late_s: found.late_s,
      },
      evidence: evidenceOf(found),
      observations: observationsOf(found, phases.find(({ name }) => name === overload) ?? null),
    };
  });
}

function statementOf({ overload, band, recovery_s, observed_s, hold_s, reason }: Recovery) {
  if (!band || reason) return `not enough to tell when all was normal again after ${overload}: ${reason}`;
  if (recovery_s === null)
    return `did not recover within ${duration(observed_s)} after ${overload}: not back to ${bandText(band)}`;
  if (recovery_s === 0)
    return `all was normal right after ${overload}: ${bandText(band)}, for ${hold_s} s at least`;
  return `recovered ${number(recovery_s)} s after the end of ${overload}: ${bandText(band)} from then on, for ${hold_s} s at least`;
}

function evidenceOf({ band, window_s, late_s, last, reason, ...found }: Recovery): string[] {
  if (!band || reason) return band ? [bandOrigin(band)] : [];
  const when = (seconds: number | null) =>
    seconds === null ? 'was not' : seconds === 0 ? 'was so at once' : `was so after ${number(seconds)} s`;
  const parts = `p99 by itself ${when(found.latency_recovery_s)}, the share of failures ${when(found.failures_recovery_s)}`;
  const atEnd =
    found.recovery_s === null && last
      ? [
          `in the last ${window_s} s: ${counted(last.requests, 'request')}, p99 ${milliseconds(last.p99Ms)}, ${percent(last.failureShare)} failed`,
        ]
      : [];
  return [
    bandOrigin(band),
    parts,
    ...atEnd,
    `read from windows of ${window_s} s; with less than ${counted(found.least, 'request')}, half of what is due, one is not normal; ` +
      `their p99 may be read up to ${percent(HISTOGRAM_ERROR - 1, 1)} too high, which is allowed for; seen up to ${number(late_s)} s late`,
  ];
}

function observationsOf(
  { band, ended_s, latency_recovery_s, failures_recovery_s, reason }: Recovery,
  overload: Phase | null,
): Observation[] {
  if (!band || reason) return [];
  const at = (seconds: number | null) =>
    seconds === null ? null : new Date((ended_s + seconds) * 1000).toISOString();
  return [
    {
      series: 'client.p99',
      unit: 'milliseconds',
      from: band.baseline_p99_ms,
      to: overload?.latency_ms?.p99 ?? null,
      threshold: band.p99_ms,
      at: at(latency_recovery_s),
    },
    {
      series: 'client.failed',
      unit: 'ratio',
      from: band.baseline_failure_share,
      to: overload?.error_rate ?? null,
      threshold: band.failure_share,
      at: at(failures_recovery_s),
    },
  ];
}
