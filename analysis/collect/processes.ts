/** What became of servers that are programs during one k6 run, its warm-up included. */

/** How the answers to calls of one operation came. */
export interface Turns {
  /** Calls during which no other call was open, their durations added up, and the longest; milliseconds. */
  alone: number;
  aloneMs: number;
  maxMs: number;
  /** Calls that waited for the answer to another call, and the times from that answer to theirs added up. */
  behind: number;
  gapMs: number;
  /** Calls that were answered before one that had been sent earlier. */
  overtook: number;
}

/** Of processes that lived and answered nothing after their last answer. */
export interface Silence {
  processes: number;
  /** Calls that were sent after the last answer. */
  unanswered: number;
  /** The last answer of the first such process, or its start; Unix time in milliseconds. */
  since: number;
  /** The first overlap after that: its time, the calls open then, how long the oldest call had been open, and the operation of the oldest call. */
  overlapAt?: number;
  open?: number;
  openMs?: number;
  operation?: string;
}

/** Calls during which no other call was open, and the others. */
export interface ByOverlap {
  alone: number;
  overlap: number;
}

export interface Processes {
  starts: number;
  /** Starts after the end of an earlier process. */
  restarts: number;
  /** Processes that ended by themselves. */
  exits: number;
  /** Calls that were answered after the client had stopped waiting; absent: none. */
  late?: number;
  /** Calls that were never answered although a later one was; absent: none. */
  lost?: ByOverlap;
  /** Calls that were answered; absent: none. */
  answered?: ByOverlap;
  /** By operation. */
  turns?: Record<string, Turns>;
  silent?: Silence;
}
