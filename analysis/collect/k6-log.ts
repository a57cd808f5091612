import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** A write to Prometheus holds this many seconds. */
export const PUSH_S = 2;

export interface K6Log {
  /** What k6 said last, the best there is when it died. */
  lastLine: string | null;
  /** Unix times at which k6 could not write to Prometheus. */
  failedPushesS: number[];
  /** The first of each operation, and of what is none. */
  exceptions: Record<string, LoggedException>;
  /** Exceptions that k6 itself logged: at least so many. */
  uncaught: { count: number; first: string } | null;
  /** Operation and text of the first `failure <kind> of <operation>: <text>` line of each kind. */
  samples: Record<string, string>;
}

interface LoggedException {
  /** Of the workload that threw it. */
  function: string | null;
  message: string;
}

/** What cli/run/bounded-log.ts writes in place of the lines that it leaves out. */
const CUT = /^the middle of this log is left out$/;
/** A line that k6 writes of an iteration itself: nobody caught the exception. */
const UNCAUGHT =
  /^time=(?:"[^"]*"|\S+) level=error msg=(?:"(?:[^"\\]|\\.)*"|\S+) executor=\S+ (?:hint="[^"]*" )?scenario=/;
const FAILED_PUSH = 'Failed to send the time series data to the endpoint';

/**
 * Reads k6's log, in k6's `raw` or `logfmt` format, line by line: after a day of load it may be large.
 *
 * @returns empty where there is no log or it can't be read
 */
export async function readK6Log(path: string): Promise<K6Log> {
  const log: K6Log = { lastLine: null, failedPushesS: [], exceptions: {}, uncaught: null, samples: {} };
  /** Pushes that had failed before the lines that are left out. */
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
          log.failedPushesS.push(...leftOut(log.failedPushesS, atS));
        if (atS !== undefined) log.failedPushesS.push(atS);
      }
      if (UNCAUGHT.test(line.trim())) {
        const [first = ''] = message.split('\n', 1);
        log.uncaught = { count: (log.uncaught?.count ?? 0) + 1, first: log.uncaught?.first ?? first };
      }
      take(log, message);
    }
  } catch {
    // No log is no reason to lose the figures: what was read so far stands.
  } finally {
    stream.destroy();
  }
  return log;
}

/**
 * In the lines that are left out every push failed, as far as anybody knows, where those before and after them did.
 *
 * @param failedS before them
 */
function leftOut(failedS: number[], untilS: number | undefined): number[] {
  const fromS = failedS.at(-1);
  if (fromS === undefined || untilS === undefined) return [];
  const count = Math.max(0, Math.ceil((untilS - fromS) / PUSH_S) - 1);
  return Array.from({ length: count }, (_, index) => fromS + PUSH_S * (index + 1));
}

function take(log: K6Log, message: string) {
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
  // The last words of an exception are its message, not where it was thrown.
  if (message === '' || /^at\s/.test(message)) return;
  log.lastLine = message;
}

/** @param line in logfmt @returns Unix seconds; [] of a line that does not say when it was */
function timeOf(line: string): number[] {
  const ms = Date.parse(/^time="?([^"\s]+)/.exec(line.trim())?.[1] ?? '');
  return Number.isFinite(ms) ? [ms / 1000] : [];
}

/** @returns the message of a logfmt line, or the whole of a raw one */
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
