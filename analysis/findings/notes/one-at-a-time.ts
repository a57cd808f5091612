import { counted, milliseconds, number, perSecond } from '../../../contract/units.js';
import type { Turns } from '../../collect/processes.ts';
import { CAPACITY, PROCESSES } from '../../limits.ts';
import { round } from '../../round.ts';
import type { Finding } from '../finding.ts';
import type { Known } from '../known.ts';
import { note } from '../note.ts';
import { remedy } from '../remedy.ts';

/**
 * Reports a server process that answers overlapping calls one after the other; none if it works on several,
 * or if unknown
 */
export function oneAtATime({ processes = [] }: Known): Finding[] {
  // Calls that never wait, such as tools/list, do not involve the worker.
  const all = processes.flatMap(({ turns = {} }) => Object.values(turns)).filter(({ behind }) => behind > 0);
  const waited = sumOf(all, ({ behind }) => behind);
  const overtook = sumOf(all, (one) => one.overtook);
  if (waited < PROCESSES.minBehind || overtook > PROCESSES.maxOvertook * (waited + overtook)) return [];
  const gapMs = sumOf(all, (one) => one.gapMs) / waited;
  const serial = asLongAsAlone(all) ?? inTurnThoughUnequal(all);
  if (serial === null || gapMs < CAPACITY.minServiceMs) return [];
  return [
    note(
      'processes',
      `a server process handles one call at a time: at most ${perSecond(1000 / gapMs)} with these calls`,
      {
        figures: { waited, overtook, gap_ms: round(gapMs, 3) },
        evidence: [
          `${counted(waited, 'call')} waited for the answer to an earlier call, ${overtook === 0 ? 'none' : number(overtook)} overtook it`,
          serial,
          remedy('use more processes (PROCESSES), or a server that handles calls concurrently'),
        ],
      },
    ),
  ];
}

/**
 * Concurrent calls end shortly after one another. Serialized calls take as long after the previous answer as
 * they take alone.
 *
 * @returns null if the calls are not serialized, or if unknown
 */
function asLongAsAlone(all: readonly Turns[]): string | null {
  const known = all.filter(({ alone }) => alone >= PROCESSES.minAlone);
  const waited = sumOf(known, ({ behind }) => behind);
  const [gap, alone] = [
    sumOf(known, (one) => one.gapMs) / waited,
    // Weighted by how often calls of the operation waited.
    sumOf(known, ({ behind, aloneMs, alone: calls }) => (behind * aloneMs) / calls) / waited,
  ];
  return waited >= PROCESSES.minBehind && gap >= PROCESSES.minGap * alone
    ? `they took ${milliseconds(gap)} (mean) after the previous answer; without overlap they take ${milliseconds(alone)}`
    : null;
}

/**
 * If calls run concurrently, short calls overtake long ones.
 *
 * @returns null if all calls take equally long, so that this shows nothing
 */
function inTurnThoughUnequal(all: readonly Turns[]): string | null {
  const gaps = all
    .filter(({ behind }) => behind >= PROCESSES.minBehind / 2)
    .map(({ behind, gapMs }) => gapMs / behind);
  const [minGapMs, maxGapMs] = [Math.min(...gaps), Math.max(...gaps)];
  return gaps.length > 1 && maxGapMs >= PROCESSES.minUnequal * minGapMs
    ? `calls of ${milliseconds(minGapMs)} did not overtake calls of ${milliseconds(maxGapMs)} (means)`
    : null;
}

const sumOf = (all: readonly Turns[], value: (one: Turns) => number): number =>
  all.reduce((sum, one) => sum + value(one), 0);
