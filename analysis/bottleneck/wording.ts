/**
 * Renders a resource that limited the run as a finding. See no-suspect.ts for runs without such a resource.
 */
import { clock, duration, inUnit, milliseconds, number, percent } from '../../contract/units.js';
import type { TimeSeries } from '../collect/timeline.ts';
import type { Finding, Observation } from '../findings/finding.ts';
import { remedy } from '../findings/remedy.ts';
import { BOTTLENECK } from '../limits.ts';
import { round } from '../round.ts';
import type { Blocker } from './blocking-tool.ts';
import type { Case, Suspect } from './bottleneck.ts';
import { DERIVED } from './derived.ts';
import type { Held } from './readings.ts';
import type { Cause } from './resources.ts';
import { fullestIn, levelIn, type Window } from './windows.ts';

const CONFIDENCE = ['high', 'medium', 'low'] as const;
/** Names of the parts of a request's time. */
const PLACES = {
  generator: 'in the load generator',
  way: 'in the network',
  pool: 'waiting for a pool connection',
  database: 'in database statements',
  cache: 'in the cache',
  upstream: 'in services behind the server',
  server: 'in the server itself',
};
/** Smaller shares are not mentioned. */
export const WORTH = 0.05;

export function resourceFound(
  context: Case,
  {
    first,
    others,
    symptoms,
    doubts,
  }: { first: Suspect; others: Suspect[]; symptoms: Suspect[]; doubts: string[] },
): Finding {
  const { breakage, parts } = context;
  const { resource, causes, held, part, correlation, firstS } = first;
  const [cause] = causes as [Cause];
  const lead = firstS === null ? null : round(breakage.onsetS - firstS, 1);
  const says = phrase(cause.says, context);
  const evidence = [
    breakage.statement,
    ...comparedWith(context),
    ...held.map((one) => readingText(one, context)),
    ...partsText(parts),
    ...leadText(lead),
  ];
  if (correlation && correlation.rho >= BOTTLENECK.minCorrelationSaid)
    evidence.push(
      `rank correlation of ${nameOf(correlation.series)} with p99, at a given load: ${number(correlation.rho, 2)}`,
    );
  if (symptoms.length > 0)
    evidence.push(
      `symptoms: ${symptoms.map((one) => `${one.resource.subject} (${one.causes[0]?.id})`).join(', ')}`,
    );
  if (others.length > 0)
    evidence.push(
      `also at a limit, less likely: ${others.map((one) => `${one.resource.subject} (${one.causes[0]?.id}: ${phrase(one.causes[0]?.says ?? '', context)})`).join('; ')}`,
    );
  evidence.push(...doubts.map((doubt) => `lowers confidence: ${doubt}`), remedy(cause.hint));
  return {
    kind: 'bottleneck',
    subject: resource.subject,
    phase: breakage.phase.name,
    confidence: CONFIDENCE[Math.min(doubts.length, CONFIDENCE.length - 1)] ?? 'low',
    statement: `the ${resource.subject} limited the run in ${breakage.phase.name} (${cause.id})${says && `: ${says}`}`,
    figures: {
      added_ms: parts ? round(parts.addedS * 1000) : null,
      part_ratio: part === null ? null : round(part),
      lead_s: lead,
      correlation_ratio: correlation ? round(correlation.rho) : null,
    },
    evidence,
    observations: [breakage.observation, ...held.flatMap((one) => observationsOf(one, context))],
  };
}

export function comparedWith({ breakage: { baseline } }: Case): string[] {
  return baseline ? [] : ['there is no earlier phase to compare with; only absolute limits were checked'];
}

/** @param series is rendered as words of a sentence */
const nameOf = (series: string) => series.replace(/^client\./, "clients' ").replaceAll('_', ' ');

const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString();

function readingText(
  { reading, unit, from, to, threshold, atS }: Held,
  { breakage: { phase }, startedS }: Case,
) {
  const limit = threshold === null ? "the machine's top consumer" : `limit: ${inUnit(unit, threshold)}`;
  const before = from === null ? '' : `, baseline ${inUnit(unit, from)}`;
  const when = atS === null ? '' : `, reached at ${clock(atS - startedS)}`;
  const now = to === null ? 'nothing' : inUnit(unit, to);
  return `${nameOf(reading.series)} (${reading.role}): ${now} in ${phase.name}${before}; ${limit}${when}`;
}

