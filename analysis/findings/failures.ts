/**
 * The shape of a run's failures: whose they are, since when, and how they cluster. Each is an exact test of counts against chance; what
 * chance would explain is not said.
 */
import { counted, duration, milliseconds, number, percent, perSecond } from '../../contract/units.js';
import { inScope } from '../collect/groups.ts';
import { round } from '../round.ts';
import { type Again, againCommand } from './failures/again.ts';
import { cellsOf, type Stratum, sumOf, where } from './failures/cells.ts';
import { modesOf } from './failures/modes.ts';
import { failingOf, type Own, ownOf } from './failures/operations.ts';
import { alongside, firstTogether } from './failures/overlaps.ts';
import { REFUSED_KIND, replicasOf, unknownSessions } from './failures/sessions.ts';
import { shareOf } from './failures/shares.ts';
import { type Stretch, stretchOf } from './failures/times.ts';
import { exactClock, kindsText, namesOf, oneIn, othersText } from './failures/wording.ts';
import type { Finding, Known } from './findings.ts';

export type Facts = Pick<Known, 'plan' | 'phases' | 'groups' | 'lines' | 'variables'>;

/** What is shown: the shapes that explain most. */
const MAX_SHOWN = 3;
/** With fewer, it is one mishap or another. */
const MIN_FAILURES = 5;
/** Of all failures, what a shape of one kind has to explain to be told. */
const MIN_EXPLAINED = 0.02;
/** A failure and what set it off, seconds apart. */
const TOGETHER_S = 1.5;
interface Shape {
  subject: string;
  /** Failures, or slow answers, that it explains. */
  count: number;
  statement: string;
  operations: readonly string[];
  kind: string | null;
  figures?: Record<string, number | null>;
  evidence: string[];
  again: Pick<Again, 'requests' | 'concurrency'>;
}

/** @returns at most three, that which explains most first */
export function failureShapes(known: Facts): Finding[] {
  const { phases, lines, plan, variables } = known;
  const measured = phases.filter((phase) => phase.measured);
  const cells = cellsOf(lines, measured);
  const all = sumOf({ kind: null, cells });
  const replicas = replicaShape(known);
  const shapes = [...replicas, ...modeShape(known)];
  if (all.count >= MIN_FAILURES) {
    const kinds = [...new Set(cells.flatMap((cell) => [...cell.kinds.keys()]))];
    const whole = replicas.length > 0 ? null : shapeOf({ kind: null, cells }, known);
    // What explains all of them explains each kind.
    if (whole) shapes.push(whole);
    else
      for (const kind of kinds) {
        const { count } = sumOf({ kind, cells });
        const isTold = replicas.length > 0 && kind === REFUSED_KIND;
        if (isTold || count < Math.max(MIN_FAILURES, MIN_EXPLAINED * all.count)) continue;
        const found = kinds.length > 1 ? shapeOf({ kind, cells }, known) : null;
        if (found) shapes.push(found);
      }
  }
  return shapes
    .toSorted((a, b) => b.count - a.count)
    .slice(0, MAX_SHOWN)
    .map(({ subject, count, statement, operations, kind, figures, evidence, again }) => {
      const command = againCommand({ operations, ...again }, plan, variables);
      return {
        kind: 'failures' as const,
        subject,
        phase: null,
        confidence: 'high' as const,
        statement,
        ...(operations.length === 1 && { operation: operations[0] }),
        ...(kind && { failure_kind: kind }),
        figures: { explained: count, failed: all.count, ...figures },
        evidence: [...evidence, ...(command ? [`to see it again: ${command}`] : [])],
      };
    });
}

/** @returns what the failures of a kind, or all of them, have in common; null: nothing that chance or the load would not make */
function shapeOf(all: Stratum, known: Facts): Shape | null {
  const planned = known.plan.operations.map(({ operation }) => operation);
  // Handshakes that go well, as long as calls do, say nothing of the calls.
  const whole = where(all, (cell) => planned.includes(cell.operation) || cell.kinds.size > 0);
  const own = ownOf(whole, planned);
  const stratum = own?.stratum ?? whole;
  const operations = own?.operations ?? [...new Set(whole.cells.map(({ operation }) => operation))];
  const stretch = stretchOf(stratum);
  const kind = whole.kind ?? onlyKind(stratum);
  const context = { own, stratum, operations, known };
  const found =
    (stretch && stretchShape(stretch, context)) ??
    alongsideShape(context) ??
    shareShape(context) ??
    ownShape(context);
  return found && { kind, operations: own?.operations ?? [], ...found };
}

