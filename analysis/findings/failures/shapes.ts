/** The shapes that failures may have: one function each, with its condition and its text. */
import { counted, duration, milliseconds, number, percent, perSecond } from '../../../contract/units.js';
import { FAILURES } from '../../limits.ts';
import { round } from '../../round.ts';
import type { Known } from '../known.ts';
import type { Again } from './again.ts';
import { type Cell, type Stratum, sumOf, where } from './cells.ts';
import { failingClients } from './clients.ts';
import { modesOf } from './modes.ts';
import { failingOf, type Own } from './operations.ts';
import { alongside, firstTogether } from './overlaps.ts';
import { inMeasured, REFUSED_KIND, replicasOf, unknownSessions } from './sessions.ts';
import { shareOf, sizeOf } from './shares.ts';
import { type Stretch, wellSince } from './times.ts';
import { exactClock, kindsText, namesOf, oneIn, othersText } from './wording.ts';

export type Facts = Pick<
  Known,
  'plan' | 'phases' | 'groups' | 'lines' | 'variables' | 'clients' | 'processes'
>;

/** A limiter's refusals depend on the load, even if they are spread evenly. */
const LIMITER = 'rate_limited';

export interface Shape {
  subject: string;
  /** Number of failures, or of slow answers, that the shape explains. */
  count: number;
  statement: string;
  operations: readonly string[];
  kind: string | null;
  /** The shape separates failures from successes. Otherwise it only describes their numbers. */
  isExact?: boolean;
  /** The load may cause the failures, so what limited the run is still reported. */
  mayBeLoad?: boolean;
  figures?: Record<string, number | null>;
  evidence: string[];
  again: Pick<Again, 'requests' | 'concurrency'> & Partial<Again>;
}

/** The failures to explain. */
export interface Context {
  own: Own | null;
  stratum: Stratum;
  /** All cells of the run. */
  cells: readonly Cell[];
  operations: readonly string[];
  /** Kind of the failures; null if there are several kinds. */
  kind: string | null;
  known: Facts;
}

export type Found = Omit<Shape, 'operations' | 'kind'> & Partial<Pick<Shape, 'operations'>>;

/** @returns the shape of failures that are limited to a time span */
export function stretchShape(stretch: Stretch, context: Context): Found | null {
  if (stretch.pattern === 'always') return alwaysShape(stretch, context);
  return stretch.pattern === 'window' ? windowShape(stretch, context) : sinceShape(stretch, context);
}

function alwaysShape({ failed }: Stretch, { own, stratum, operations, kind, known }: Context): Found {
  const calm = new Set(known.phases.filter(({ overload }) => !overload).map(({ name }) => name));
  const isBroken = kind !== LIMITER && stratum.cells.some(({ phase }) => calm.has(phase));
  const counts = `${number(failed)} of ${number(failed)}, ${kindsText(stratum)}`;
  return {
    subject: 'operation',
    count: failed,
    statement: own
      ? `${namesOf(operations)} always failed (${counts})${isBroken ? ': broken, not overloaded' : ''}; ${othersText(own)}`
      : `all calls failed (${counts})`,
    mayBeLoad: !isBroken,
    evidence: [],
    again: { requests: 10, concurrency: 1 },
  };
}

/** @returns the number of failed calls out of all calls, and how they failed */
function countsText({ fromMs, toMs, failed, well }: Stretch, stratum: Stratum): string {
  const inside = where(stratum, ({ at }) => at * 1000 > fromMs - 1000 && at * 1000 <= toMs);
  return `${number(failed)} of ${number(failed + well)}, ${kindsText(inside)}`;
}

const everyCall = ({ well }: Stretch, { own, operations }: Context): string =>
  `${well === 0 ? 'every' : 'nearly every'} ${own ? `call of ${namesOf(operations)}` : 'call'}`;

const alsoOthers = (own: Own | null): string => (own ? `; ${othersText(own)}` : '');

function windowShape(stretch: Stretch, context: Context): Found {
  const { fromMs, toMs, failed, before, after } = stretch;
  const { own, stratum, known } = context;
  const [fromS, toS] = [secondsInto(known, fromMs), secondsInto(known, toMs)];
  return {
    subject: 'window',
    count: failed,
    statement:
      `${everyCall(stretch, context)} that began between ${exactClock(fromS)} and ${exactClock(toS)} failed ` +
      `(${countsText(stretch, stratum)}); earlier and later calls succeeded${alsoOthers(own)}`,
    mayBeLoad: own === null,
    figures: { from_s: round(fromS), to_s: round(toS) },
    evidence: [
      `the failures lasted ${duration(round(toS - fromS, 1))}; ${counted(before, 'call')} succeeded before, ${number(after)} after`,
    ],
    again: { requests: 1000, concurrency: mostAtOnce(known) },
  };
}

