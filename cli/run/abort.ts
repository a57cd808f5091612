/** How a script inside k6 ended its test: lib/abort.js. */
import { abortOf, readMeasured } from '../../analysis/collect/measured.ts';
import { BROKEN } from '../ending.ts';

const MOST = 1000;
/** k6's words, where it knows no such module. */
const NO_MODULE = /unknown modules?\b.*k6\/x\/mcp/;

export interface Ended {
  code: number;
  reason: string;
}

/**
 * @param log of k6, raw, before any server was asked: nothing in it is a server's
 * @returns the exit code and the reason; where no script ended it, 1 and what k6 said last
 */
export function abortIn(log: string): Ended {
  // A server's words begin no line.
  const [, message] = /^(?:could not initialize .*?: )?(test aborted: exit .*)/m.exec(log) ?? [];
  const abort = abortOf({ reason: 'abort', message: message ?? '' });
  if (abort) return abort;
  if (NO_MODULE.test(log))
    return {
      code: BROKEN,
      reason: 'this k6 has no module k6/x/mcp; one that has it is built by: scripts/setup k6',
    };
  return { code: BROKEN, reason: lastOf(log) };
}

const lastOf = (log: string) =>
  log
    .trimEnd()
    .split('\n')
    .slice(-3)
    .map((line) => line.slice(0, MOST))
    .join(' ');

/**
 * @param folder of the output lab
 * @param log of k6, raw; a server's words may be in it
 */
export function abortFrom(folder: string, log: string): Ended {
  const measured = readMeasured(folder);
  // It begins when the script has been read.
  if (!measured) return abortIn(log);
  return abortOf(measured.end) ?? { code: BROKEN, reason: measured.end.message ?? lastOf(log) };
}
