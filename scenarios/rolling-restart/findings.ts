/** Findings of `make rolling-restart`: failures, lost sessions and streams, and the recovery time. */
import type { Effect } from '../../analysis/findings/fault-effect.ts';
import type { Finding } from '../../analysis/findings/finding.ts';
import { note } from '../../analysis/findings/note.ts';
import { remedy } from '../../analysis/findings/remedy.ts';
import { counted, duration, number } from '../../contract/units.js';
import type { HeldThrough, Part } from './table.ts';

interface Found {
  /** Before, during and after. */
  parts: readonly Part[];
  /** Failures since the start of the replacement, by kind. */
  failures: Record<string, number>;
  held: HeldThrough | null;
  effect: Effect | null;
}

const about = (statement: string, figures: Finding['figures'] = {}, evidence: string[] = []) =>
  note('rolling-restart', statement, { figures, evidence });

export const findingsOf = ({ parts, failures, held, effect }: Found): Finding[] => [
  ...failed(parts.slice(1), failures),
  ...sessions(parts),
  ...(held ? streams(held) : []),
  ...(effect ? recovery(effect) : []),
];

function failed(parts: readonly Part[], failures: Record<string, number>): Finding[] {
  const sumOf = (name: 'requests' | 'failed') => parts.reduce((sum, part) => sum + (part[name] ?? 0), 0);
  const [calls, lost] = [sumOf('requests'), sumOf('failed')];
  if (calls === 0) return [];
  if (lost === 0)
    return [about(`no call failed while the server was replaced (${number(calls)} calls)`, { failed: 0 })];
  const kinds = Object.entries(failures).map(([kind, count]) => `${number(count)} ${kind}`);
  return [
    about(
      `${number(lost)} of ${counted(calls, 'call')} failed while the server was replaced and after it: ${kinds.join(', ')}`,
      { failed: lost },
      [remedy('on SIGTERM take no new connections, finish the calls that are open, and end then')],
    ),
  ];
}

function sessions([before, ...since]: readonly Part[]): Finding[] {
  const lost = since.reduce((sum, { sessionsLost }) => sum + sessionsLost, 0);
  if (lost === 0 || (before?.sessionsLost ?? 0) >= lost) return [];
  return [
    about(
      `the new server did not know the sessions of the old one: ${counted(lost, 'session')} had to be opened again`,
      { sessions_lost: lost },
      [remedy('keep sessions in a store that all servers share, or do without them (2026-07-28)')],
    ),
  ];
}

function streams({ before, least, backS }: HeldThrough): Finding[] {
  const ended = before - least;
  if (ended === 0) return [about(`none of ${counted(before, 'stream')} ended`, { streams_lost: 0 })];
  const back =
    backS === null
      ? 'not all of them came back in time'
      : `all were held again ${duration(backS)} after it had ended`;
  return [
    about(`${number(ended)} of ${counted(before, 'stream')} ended with the old server; ${back}`, {
      streams_lost: ended,
      streams_back_s: backS,
    }),
  ];
}

function recovery({ affected, recovery_s, observed_s, reason }: Effect): Finding[] {
  if (affected === null)
    return reason ? [about(`how long it took until all was as before is inconclusive: ${reason}`)] : [];
  if (!affected) return [about('latency and failures stayed as they were before')];
  return [
    about(
      recovery_s === null
        ? `all was not as before within ${duration(observed_s)} of the end of the old server`
        : `all was as before ${duration(recovery_s)} after the old server had ended`,
      { recovery_s },
    ),
  ];
}
