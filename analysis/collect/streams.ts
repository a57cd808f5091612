/**
 * Statistics of the streams that clients held, or tried to hold, during one k6 run, including its warm-up.
 * Times are in milliseconds.
 */

/** A stream that was refused, or that the server or an intermediary ended. */
export interface StreamEnd {
  /** Unix time at which the client requested it, and the number of streams held at that time. */
  asked: number;
  held: number;
  /** Time from the request until it was open; absent if it never was. */
  openedMs?: number;
  /** Time from the request to its end, and from its last byte to its end. */
  ageMs: number;
  silentMs: number;
  messages: number;
  /** Kind of failure; absent if the server ended the stream with a reply. */
  kind?: string;
  /** HTTP status; 0 without an answer. */
  status: number;
  detail?: string;
}

export interface Streams {
  asked: number;
  opened: number;
  /** Streams that ended early. */
  lost: number;
  /** Streams that ended and were resumed after their last event; absent if there were none. */
  resumed?: number;
  /** Messages from the server. */
  messages: number;
  /** Number of held streams at the end of each second in which it changed. at: Unix time */
  held: { at: number; count: number }[];
  /** The first streams that ended early; absent if there were none. */
  ends?: StreamEnd[];
}
