/**
 * Findings of `make disconnects`: what clients leave behind, how long their return takes, and the effect on
 * other clients.
 */
import type { Finding } from '../../analysis/findings/finding.ts';
import { note } from '../../analysis/findings/note.ts';
import { remedy } from '../../analysis/findings/remedy.ts';
import { isSlower } from '../../analysis/findings/slower.ts';
import { costText } from '../../analysis/tables/resource-costs.ts';
import { counted, duration, milliseconds, number } from '../../contract/units.js';
import type { Part, Way } from './table.ts';
import { WAYS } from './ways.ts';

interface Found {
  ways: readonly Way[];
  parts: readonly Part[];
  /** Number of streams that closed although their clients stayed connected. */
  lost: number;
}

const about = (statement: string, figures: Finding['figures'] = {}, evidence: string[] = []) =>
  note('disconnects', statement, { figures, evidence });

export const findingsOf = ({ ways, parts, lost }: Found): Finding[] => [
  ...ways.flatMap(left),
  ...ways.flatMap(known),
  ...returned(parts),
  ...others(parts),
  ...(lost > 0
    ? [
        about(`${counted(lost, 'stream')} of connected clients closed while other clients came and went`, {
          lost,
        }),
      ]
    : []),
];

const REMEDIES = {
  delete: "free a session's resources when the client ends it (DELETE)",
  close: 'expire idle sessions and free their resources',
  reset: 'expire idle sessions and free their resources',
};

/** Costs that are significantly above zero. */
function left({ leaving, costs, clients }: Way): Finding[] {
  const { text, figures } = costText(costs, 'client');
  if (!text) return [];
  return [
    about(
      `a client that ${WAYS[leaving].does} leaves the server with ${text} (${counted(clients, 'client')})`,
      figures,
      [remedy(REMEDIES[leaving])],
    ),
  ];
}

function known({ leaving, known, afterS }: Way): Finding[] {
  if (!known) return [];
  return [
    about(
      `${duration(afterS)} after clients ${WAYS[leaving].did} the server still knew ${number(known.trues)} of ${counted(known.total, 'session')}`,
      { known: known.trues, asked: known.total },
    ),
  ];
}

/** Reports how long clients take to return, all within a second or one after the other. */
function returned(parts: readonly Part[]): Finding[] {
  const [calm, back] = [partIn(parts, 'half'), partIn(parts, 'back')];
  if (!back?.opening || back.opened === 0) return [];
  const before = calm?.opening ? `, one at a time ${milliseconds(calm.opening.p95)}` : '';
  return [
    about(
      `${counted(back.opened, 'client')} reconnected within a second: opening a session and a stream took up to ${milliseconds(back.opening.max)}, p95 ${milliseconds(back.opening.p95)}${before}`,
      { returned: back.opened, return_p95_ms: back.opening.p95 },
    ),
  ];
}

/** Reports the slowest part for other clients, compared with the part in which all clients stay. */
function others(parts: readonly Part[]): Finding[] {
  const calm = partIn(parts, 'half')?.latency?.p95;
  if (calm === undefined) return [];
  const slow = parts
    .filter(({ part }) => part in MOMENTS)
    .flatMap(({ part, latency }) =>
      latency ? [{ part: part as keyof typeof MOMENTS, p95: latency.p95 }] : [],
    )
    .sort((a, b) => b.p95 - a.p95)[0];
  if (!slow) return [];
  const factor = slow.p95 / calm;
  const figures = `p95 ${milliseconds(calm)} -> ${milliseconds(slow.p95)}`;
  return [
    about(
      isSlower(calm, slow.p95)
        ? `other clients' calls took ${number(factor)} times as long ${MOMENTS[slow.part]}: ${figures}`
        : `other clients' calls were not slower while clients came and went: ${figures}`,
      { slowdown: factor },
    ),
  ];
}

const MOMENTS = {
  here: 'while clients reconnected',
  back: 'while clients reconnected',
  gone: 'after clients had left',
};

const partIn = (parts: readonly Part[], name: Part['part']) => parts.find(({ part }) => part === name);