interface Context {
  own: Own | null;
  stratum: Stratum;
  operations: readonly string[];
  known: Facts;
}

type Found = Omit<Shape, 'operations' | 'kind'> & Partial<Pick<Shape, 'operations'>>;

function stretchShape(stretch: Stretch, { own, stratum, operations, known }: Context): Found | null {
  const { pattern, fromMs, toMs, failed, requests, before, after } = stretch;
  const sinceS = secondsInto(known, fromMs);
  const inside = where(stratum, ({ at }) => at * 1000 > fromMs - 1000 && at * 1000 <= toMs);
  const counts = `${number(failed)} of ${number(requests)}, ${kindsText(inside)}`;
  const others = othersText(own);
  const every = failed === requests ? 'every' : 'nearly every';
  if (pattern === 'always')
    return {
      subject: 'operation',
      count: failed,
      statement: own
        ? `${namesOf(operations)} never answered well (${counts}): broken, not overloaded; ${others}`
        : `nothing was answered well (${counts})`,
      evidence: [],
      again: { requests: 10, concurrency: 1 },
    };
  const whose = own ? `call of ${namesOf(operations)}` : 'call';
  if (pattern === 'window') {
    const untilS = secondsInto(known, toMs);
    return {
      subject: 'window',
      count: failed,
      statement:
        `${every} ${whose} that began between ${exactClock(sinceS)} and ${exactClock(untilS)} failed (${counts}); ` +
        `earlier and later ones were answered${own ? `; ${others}` : ''}`,
      figures: { from_s: round(sinceS), to_s: round(untilS) },
      evidence: [
        `it lasted ${duration(round(untilS - sinceS, 1))}; ${number(before)} went well before it, and ${number(after)} after it`,
      ],
      again: { requests: 1000, concurrency: mostAtOnce(known) },
    };
  }
  const togetherMs = firstTogether(known.groups, operations);
  const isTogether = togetherMs !== null && Math.abs(togetherMs - fromMs) <= TOGETHER_S * 1000;
  const all = sumOf({ kind: null, cells: cellsOf(known.lines, known.phases) }).requests;
  return {
    subject: isTogether ? 'overlap' : 'since',
    count: failed,
    statement:
      `since ${exactClock(sinceS)} ${every} ${whose} failed (${counts})` +
      (isTogether
        ? `, when two were first in flight together; the ${number(before)} before it, one at a time, went well`
        : `; ${number(before)} before it went well`) +
      (own ? `; ${others}` : ''),
    figures: { since_s: round(sinceS), requests_before: before },
    evidence: [`they are ${percent(requests / Math.max(1, all))} of the load`],
    again: isTogether
      ? { requests: 10, concurrency: 2 }
      : { requests: 2 * (before + failed), concurrency: 1 },
  };
}

function alongsideShape({ own, stratum, known }: Context): Found | null {
  const [operation, ...more] = failingOf(stratum);
  const found = operation !== undefined && more.length === 0 && alongside(inMeasured(known), operation);
  if (!found) return null;
  const { other, calls, failed, without } = found;
  const isOwn = other === operation;
  return {
    subject: 'overlap',
    count: sumOf(stratum).count,
    statement:
      `${operation} failed only while ${isOwn ? 'another of its own calls' : `a call of ${other}`} was in flight: ` +
      `${number(failed)} of ${counted(calls, 'call')} then (${kindsText(stratum)}), ${number(without.failed)} of ${number(without.calls)} at other times${own ? `; ${othersText(own)}` : ''}`,
    operations: [operation],
    figures: { alongside: calls, alone: without.calls, alone_failed: without.failed },
    evidence: [],
    again: {
      requests: Math.max(20, Math.ceil((10 * calls) / Math.max(1, failed))),
      concurrency: isOwn ? 2 : 4,
    },
  };
}