export function partsText(parts: Case['parts']): string[] {
  if (!parts) return [];
  // The parts are measured independently, so their sum may exceed 1. Shares are truncated, not rounded, for
  // the same reason.
  const total = Math.max(
    1,
    Object.values(parts.shares).reduce((sum, share) => sum + share, 0),
  );
  const where = Object.entries(PLACES)
    .map(([part, place]) => {
      const share = (parts.shares[part as keyof typeof PLACES] ?? 0) / total;
      return { place, share: Math.floor(100 * share + 1e-9) / 100 };
    })
    .filter(({ share }) => share >= WORTH)
    .toSorted((a, b) => b.share - a.share)
    .map(({ place, share }) => `${percent(share)} ${place}`);
  const spent = where.length > 0 ? `: ${where.join(', ')}` : '';
  return [`a request took ${milliseconds(parts.addedS * 1000)} longer on average${spent}`];
}

/** @param lead seconds */
function leadText(lead: number | null): string[] {
  if (lead === null) return [];
  if (lead === 0) return ['the limit was reached when the run degraded'];
  return [
    `the limit was reached ${duration(Math.abs(lead))} ${lead > 0 ? 'before' : 'after'} the run degraded`,
  ];
}

/** @returns the text without the clauses whose values are unknown */
function phrase(says: string, { reader, blocker, breakage: { normal, broken } }: Case): string {
  if (says === '{tool}') return blocker ? blockerText(blocker) : '';
  return says
    .split(';')
    .flatMap((text) => {
      let known = true;
      // Without a baseline, its values are left out.
      const withoutUnknown = text.replace(
        / \(baseline \{([\w.]+?)\.from\}[^)]*\)|; baseline \{([\w.]+?)\.from\}/g,
        (part, alone, last) => (levelIn(reader.series(alone ?? last), normal) === null ? '' : part),
      );
      const filled = withoutUnknown.replace(
        /\{(\w+?|client\.\w+?)(?:\.(from|destination|program))?\}/g,
        (_, name, of) => {
          const series = reader.series(name);
          if (of === 'destination') return series?.destination ?? 'the database';
          if (of === 'program') return series?.program ?? 'it';
          const level = of ? levelIn(series, normal) : shownIn(series, broken);
          if (level === null) known = false;
          return inUnit(series?.unit ?? '', level);
        },
      );
      return known ? [filled.trim()] : [];
    })
    .join(', ');
}

/** @returns the level as readings.ts computes it: a ratio is a utilization */
const shownIn = (series: TimeSeries | null, window: Window) =>
  series?.unit === 'ratio' ? fullestIn(series, window) : levelIn(series, window);

function blockerText({ operation, heldRatio, callS, othersS }: Blocker) {
  const [call, others] = [callS, othersS].map((seconds) => milliseconds(1000 * seconds));
  return `${operation} blocked it ${percent(Math.min(1, heldRatio))} of the time: in the baseline its calls took ${call} and the other calls ${others}, then all slowed down together`;
}

/** @returns for a derived series, the series that it is computed from: only those exist in Prometheus */
function observationsOf(
  { reading, unit, from, to, threshold, atS }: Held,
  { reader, breakage: { normal, broken } }: Case,
): Observation[] {
  const at = atS === null ? null : isoOf(atS);
  const derived = DERIVED[reading.series];
  if (!derived) return [{ series: reading.series, unit, from, to, threshold, at }];
  return [...new Set(sourcesOf(reading.series))].map((name) => {
    const series = reader.series(name);
    const [before, now] = [normal, broken].map((window) => levelIn(series, window));
    return {
      series: name,
      unit: series?.unit ?? '',
      from: before ?? null,
      to: now ?? null,
      threshold: null,
      at,
    };
  });
}

function sourcesOf(name: string): string[] {
  return DERIVED[name]?.from.flatMap(sourcesOf) ?? [name];
}
