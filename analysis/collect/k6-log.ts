import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** Interval of the writes to Prometheus. */
export const PUSH_S = 2;

export interface K6Log {
  /** k6's last message: the best available explanation if it crashed. */
  lastLine: string | null;
  /** Unix times at which k6 failed to write to Prometheus. */
  failedPushesS: number[];
  /** The first exception of each operation, or of code outside of operations. */
  exceptions: Record<string, LoggedException>;
  /** Exceptions that k6 itself logged; a lower bound. */
  uncaught: { count: number; first: string } | null;
  /** Operation and text of the first `failure <kind> of <operation>: <text>` line of each kind. */
  samples: Record<string, string>;
}

interface LoggedException {
  /** The function of the workload that threw it. */
  function: string | null;
  message: string;
}

/** The line by which cli/run/bounded-log.ts replaces the lines that it drops. */
const CUT = /^the middle of this log was removed$/;
/** A line that k6 logs if an iteration ends with an uncaught exception. */
const UNCAUGHT =
  /^time=(?:"[^"]*"|\S+) level=error msg=(?:"(?:[^"\\]|\\.)*"|\S+) executor=\S+ (?:hint="[^"]*" )?scenario=/;
const FAILED_PUSH = 'Failed to send the time series data to the endpoint';

/**
 * Reads k6's log in the `raw` or `logfmt` format, line by line, because it may be large after a day of load.
 *
 * @returns an empty log if there is none, or if it cannot be read
 */
export async function readK6Log(path: string): Promise<K6Log> {
  const log: K6Log = { lastLine: null, failedPushesS: [], exceptions: {}, uncaught: null, samples: {} };
  /** Number of failed writes before the dropped lines. */
  let beforeCut: number = -1;
  const stream = createReadStream(path, 'utf8');
  try {
    for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
      const message = messageOf(line.trim());
      if (CUT.test(message)) {
        beforeCut = log.failedPushesS.length;
        continue;
      }
      if (message === FAILED_PUSH) {
        const [atS] = timeOf(line);
        if (beforeCut === log.failedPushesS.length)
          log.failedPushesS.push(...assumedFailures(log.failedPushesS, atS));
        if (atS !== undefined) log.failedPushesS.push(atS);
      }
      if (UNCAUGHT.test(line.trim())) {
        const [first = ''] = message.split('\n', 1);
        log.uncaught = { count: (log.uncaught?.count ?? 0) + 1, first: log.uncaught?.first ?? first };
      }
      addMessage(log, message);
    }
  } catch {
    // A missing log must not discard the results. Returns what was read so far.
  } finally {
    stream.destroy();
  }
  return log;
}

/**
 * Estimates the failed writes in the dropped lines: if the writes right before and after them failed, all of
 * them count as failed.
 *
 * @param failedS times of the failed writes before them
 */
function assumedFailures(failedS: number[], untilS: number | undefined): number[] {
  const fromS = failedS.at(-1);
  if (fromS === undefined || untilS === undefined) return [];
  const count = Math.max(0, Math.ceil((untilS - fromS) / PUSH_S) - 1);
  return Array.from({ length: count }, (_, index) => fromS + PUSH_S * (index + 1));
}

function addMessage(log: K6Log, message: string) {
  const [, name, operation, why] = /^exception in (?:(\w+)\(\) of )?(.+?): (.*)$/.exec(message) ?? [];
  if (operation !== undefined && why !== undefined) {
    log.exceptions[operation] ??= { function: name ?? null, message: why };
    return;
  }
  const [, kind, text] = /^failure ([a-z0-9_]{1,40}) of (.+)$/.exec(message) ?? [];
  if (kind && text) {
    log.samples[kind] ??= text;
    return;
  }
  // k6 prints the message of an exception before its stack trace.
  if (message === '' || /^at\s/.test(message)) return;
  log.lastLine = message;
}

/** @param line line in logfmt @returns Unix seconds; [] if the line has no time */
function timeOf(line: string): number[] {
  const ms = Date.parse(/^time="?([^"\s]+)/.exec(line.trim())?.[1] ?? '');
  return Number.isFinite(ms) ? [ms / 1000] : [];
}

/** @returns the message of a logfmt line, or the whole raw line */
export function messageOf(line: string): string {
  const [, quoted, bare] =
    /^time=(?:"[^"]*"|\S+) level=\w+ msg=(?:("(?:[^"\\]|\\.)*")|(\S+))/.exec(line) ?? [];
  if (quoted) {
    try {
      return JSON.parse(quoted);
    } catch {
      return line;
    }
  }
  return bare ?? line;
}
