/**
 * Where nothing was full: what was nearest to its limit, by the utilisation law. A resource that is busy for the share U of the time while X
 * calls a second are answered has the demand D = U / X, and would be full at 1 / D = X / U.
 *
 * P. J. Denning, J. P. Buzen, The Operational Analysis of Queueing Network Models, ACM Computing Surveys 10, 1978.
 */
import { percent, perSecond } from '../../contract/units.js';
import { UTILIZATION } from '../utilization.ts';
import type { Case } from './bottleneck.ts';
import { fullestIn } from './windows.ts';

interface Near {
  series: string;
  /** 0 to 1. */
  utilization: number;
  /** Answers a second at which it would be full; null: their rate is not known. */
  fullAtPerS: number | null;
}

/** A share of all of something, of which more than one may be in use by the server alone. */
const LIMITED = [
  'host_cpu',
  'busiest_process',
  'generator_allowed',
  'disk_busy',
  // The server's share of the machine: it may be full because of others.
  ...UTILIZATION.filter((name) => name !== 'cpu'),
];
const LISTED = 3;
/** Far from any limit. */
const MIN_UTILIZATION = 0.1;

/** @returns the fullest first */
export function nearestOf({ reader, breakage: { broken }, capacity }: Case): Near[] {
  const rate = capacity?.answers_per_s.value;
  return LIMITED.flatMap((series) => {
    const level = fullestIn(reader.series(series), broken);
    // A process of several threads has no limit at one core.
    if (level === null || level < MIN_UTILIZATION || level > 1) return [];
    return [{ series, utilization: level, fullAtPerS: rate ? rate / level : null }];
  })
    .toSorted((a, b) => b.utilization - a.utilization)
    .slice(0, LISTED);
}

/** @returns for a sentence */
export function nearText({ series, utilization, fullAtPerS }: Near): string {
  const until = fullAtPerS === null ? '' : `, enough for ${perSecond(fullAtPerS)}`;
  return `${series.replaceAll('_', ' ')} ${percent(utilization)}${until}`;
}
