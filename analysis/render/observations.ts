/** Describes the measurements that findings are based on. */
import { clock, duration, inUnit } from '../../contract/units.js';
import type { Finding, Observation } from '../findings/finding.ts';
import type { Run } from '../judge/run.ts';

/** @returns findings other than notes, with the number that every report uses */
export function numbered(findings: Finding[]): { number: number; finding: Finding }[] {
  return findings
    .filter(({ kind }) => kind !== 'note')
    .map((finding, index) => ({ number: index + 1, finding }));
}

/** @param series `client.p99`, or a signal's name */
export const seriesName = (series: string): string => series.replace(/^client\./, '').replaceAll('_', ' ');

/**
 * @param phase phase of the finding
 * @returns for example: pool utilization 12 % -> 100 % (limit 100 %) at 01:34, 14 s into spike
 */
export function observationText(
  { series, unit, from, to, threshold, at }: Observation,
  run: Run,
  phase: string | null,
): string {
  if ([from, to, threshold, at].every((value) => value === null)) return `${seriesName(series)}: no data`;
  const figures = from === null ? [inUnit(unit, to)] : [inUnit(unit, from), '->', inUnit(unit, to)];
  return [
    seriesName(series),
    ...figures,
    ...(threshold === null ? [] : [`(limit ${inUnit(unit, threshold)})`]),
    ...(at === null ? [] : [`at ${momentText(at, run, phase)}`]),
  ].join(' ');
}

/**
 * @param at ISO 8601 time
 * @param inPhase phase to relate the time to
 * @returns the time since the start of the run, as in the charts, for example 01:34, 14 s into spike
 */
export function momentText(
  at: string,
  { started, phases }: Pick<Run, 'started' | 'phases'>,
  inPhase: string | null = null,
): string {
  if (started === null) return timeOfDay(at);
  const ms = Date.parse(at);
  const since = clock((ms - Date.parse(started)) / 1000);
  const phase = phases.find(({ name }) => name === inPhase);
  const isWithin = phase?.start && phase.end && Date.parse(phase.start) <= ms && ms <= Date.parse(phase.end);
  if (!isWithin) return since;
  return `${since}, ${duration(Math.round((ms - Date.parse(phase.start ?? '')) / 1000))} into ${phase.name}`;
}

/** @param at ISO 8601 time @returns the time of day in UTC */
export const timeOfDay = (at: string): string => new Date(at).toISOString().slice(11, 19);
