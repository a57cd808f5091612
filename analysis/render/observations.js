/** What findings were read from, in words. */
import { clock, duration, inUnit } from '../../contract/units.js';

/**
 * @typedef {import('../findings.js').Finding} Finding
 * @typedef {import('../findings.js').Observation} Observation
 * @typedef {import('../run.js').Run} Run
 */

/** @param {Finding[]} findings @returns {{number: number, finding: Finding}[]} those that are more than a note, as every report numbers them */
export function numbered(findings) {
  return findings
    .filter(({ kind }) => kind !== 'note')
    .map((finding, index) => ({ number: index + 1, finding }));
}

/** @param {string} series `client.p99`, or a signal's name @returns {string} */
export const seriesName = (series) => series.replace(/^client\./, '').replaceAll('_', ' ');

/**
 * @param {Observation} observation
 * @param {Run} run
 * @param {string | null} phase that the finding is about
 * @returns {string} for example: pool utilization 12 % -> 100 % (limit 100 %) at 01:34, 14 s into spike
 */
export function observationText({ series, unit, from, to, threshold, at }, run, phase) {
  if ([from, to, threshold, at].every((value) => value === null)) return `${seriesName(series)}: no figures`;
  const figures = from === null ? [inUnit(unit, to)] : [inUnit(unit, from), '->', inUnit(unit, to)];
  return [
    seriesName(series),
    ...figures,
    ...(threshold === null ? [] : [`(limit ${inUnit(unit, threshold)})`]),
    ...(at === null ? [] : [`at ${momentText(at, run, phase)}`]),
  ].join(' ');
}

/**
 * @param {string} at ISO time
 * @param {Pick<Run, 'started' | 'phases'>} run
 * @param {string | null} [inPhase] to say where the moment is in it
 * @returns {string} since the run's start, as the charts have it, for example 01:34, 14 s into spike
 */
export function momentText(at, { started, phases }, inPhase = null) {
  if (started === null) return timeOfDay(at);
  const ms = Date.parse(at);
  const since = clock((ms - Date.parse(started)) / 1000);
  const phase = phases.find(({ name }) => name === inPhase);
  const isWithin = phase?.start && phase.end && Date.parse(phase.start) <= ms && ms <= Date.parse(phase.end);
  if (!isWithin) return since;
  return `${since}, ${duration(Math.round((ms - Date.parse(phase.start ?? '')) / 1000))} into ${phase.name}`;
}

/** @param {string} at ISO time @returns {string} its time of day, UTC */
export const timeOfDay = (at) => new Date(at).toISOString().slice(11, 19);
