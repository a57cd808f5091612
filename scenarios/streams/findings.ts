/**
 * Findings of `make streams`: how many streams were held, why not more, who ended them, and what they cost.
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
  /** false: all streams were refused, and the costs are those of a refused one. */
  areHeld: boolean;
}

const about = (statement: string, figures: Finding['figures'] = {}, evidence: string[] = []) =>
  note('streams', statement, { figures, evidence });

export function findingsOf({ record, ends, steps, costs, areHeld }: Found): Finding[] {
  const { refused, silent, declined, cut } = ends;
  const limit = lifetimeOf(cut);
  return [
    ...held(record, steps),
    ...refusals(refused, record),
    ...declining(declined, record),
    ...unanswered(steps, silent, limit),
    ...lifetimes(cut, limit, record),
    ...slower(steps),
    ...cost(costs, areHeld),
  ];
}

const mostHeld = ({ held }: Streams) => Math.max(0, ...held.map(({ count }) => count));

function held(record: Streams, steps: readonly Step[]): Finding[] {
  const most = mostHeld(record);
  if (most === 0) return [];
  const asked = Math.max(...steps.map(({ labels }) => Number(labels.streams)));
  const came = record.messages === 0 ? 'nothing' : counted(record.messages, 'message');
  const of = most < asked ? ` of ${number(asked)}` : '';
  return [
    about(`${counted(most, 'stream')}${of} were held at once, and ${came} came on them`, {
      held: most,
      messages: record.messages,
    }),
  ];
}

/** Refused streams, and the number of streams from which the server refuses them. */
function refusals(refused: readonly StreamEnd[], record: Streams): Finding[] {
  const [first] = refused;
  if (!first) return [];
  const from = Math.min(...refused.map(({ held }) => held));
  const why = `${first.kind ?? 'ended'}${first.detail ? `, ${first.detail}` : ''}`;
  const statement =
    mostHeld(record) === 0
      ? `the server offers no stream: all ${number(refused.length)} were refused (${why})`
      : `with ${counted(from, 'stream')} held the server refuses more: ${number(refused.length)} of ${number(record.asked)} (${why})`;
  return [about(statement, { refused: refused.length, refused_from: from })];
}

/** Streams that a server accepts but does not use. */
function declining(declined: readonly StreamEnd[], record: Streams): Finding[] {
  if (declined.length === 0) return [];
  const statement = `the server ended ${number(declined.length)} of ${counted(record.asked, 'stream')} as soon as they had begun`;
  const isAll = declined.length === record.asked;
  return [
    about(
      statement + (isAll ? ': it has no notifications to send' : ''),
      { declined: declined.length },
      isAll ? [remedy('declare listChanged in the capabilities, if lists can change')] : [],
    ),
  ];
}

/** Streams that use up a resource that calls need. */
function unanswered(steps: readonly Step[], silent: readonly StreamEnd[], limit: Lifetime | null): Finding[] {
  const share = ({ calls, answered }: Step) => (calls ? 1 - (answered ?? 0) / calls : 0);
  const [before] = steps;
  const stuck = steps.find((step) => step.held > 0 && share(step) >= STREAMS.minUnanswered);
  if (before && stuck && share(before) < STREAMS.minUnanswered) {
    const last = steps.at(-1);
    const isBack = last && last.labels.streams === '0' && share(last) < STREAMS.minUnanswered;
    return [
      about(
        `with ${counted(stuck.heldAtMost, 'stream')} held the server answers no calls: ${percent(share(stuck))} got no answer` +
          (isBack ? '; they do again when the streams are closed' : ''),
        { held: stuck.heldAtMost, unanswered_share: share(stuck) },
        [
          remedy(
            'a held stream must not keep what calls need: a worker, a thread, or a connection of a pool',
          ),
        ],
      ),
    ];
  }
  // A stream that would have been cut before it began belongs to the limit's finding.
  const never = silent.filter(({ ageMs }) => !limit?.isWithheld || ageMs > limit.ms[2]);
  const [longest] = never.toSorted((a, b) => b.ageMs - a.ageMs);
  if (!longest) return [];
  return [
    about(
      `${counted(never.length, 'stream')} never began: no answer for up to ${duration(longest.ageMs / 1000)} (${longest.detail ?? ''})`,
      { never_began: never.length },
    ),
  ];
}

/** Who ends streams, and after what time. */
function lifetimes(cut: readonly StreamEnd[], found: Lifetime | null, record: Streams): Finding[] {
  if (cut.length === 0) return [];
  if (!found)
    return [
      about(
        `${counted(cut.length, 'stream')} of ${number(record.opened)} ended by themselves, after times that have nothing in common`,
        {
          ended: cut.length,
        },
      ),
    ];
  const [low, median, high] = found.ms.map((ms) => duration(ms / 1000));
  const after = found.kind === 'silence' ? `after ${median} of silence` : `${median} after they began`;
  const unsure = found.isUnsure
    ? '. Nothing had been sent on them: it may as well be a limit on their age'
    : '';
  const withheld = found.isWithheld
    ? '. Nor did they begin: what is between holds even the headers back until something is sent'
    : '';
  return [
    about(
      `the server, or something between, ends streams ${after}: ${number(found.count)} of ${number(cut.length)} that ended (${low} to ${high})${withheld || unsure}`,
      { limit_s: (found.ms[1] ?? 0) / 1000, ended: cut.length },
      [
        remedy(
          found.kind === 'silence'
            ? 'send a comment (": ping") on each stream more often than that, or raise the idle timeout of what is between'
            : 'raise the limit on the age of connections, or have clients come back',
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
        ? `calls took ${number(most.slowdown)} times as long with ${counted(most.heldAtMost, 'stream')} held: p95 ${milliseconds(without)} -> ${milliseconds(withMost)}`
        : `calls were not slower with ${counted(most.heldAtMost, 'stream')} held: p95 ${milliseconds(without)} -> ${milliseconds(withMost)}`,
      { slowdown: most.slowdown },
    ),
  ];
}

function cost(costs: readonly Cost[], areHeld: boolean): Finding[] {
  const { text, figures } = costText(costs, 'stream');
  if (!text) return [];
  return [about(`${areHeld ? 'a held stream' : 'each refused stream'} costs the server ${text}`, figures)];
}
