/**
 * Finds what unanswered calls have in common if the server is a program: its processes hung, lost answers, or
 * answered late.
 */
import { counted, milliseconds, number } from '../../../contract/units.js';
import type { ByOverlap, Processes, Silence } from '../../collect/processes.ts';
import { PROCESSES } from '../../limits.ts';
import { round } from '../../round.ts';
import { remedy } from '../remedy.ts';
import { type Cell, sumOf } from './cells.ts';
import { type Facts, type Shape, secondsInto } from './shapes.ts';
import { exactClock } from './wording.ts';

/** Failure kind of calls that were never answered: they end with the client's timeout. */
export const UNANSWERED_KIND = 'timeout';

type Found = Omit<Shape, 'count' | 'kind' | 'operations'> & Partial<Pick<Shape, 'operations'>>;

/** @returns one shape at most; none if calls were answered, or if the cause is unknown */
export function processShape(known: Facts, cells: readonly Cell[]): Shape[] {
  const count = sumOf({ kind: UNANSWERED_KIND, cells }).failed;
  if (count < PROCESSES.minUnanswered) return [];
  for (const one of known.processes ?? []) {
    const found = silence(one, known) ?? lostAnswers(one) ?? lateAnswers(one, count);
    if (found) return [{ operations: [], ...found, kind: UNANSWERED_KIND, count }];
  }
  return [];
}

/** @returns the shape of processes that stopped answering although they kept running */
function silence(processes: Processes, known: Facts): Found | null {
  const { silent, starts } = processes;
  if (!silent || silent.unanswered < PROCESSES.minUnanswered) return null;
  const overlap = overlapOf(silent, processes);
  const sinceS = secondsInto(known, overlap?.atMs ?? silent.since);
  const since = sinceS < 0 ? 'before the first phase' : `at ${exactClock(sinceS)}`;
  const whose = starts === 1 ? 'the process' : `${number(silent.processes)} of ${number(starts)} processes`;
  return {
    subject: 'silence',
    statement:
      `${whose} stopped answering ${since}${overlap ? `, when ${number(overlap.open)} calls were open at once` : ''}: ` +
      `${counted(silent.unanswered, 'call')} since then got no answer`,
    operations: overlap ? [overlap.operation] : [],
    figures: { since_s: round(sinceS), open: overlap?.open ?? null, unanswered: silent.unanswered },
    evidence: overlap
      ? [
          `the second call was sent ${milliseconds(overlap.openMs)} after the first, which was still open`,
          remedy(
            'read the next message without waiting for the current call, and do not hold a lock during a call',
          ),
        ]
      : [],
    again: { requests: 10, concurrency: 2 },
  };
}

/**
 * @returns null if the process stopped answering before a second call was sent, or if another cause is as
 *   likely
 */
function overlapOf({ overlapAt, open = 0, openMs = 0, operation = '' }: Silence, { turns = {} }: Processes) {
  const usual = turns[operation]?.maxMs || Number.POSITIVE_INFINITY;
  return overlapAt === undefined || openMs > usual ? null : { atMs: overlapAt, open, openMs, operation };
}

const NONE: ByOverlap = { alone: 0, overlap: 0 };

/** @returns the shape of failures in which a process left a call unanswered but answered later ones */
function lostAnswers({ lost = NONE, answered = NONE, late = 0 }: Processes): Found | null {
  const all = lost.alone + lost.overlap;
  if (all < PROCESSES.minUnanswered || late > PROCESSES.maxLateOfLost * all) return null;
  const isOverlap = lost.alone === 0 && answered.alone >= PROCESSES.minAlone;
  return {
    subject: 'lost',
    statement:
      `${counted(all, 'call')} got no answer before the end of the run, although later calls did` +
      (isOverlap
        ? `: only calls that overlapped another call; all ${number(answered.alone)} other calls were answered`
        : ''),
    figures: { lost: all, answered: answered.alone + answered.overlap, alone: answered.alone },
    evidence: [remedy('answer every request: track the ids of all open calls, and write complete lines')],
    again: { requests: 20, concurrency: isOverlap ? 2 : 1 },
  };
}

/** @returns the shape of processes that answered most of these calls after the client's timeout */
function lateAnswers({ late = 0, answered = NONE }: Processes, unanswered: number): Found | null {
  if (late < PROCESSES.minLate * unanswered) return null;
  return {
    subject: 'late',
    statement:
      `the server was overloaded, not broken: it answered ${number(late)} of ` +
      `the ${number(unanswered)} timed-out calls after the client had stopped waiting`,
    mayBeLoad: true,
    figures: { late, unanswered, answered: answered.alone + answered.overlap },
    evidence: [],
    again: { requests: 10, concurrency: 1 },
  };
}
