/**
 * Findings of `make streams`: how many streams the server holds, when it closes them, and what they cost.
 */
import type { StreamEnd, Streams } from '../../analysis/collect/streams.ts';
import type { Finding } from '../../analysis/findings/finding.ts';
import { note } from '../../analysis/findings/note.ts';
import { remedy } from '../../analysis/findings/remedy.ts';
import { isSlower } from '../../analysis/findings/slower.ts';
import { STREAMS } from '../../analysis/limits.ts';
import { type Cost, costText } from '../../analysis/tables/resource-costs.ts';
import { counted, duration, milliseconds, number, percent } from '../../contract/units.js';
import { type Lifetime, lifetimeOf, type StreamEnds } from './stream-ends.ts';
import type { Step } from './table.ts';

export interface Found {
  record: Streams;
  ends: StreamEnds;
  steps: readonly Step[];
  costs: readonly Cost[];
  /** false: all streams were refused, so each cost is that of a refused stream. */
  areHeld: boolean;
}

const about = (statement: string, figures: Finding['figures'] = {}, evidence: string[] = []) =>
  note('streams', statement, { figures, evidence });

export function findingsOf({ record, ends, steps, costs, areHeld }: Found): Finding[] {
  const { refused, silent, declined, cut } = ends;
  const limit = lifetimeOf(cut);
  const { lost, others } = notified(steps);
  return [
    // The first finding is part of the run's headline.
    ...lost,
    ...held(record, steps),
    ...refusals(refused, record),
    ...declining(declined, record),
    ...unanswered(steps, silent, limit),
    ...lifetimes(cut, limit, record),
    ...slower(steps),
    ...others,
    ...cost(costs, areHeld),
  ];
}

const mostHeld = ({ held }: Streams) => Math.max(0, ...held.map(({ count }) => count));

function held(record: Streams, steps: readonly Step[]): Finding[] {
  const most = mostHeld(record);
  if (most === 0) return [];
  const asked = Math.max(...steps.map(({ labels }) => Number(labels.streams)));
  const sent = record.messages === 0 ? 'nothing' : counted(record.messages, 'message');
  const streams = most < asked ? `${number(most)} of ${counted(asked, 'stream')}` : counted(most, 'stream');
  return [
    about(`${streams} were held concurrently; the server sent ${sent} on them`, {
      held: most,
      messages: record.messages,
    }),
  ];
}

/** Reports refused streams, and how many streams were open at the first refusal. */
function refusals(refused: readonly StreamEnd[], record: Streams): Finding[] {
  const [first] = refused;
  if (!first) return [];
  const from = Math.min(...refused.map(({ held }) => held));
  const why = `${first.kind ?? 'ended'}${first.detail ? `, ${first.detail}` : ''}`;
  const statement =
    mostHeld(record) === 0
      ? `the server offers no streams: it refused all ${number(refused.length)} (${why})`
      : `the server refuses streams beyond ${number(from)}: it refused ${number(refused.length)} of ${number(record.asked)} (${why})`;
  return [about(statement, { refused: refused.length, refused_from: from })];
}

/** Reports streams that the server closed right after opening them. */
function declining(declined: readonly StreamEnd[], record: Streams): Finding[] {
  if (declined.length === 0) return [];
  const statement = `the server closed ${number(declined.length)} of ${counted(record.asked, 'stream')} right after opening them`;
  const isAll = declined.length === record.asked;
  return [
    about(
      statement + (isAll ? '; it has no notifications to send' : ''),
      { declined: declined.length },
      isAll ? [remedy('declare listChanged in the capabilities, if lists can change')] : [],
    ),
  ];
}

/** Reports that held streams block calls, or that streams never opened. */
function unanswered(steps: readonly Step[], silent: readonly StreamEnd[], limit: Lifetime | null): Finding[] {
  const share = ({ calls, answered }: Step) => (calls ? 1 - (answered ?? 0) / calls : 0);
  const [before] = steps;
  const stuck = steps.find((step) => step.held > 0 && share(step) >= STREAMS.minUnanswered);
  if (before && stuck && share(before) < STREAMS.minUnanswered) {
    const last = steps.at(-1);
    const isBack = last && last.labels.streams === '0' && share(last) < STREAMS.minUnanswered;
    return [
      about(
        `with ${counted(stuck.heldAtMost, 'stream')} held, ${percent(share(stuck))} of the calls got no answer` +
          (isBack ? '; calls succeed again after the streams are closed' : ''),
        { held: stuck.heldAtMost, unanswered_share: share(stuck) },
        [remedy('hold streams without occupying a worker, a thread or a pooled connection')],
      ),
    ];
  }
  // A stream that was cut before it opened is part of the limit's finding.
  const never = silent.filter(
    ({ ageMs }) => !limit?.isWithheld || ageMs > (1 + STREAMS.maxSpread) * limit.ms[1],
  );
  const [longest] = never.toSorted((a, b) => b.ageMs - a.ageMs);
  if (!longest) return [];
  return [
    about(
      `${counted(never.length, 'stream')} never opened: no answer for up to ${duration(longest.ageMs / 1000)} (${longest.detail ?? ''})`,
      { never_began: never.length },
    ),
  ];
}