function sinceShape(stretch: Stretch, context: Context): Found {
  const { fromMs, failed, well, before } = stretch;
  const { own, stratum, cells, operations, known } = context;
  const sinceS = secondsInto(known, fromMs);
  const togetherMs = firstTogether(known.groups, operations);
  // If the load is too high, the first overlapping calls are still answered.
  const isTogether =
    togetherMs !== null &&
    Math.abs(togetherMs - fromMs) <= FAILURES.togetherS * 1000 &&
    wellSince(stratum, togetherMs) <= FAILURES.maxAnswered;
  const all = sizeOf(sumOf({ kind: null, cells }));
  return {
    subject: isTogether ? 'overlap' : 'since',
    count: failed,
    statement:
      `since ${exactClock(sinceS)} ${everyCall(stretch, context)} failed (${countsText(stretch, stratum)})` +
      (isTogether
        ? `, when two calls first overlapped; ${counted(before, 'earlier call')}, one at a time, succeeded`
        : `; ${counted(before, 'earlier call')} succeeded`) +
      alsoOthers(own),
    mayBeLoad: own === null,
    figures: { since_s: round(sinceS), requests_before: before },
    evidence: [`${percent((failed + well) / all)} of the requests are affected`],
    again: isTogether
      ? { requests: 10, concurrency: 2 }
      : { requests: 2 * (before + failed), concurrency: 1 },
  };
}

/**
 * @returns the shape of an operation that fails while another one is in flight; null if its failures do not
 *   depend on that
 */
export function alongsideShape({ own, stratum, known }: Context): Found | null {
  const [operation, ...more] = failingOf(stratum);
  if (operation === undefined || more.length > 0) return null;
  const { failed: count } = sumOf(stratum);
  // Overlaps are only known for the failures of an operation as a whole, not by kind.
  const ofAnyKind = sumOf(where({ ...stratum, kind: null }, (cell) => cell.operation === operation)).failed;
  const found = ofAnyKind === count ? alongside(inMeasured(known), operation) : null;
  if (!found) return null;
  const { other, calls, failed, without } = found;
  const isOwn = other === operation;
  return {
    subject: 'overlap',
    count,
    statement:
      `${operation} failed ${without.failed === 0 ? 'only' : 'mostly'} while ${isOwn ? 'another of its calls' : `a call of ${other}`} was in flight: ` +
      `${number(failed)} of ${counted(calls, 'call')} then (${kindsText(stratum)}), ${number(without.failed)} of ${number(without.calls)} otherwise${alsoOthers(own)}`,
    operations: [operation],
    figures: { alongside: calls, alone: without.calls, alone_failed: without.failed },
    evidence: [],
    again: {
      operations: [operation, other],
      requests: Math.max(20, Math.ceil((10 * calls) / Math.max(1, failed))),
      concurrency: isOwn ? 2 : 4,
    },
  };
}

/** @returns the shape of VUs that always fail while others never do; null if VUs are alike */
export function clientsShape({ stratum, known }: Context): Found | null {
  const found = known.clients && failingClients(known.clients);
  const { failed: count } = sumOf(stratum);
  if (!found || count < found.calls) return null;
  const { clients, calls, well, mixed } = found;
  const all = clients + well + mixed;
  return {
    subject: 'clients',
    count,
    statement:
      `${number(clients)} of ${counted(all, 'client')} always failed (${counted(calls, 'call')}, ${kindsText(stratum)}), ${number(well)} never failed: ` +
      'the cause is specific to the client (session, connection or credentials)',
    operations: [],
    figures: { clients_failing: clients, clients_well: well },
    evidence: ['each VU is a client'],
    again: { requests: 10 * all, concurrency: all },
  };
}

/**
 * @returns the shape of a constant share of failures, independent of the load; null if the share depends on
 *   load or time
 */