function shareShape({ own, stratum, known }: Context): Found | null {
  const share = shareOf(stratum, known.phases);
  if (!share) return null;
  const { failed, requests, loads } = share;
  const whose = own ? `calls of ${namesOf(own.operations)}` : 'calls';
  const [low, high] = loads;
  const each = loads.map((load) => `${oneIn(load.failed, load.requests)} at ${perSecond(load.rps)}`);
  return {
    subject: 'share',
    count: failed,
    statement:
      `${oneIn(failed, requests)} ${whose} failed (${number(failed)} of ${number(requests)}, ${kindsText(stratum)}), ` +
      (high
        ? `whatever the load: ${each.join(', ')}`
        : `spread evenly over the run, at ${perSecond(low?.rps)}`) +
      (own ? `; ${othersText(own)}` : ''),
    figures: { one_in: round(requests / failed, 1) },
    evidence: [],
    again: { requests: Math.ceil((5 * requests) / failed), concurrency: 1 },
  };
}

function ownShape({ own, stratum }: Context): Found | null {
  if (!own) return null;
  const { count, requests } = sumOf(stratum);
  return {
    subject: 'operation',
    count,
    statement: `all failures are of ${namesOf(own.operations)}: ${number(count)} of ${counted(requests, 'request')} (${kindsText(stratum)}); ${othersText(own)}`,
    evidence: [],
    again: { requests: Math.max(20, Math.ceil((10 * requests) / count)), concurrency: 1 },
  };
}

function replicaShape(known: Facts): Shape[] {
  const found = unknownSessions(inMeasured(known));
  if (!found) return [];
  const failed = sumOf(
    where({ kind: REFUSED_KIND, cells: cellsOf(known.lines, known.phases) }, () => true),
  ).count;
  const { opened, refused, share } = found;
  return [
    {
      subject: 'replicas',
      count: failed,
      statement:
        `about ${percent(share, 2)} of the calls reach a replica that does not know their session: ${number(refused)} of ` +
        `${counted(opened, 'session')} were refused at their first use, right after they were opened`,
      operations: [],
      kind: REFUSED_KIND,
      figures: { sessions_opened: opened, sessions_refused: refused, replicas: replicasOf(found) },
      evidence: [
        `as if ${number(replicasOf(found))} servers took turns behind one address, each with sessions of its own: let the balancer keep a session on its server, or let them share sessions`,
      ],
      again: { requests: 20, concurrency: 2 },
    },
  ];
}

function modeShape(known: Facts): Shape[] {
  const found = modesOf(inMeasured(known), known.phases);
  if (!found) return [];
  const { operations, fast_ms, slow_ms, slow, calls, loads } = found;
  const names = new Set(known.plan.operations.map(({ operation }) => operation));
  const each = loads.map((load) => `${percent(load.share)} at ${perSecond(load.rps)}`);
  const whose = operations.length < names.size ? `answers of ${namesOf(operations)}` : 'answers';
  return [
    {
      subject: 'modes',
      count: slow,
      statement:
        `${whose} take one of two times: ${milliseconds(fast_ms)}, or ${milliseconds(slow_ms)} (${percent(slow / calls)} of them)` +
        (loads.length > 1 ? `, whatever the load: ${each.join(', ')}` : ''),
      operations: operations.length < names.size ? operations : [],
      kind: null,
      figures: { fast_ms: round(fast_ms), slow_ms: round(slow_ms), slow_share: round(slow / calls, 4) },
      evidence: [
        'so exact a time, at any load, is that of a timeout and another attempt, in the server or behind it',
      ],
      again: { requests: Math.ceil((5 * calls) / slow), concurrency: 1 },
    },
  ];
}

const inMeasured = ({ groups, phases }: Facts) =>
  phases.filter((phase) => phase.measured).flatMap(({ name }) => inScope(groups, { phase: name }));

/** @returns the kind that all failures are of; null: they are of several */
function onlyKind({ cells }: Stratum): string | null {
  const [first = null, ...others] = new Set(cells.flatMap(({ kinds }) => [...kinds.keys()]));
  return others.length > 0 ? null : first;
}

const secondsInto = ({ phases }: Facts, ms: number): number =>
  (ms - Math.min(...phases.flatMap(({ start }) => (start === null ? [] : [Date.parse(start)])))) / 1000;

const mostAtOnce = ({ plan }: Facts): number =>
  Math.max(1, ...plan.phases.map(({ max_vus, vus }) => max_vus ?? vus ?? 1));
