/** Findings of `make rolling-restart`: failures, lost sessions and streams, and the recovery time. */
import type { Effect } from '../../analysis/findings/fault-effect.ts';
import type { Finding } from '../../analysis/findings/finding.ts';
import { note } from '../../analysis/findings/note.ts';
import { remedy } from '../../analysis/findings/remedy.ts';
import { counted, duration, number } from '../../contract/units.js';
import type { HeldThrough, Part } from './table.ts';

interface Found {
  /** The parts before, during and after the replacement. */
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
  const sumOf = (name: 'calls' | 'failed') => parts.reduce((sum, part) => sum + (part[name] ?? 0), 0);
  const [calls, lost] = [sumOf('calls'), sumOf('failed')];
  if (calls === 0) return [];
  if (lost === 0)
    return [about(`no call failed during or after the replacement (${number(calls)} calls)`, { failed: 0 })];
  const kinds = Object.entries(failures).map(([kind, count]) => `${number(count)} ${kind}`);
  return [
    about(
      `${number(lost)} of ${counted(calls, 'call')} failed during and after the replacement: ${kinds.join(', ')}`,
      { failed: lost },
      [
        remedy(
          'on SIGTERM, accept no new connections, finish the open calls, then exit; send calls to the new server only when it is ready',
        ),
      ],
    ),
  ];
}

function sessions([before, ...since]: readonly Part[]): Finding[] {
  const lost = since.reduce((sum, { sessionsLost }) => sum + sessionsLost, 0);
  if (lost === 0 || (before?.sessionsLost ?? 0) >= lost) return [];
  return [
    about(
      `the new server did not know the old server's sessions: ${counted(lost, 'session')} had to be re-opened`,
      { sessions_lost: lost },
      [remedy('keep sessions in a store that all servers share, or use none (protocol version 2026-07-28)')],
    ),
  ];
}

function streams({ before, closed, backS }: HeldThrough): Finding[] {
  if (closed === 0) return [about(`all ${counted(before, 'stream')} stayed open`, { streams_lost: 0 })];
  const count =
    closed <= before
      ? `${number(closed)} of ${counted(before, 'stream')} closed`
      : `${counted(before, 'stream')} closed ${number(closed)} times`;
  const back =
    backS === null
      ? 'not all of them were re-opened before the load ended'
      : `all were open again ${duration(backS)} after the replacement`;
  return [about(`${count}; ${back}`, { streams_lost: closed, streams_back_s: backS })];
}

function recovery({ affected, recovery_s, observed_s, reason }: Effect): Finding[] {
  if (affected === null) return reason ? [about(`the recovery time is inconclusive: ${reason}`)] : [];
  if (!affected) return [about('latency and failures stayed in their normal range')];
  return [
    about(
      recovery_s === null
        ? `latency and failures were not back to normal ${duration(observed_s)} after the replacement`
        : `latency and failures were back to normal ${duration(recovery_s)} after the replacement`,
      { recovery_s },
    ),
  ];
}