export function shareShape({ own, stratum, kind, known }: Context): Found | null {
  const share = kind === LIMITER ? null : shareOf(stratum, known.phases);
  if (!share) return null;
  const { failed, loads } = share;
  const requests = sizeOf(share);
  const whose = own ? `calls of ${namesOf(own.operations)}` : 'calls';
  const [low, high] = loads;
  const each = loads.map((load) => `${oneIn(load.failed, sizeOf(load))} at ${perSecond(load.rps)}`);
  return {
    subject: 'share',
    count: failed,
    statement:
      `${oneIn(failed, requests)} ${whose} failed (${number(failed)} of ${number(requests)}, ${kindsText(stratum)}), ` +
      (high
        ? `independently of the load: ${each.join(', ')}`
        : `spread evenly over the run, at ${perSecond(low?.rps)}`) +
      alsoOthers(own),
    mayBeLoad: high === undefined && own === null,
    figures: { one_in: round(requests / failed, 1) },
    evidence: [],
    again: { requests: Math.ceil((5 * requests) / failed), concurrency: high ? 1 : mostAtOnce(known) },
  };
}

/** @returns the shape of failures that are limited to some operations; null if they are not */
export function ownShape({ own, stratum }: Context): Found | null {
  if (!own) return null;
  const sum = sumOf(stratum);
  const all = `${own.others.likewise > 0 ? 'nearly all' : 'all'} failures${stratum.kind === null ? '' : ' of this kind'}`;
  return {
    subject: 'operation',
    count: sum.failed,
    statement: `${all} are in ${namesOf(own.operations)}: ${number(sum.failed)} of ${counted(sizeOf(sum), 'request')} (${kindsText(stratum)}); ${othersText(own)}`,
    mayBeLoad: true,
    evidence: [],
    again: { requests: Math.max(20, Math.ceil((10 * sizeOf(sum)) / sum.failed)), concurrency: 1 },
  };
}

/** @returns the shape of sessions that are refused right after they were opened; none if they are not */
export function replicaShape(known: Facts, cells: readonly Cell[]): Shape[] {
  const found = unknownSessions(inMeasured(known));
  if (!found) return [];
  const { opened, refused, share } = found;
  return [
    {
      subject: 'replicas',
      count: sumOf({ kind: REFUSED_KIND, cells }).failed,
      statement:
        `about ${percent(share, 2)} of the calls reach a replica that does not know their session: ${number(refused)} of ` +
        `${counted(opened, 'session')} were refused on first use, right after being opened`,
      operations: [],
      kind: REFUSED_KIND,
      figures: { sessions_opened: opened, sessions_refused: refused, replicas: replicasOf(found) },
      evidence: [
        `this looks like ${number(replicasOf(found))} servers behind one address that do not share sessions: use sticky sessions, or share sessions between the servers`,
      ],
      again: { requests: 20, concurrency: 2 },
    },
  ];
}

/** @returns the shape of answers that take one of two times; none if they do not */
export function modeShape(known: Facts): Shape[] {
  const found = modesOf(inMeasured(known), known.phases);
  if (!found) return [];
  const { operations, fast_ms, slow_ms, slow, calls, loads } = found;
  const planned = known.plan.operations.length;
  const each = loads.map((load) => `${percent(load.share)} at ${perSecond(load.rps)}`);
  const whose = operations.length < planned ? `answers of ${namesOf(operations)}` : 'answers';
  return [
    {
      subject: 'modes',
      count: slow,
      statement:
        `${whose} have one of two latencies: ${milliseconds(fast_ms)}, or ${milliseconds(slow_ms)} (${percent(slow / calls)} of them)` +
        (loads.length > 1 ? `, independently of the load: ${each.join(', ')}` : ''),
      operations: operations.length < planned ? operations : [],
      kind: null,
      figures: { fast_ms: round(fast_ms), slow_ms: round(slow_ms), slow_share: round(slow / calls, 4) },
      evidence: [
        'such an exact latency is often a timeout followed by a retry behind the server; it may also depend on the arguments or on a service',
      ],
      again: { requests: Math.ceil((5 * calls) / slow), concurrency: 1 },
    },
  ];
}

/** @param ms Unix time, milliseconds @returns seconds since the start of the first phase */
export const secondsInto = ({ phases }: Pick<Facts, 'phases'>, ms: number): number =>
  (ms - Math.min(...phases.flatMap(({ start }) => (start === null ? [] : [Date.parse(start)])))) / 1000;

const mostAtOnce = ({ plan }: Facts): number =>
  Math.max(1, ...plan.phases.map(({ max_vus, vus }) => max_vus ?? vus ?? 1));