/** Reports streams that the server or an intermediary closed, and their lifetime. */
function lifetimes(cut: readonly StreamEnd[], found: Lifetime | null, record: Streams): Finding[] {
  if (cut.length === 0) return [];
  if (!found)
    return [
      about(`${number(cut.length)} of ${counted(record.opened, 'stream')} closed early, at different ages`, {
        ended: cut.length,
      }),
    ];
  const [low, median, high] = found.ms.map((ms) => duration(ms / 1000));
  const after = found.kind === 'silence' ? `after ${median} of silence` : `at an age of ${median}`;
  const unsure = found.isUnsure
    ? '. The server had sent nothing on them, so the limit may also be one on their age'
    : '';
  const withheld = found.isWithheld
    ? '. The client received no headers: an intermediary withholds them until the server sends data'
    : '';
  return [
    about(
      `the server or an intermediary closes streams ${after}: ${number(found.count)} of ${number(cut.length)} closed streams (${low} to ${high})${withheld || unsure}`,
      { limit_s: (found.ms[1] ?? 0) / 1000, ended: cut.length },
      [
        remedy(
          found.kind === 'silence'
            ? 'send a comment (": ping") on each stream more often, or raise the idle timeout of the intermediary'
            : 'raise the maximum connection age, or let clients re-open streams',
        ),
      ],
    ),
  ];
}

function slower(steps: readonly Step[]): Finding[] {
  const [before] = steps;
  const most = steps.toSorted((a, b) => b.held - a.held)[0];
  const [without, withMost] = [before?.latency_ms?.p95, most?.latency_ms?.p95];
  if (!most?.held || without === undefined || withMost === undefined || most.slowdown === null) return [];
  return [
    about(
      isSlower(without, withMost)
        ? `calls took ${number(most.slowdown)}x as long with ${counted(most.heldAtMost, 'stream')} held: p95 ${milliseconds(without)} -> ${milliseconds(withMost)}`
        : `calls were not slower with ${counted(most.heldAtMost, 'stream')} held: p95 ${milliseconds(without)} -> ${milliseconds(withMost)}`,
      { slowdown: most.slowdown },
    ),
  ];
}

/** Reports whether NOTIFY_TOOL's notifications arrived, and their delay. */
function notified(steps: readonly Step[]): { lost: Finding[]; others: Finding[] } {
  const called = steps.flatMap(({ notifications, heldAtMost }) =>
    notifications && notifications.expected > 0 ? [{ heldAtMost, ...notifications }] : [],
  );
  const [first] = called;
  const last = called.at(-1);
  if (!first || !last) {
    const failed = steps.reduce((sum, { notifications }) => sum + (notifications?.failed ?? 0), 0);
    const others = failed > 0 ? [about(`all ${counted(failed, 'NOTIFY_TOOL call')} failed`, { failed })] : [];
    return { lost: [], others };
  }
  const sumOf = (name: 'calls' | 'expected' | 'received') =>
    called.reduce((sum, step) => sum + step[name], 0);
  const received = sumOf('received');
  const calls = counted(sumOf('calls'), 'NOTIFY_TOOL call');
  if (received === 0)
    return { lost: [about(`none of the ${calls} caused a notification`, { received })], others: [] };
  // A server may send several notifications per call.
  const perCall = Math.max(1, Math.round(first.received / first.expected));
  const expected = perCall * sumOf('expected');
  const short = called.find((step) => step.received < STREAMS.minReceived * perCall * step.expected);
  const delayOf = ({ delay_ms, heldAtMost }: typeof first) =>
    `${milliseconds(delay_ms?.p95)} with ${counted(heldAtMost, 'stream')}`;
  const delays = [delayOf(first), ...(last === first ? [] : [delayOf(last)])].join(', ');
  const arrival = about(
    short
      ? `${number(expected - received)} of ${counted(expected, 'notification')} did not arrive, the first with ${counted(short.heldAtMost, 'stream')} held`
      : `all ${counted(expected, 'notification')} of ${calls} arrived`,
    { expected, received },
  );
  const delay = about(`p95 of the notifications' delay: ${delays}`, {
    delay_p95_ms: last.delay_ms?.p95 ?? null,
  });
  return short ? { lost: [arrival], others: [delay] } : { lost: [], others: [arrival, delay] };
}

function cost(costs: readonly Cost[], areHeld: boolean): Finding[] {
  const { text, figures } = costText(costs, 'stream');
  if (!text) return [];
  return [about(`${areHeld ? 'a held stream' : 'each refused stream'} costs the server ${text}`, figures)];
}
