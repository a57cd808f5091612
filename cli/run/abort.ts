/** Reads how a k6 script aborted its test (lib/abort.js). */
import { abortOf, readMeasured } from '../../analysis/collect/measured.ts';
import { BROKEN } from '../ending.ts';

const MOST = 1000;
/** k6's error message for an unknown module. */
const NO_MODULE = /unknown modules?\b.*k6\/x\/mcp/;

export interface Ended {
  code: number;
  reason: string;
}

/**
 * @param log k6's raw log from before any request: it has no text of a server
 * @returns the exit code and the reason; if no script aborted the test, 1 and the last line of k6
 */
export function abortIn(log: string): Ended {
  // Text of a server never starts a line.
  const [, message] = /^(?:could not initialize .*?: )?(test aborted: exit .*)/m.exec(log) ?? [];
  const abort = abortOf({ reason: 'abort', message: message ?? '' });
  if (abort) return abort;
  if (NO_MODULE.test(log))
    return {
      code: BROKEN,
      reason: 'this k6 lacks the module k6/x/mcp; build one with: scripts/setup k6',
    };
  return { code: BROKEN, reason: lastOf(log) };
}

/** A line of a stack trace. */
const FRAME = /^\s*at /;

const lastOf = (log: string) =>
  log
    .trimEnd()
    .split('\n')
    .filter((line) => !FRAME.test(line))
    .slice(-3)
    .map((line) => line.slice(0, MOST))
    .join(' ');

/**
 * @param folder the folder of the output lab
 * @param log k6's raw log; may contain text of a server
 */
export function abortFrom(folder: string, log: string): Ended {
  const measured = readMeasured(folder);
  // The output starts after the script has been loaded.
  if (!measured) return abortIn(log);
  return abortOf(measured.end) ?? { code: BROKEN, reason: measured.end.message ?? lastOf(log) };
}
