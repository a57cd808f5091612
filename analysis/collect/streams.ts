/** What became of the streams that clients held during one k6 run, or were to hold, its warm-up included. Times are in milliseconds. */

/** A stream that was refused, or that the server or what is between ended. */
export interface StreamEnd {
  /** When the client asked for it, as a Unix time, and how many streams were held then. */
  asked: number;
  held: number;
  /** From then until it was open; absent: it never was. */
  openedMs?: number;
  /** From then to its end, and from its last byte to its end. */
  ageMs: number;
  silentMs: number;
  messages: number;
  /** How it failed; absent: the server ended it with a reply. */
  kind?: string;
  /** Of HTTP; 0: no answer. */
  status: number;
  detail?: string;
}

export interface Streams {
  asked: number;
  opened: number;
  /** Those that were not held to their end. */
  lost: number;
  /** Those that ended and went on with the event after their last one; absent: none. */
  resumed?: number;
  /** Of the server. */
  messages: number;
  /** How many were held, at the end of each second in which the number changed. at: Unix time */
  held: { at: number; count: number }[];
  /** Of the first of those that were lost; absent: none was. */
  ends?: StreamEnd[];
}
