/** Statistics of servers that are programs during one k6 run, including its warm-up. */

/** How the calls of one operation were answered. */
export interface Turns {
  /**
   * Calls during which no other call was open, the sum of their durations, and the longest duration;
   * milliseconds.
   */
  alone: number;
  aloneMs: number;
  maxMs: number;
  /**
   * Calls that waited for the answer to another call, and the sum of the times from that answer to their own.
   */
  behind: number;
  gapMs: number;
  /** Calls that were answered before a call that was sent earlier. */
  overtook: number;
}

/** Processes that kept running but stopped answering. */
export interface Silence {
  processes: number;
  /** Calls that were sent after the last answer. */
  unanswered: number;
  /** Unix time in milliseconds of the first such process's last answer, or of its start. */
  since: number;
  /**
   * The first overlap after that: its time, the number of open calls, how long the oldest of them had been
   * open, and its operation.
   */
  overlapAt?: number;
  open?: number;
  openMs?: number;
  operation?: string;
}

/** Calls during which no other call was open, and all other calls. */
export interface ByOverlap {
  alone: number;
  overlap: number;
}

export interface Processes {
  starts: number;
  /** Starts after the end of an earlier process. */
  restarts: number;
  /** Processes that exited by themselves. */
  exits: number;
  /** Calls that were answered after the client's timeout; absent if there were none. */
  late?: number;
  /** Calls that were never answered although a later one was; absent if there were none. */
  lost?: ByOverlap;
  /** Calls that were answered; absent if there were none. */
  answered?: ByOverlap;
  /** By operation. */
  turns?: Record<string, Turns>;
  silent?: Silence;
}
