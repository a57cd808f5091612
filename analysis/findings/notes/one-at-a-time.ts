import { counted, milliseconds, number, perSecond } from '../../../contract/units.js';
import type { Turns } from '../../collect/processes.ts';
import { CAPACITY, PROCESSES } from '../../limits.ts';
import { round } from '../../round.ts';
import type { Finding } from '../finding.ts';
import type { Known } from '../known.ts';
import { note } from '../note.ts';
import { remedy } from '../remedy.ts';

/** @returns that a process of the server answers calls that overlap one after the other; none: it works on several, or that is not known */
export function oneAtATime({ processes = [] }: Known): Finding[] {
  // What never waits, as a list of the tools may, is not work.
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
      `a process of the server works on one call at a time: at most ${perSecond(1000 / gapMs)} with these calls`,
      {
        figures: { waited, overtook, gap_ms: round(gapMs, 3) },
        evidence: [
          `${counted(waited, 'call')} waited for the answer to an earlier one, and ${overtook === 0 ? 'none' : number(overtook)} overtook it`,
          serial,
          remedy('more processes (PROCESSES), or a server that works on calls concurrently'),
        ],
      },
    ),
  ];
}

/** Calls at once end soon after one another; calls in turn take as long after the answer before as alone. @returns null: they do not, or that is not known */
function asLongAsAlone(all: readonly Turns[]): string | null {
  const known = all.filter(({ alone }) => alone >= PROCESSES.minAlone);
  const waited = sumOf(known, ({ behind }) => behind);
  const [gap, alone] = [
    sumOf(known, (one) => one.gapMs) / waited,
    // Each as often as it waited.
    sumOf(known, ({ behind, aloneMs, alone: calls }) => (behind * aloneMs) / calls) / waited,
  ];
  return waited >= PROCESSES.minBehind && gap >= PROCESSES.minGap * alone
    ? `they took ${milliseconds(gap)} (mean) after the answer before theirs, and take ${milliseconds(alone)} alone`
    : null;
}

/** Of calls at once the short ones overtake the long ones. @returns null: they are of one length, so that this shows nothing */
function inTurnThoughUnequal(all: readonly Turns[]): string | null {
  const gaps = all
    .filter(({ behind }) => behind >= PROCESSES.minBehind / 2)
    .map(({ behind, gapMs }) => gapMs / behind);
  const [least, most] = [Math.min(...gaps), Math.max(...gaps)];
  return gaps.length > 1 && most >= PROCESSES.minUnequal * least
    ? `calls of ${milliseconds(least)} did not overtake calls of ${milliseconds(most)} (means)`
    : null;
}

const sumOf = (all: readonly Turns[], value: (one: Turns) => number): number =>
  all.reduce((sum, one) => sum + value(one), 0);
