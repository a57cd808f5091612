/** How a script inside k6 ended its test: lib/abort.js. */
import { BROKEN } from '../ending.ts';

const MOST = 1000;

/** @param log of k6, raw @returns the exit code and the reason; where no script ended it, 1 and what k6 said last */
export function abortIn(log: string): { code: number; reason: string } {
  const [, code, reason] = /test aborted: exit ([23]): (.*)/.exec(log) ?? [];
  if (reason !== undefined)
    return { code: Number(code), reason: reason.replace(/ at abort \(file:\S*\)$/, '') };
  const last = log.trimEnd().split('\n').slice(-3);
  return { code: BROKEN, reason: last.map((line) => line.slice(0, MOST)).join(' ') };
}
