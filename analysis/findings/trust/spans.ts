/** The time spans in which the generator is checked. */
import { generatorIn } from '../../collect/generator.ts';
import type { HostWatch } from '../../collect/host-watch-record.ts';
import { type Watched, watchedWithin } from '../../collect/host-watch-series.ts';
import { sumsWithin, Within } from '../../collect/seconds.ts';
import { callsOf, type Phase } from '../../judge/phases.ts';
import { TRUST } from '../../limits.ts';
import type { Observation } from '../finding.ts';
import type { Known } from '../known.ts';

/** A span that is checked as a whole: a phase, or all phases that are too short on their own. */
export interface Span {
  name: string;
  phase: string | null;
  /** Unix time. */
  fromS: number;
  toS: number;
  /** Fills the machine by design: an overload, or a closed model without pauses. */
  fills: boolean;
  /** Mean latency. */
  meanMs: number | null;
  watch: HostWatch | undefined;
  /** Signals of the generator and of the CPU monitor; unknown signals are absent. */
  watched: Watched;
}

export function spansOf({ phases, watches, lines, cores }: Known): Span[] {
  const ran = phases.flatMap((phase) => {
    if (!phase.measured || phase.start === null || phase.end === null) return [];
    // Steps of a search exceed the limit on purpose. The rate that the search finds is held and checked
    // afterwards.
    if (phase.labels.kind === 'step') return [];
    const [fromS, toS] = [Date.parse(phase.start) / 1000, Date.parse(phase.end) / 1000];
    const { name, overload, offered_rps, latency_ms } = phase;
    const fills = overload || offered_rps === null;
    return [{ name, phase: name, fromS, toS, fills, meanMs: latency_ms?.avg ?? null }];
  });
  const short = ran.filter(({ fromS, toS }) => toS - fromS < TRUST.minSpanS);
  const together =
    short.length > 1
      ? [
          {
            name: `${short[0]?.name} to ${short.at(-1)?.name}`,
            phase: null,
            fills: short.every(({ fills }) => fills),
            fromS: Math.min(...short.map(({ fromS }) => fromS)),
            toS: Math.max(...short.map(({ toS }) => toS)),
            meanMs: meanOf(phases.filter(({ name }) => short.some((one) => one.name === name))),
          },
        ]
      : short;
  const spans = [...ran.filter((one) => !short.includes(one)), ...together];
  const sums = sumsWithin(lines, spans);
  return spans.map((span, index) => {
    const { fromS, toS } = span;
    const seen = watches
      .map((watch) => ({ watch, watched: watchedWithin(watch, fromS, toS) }))
      .find(({ watched }) => Object.keys(watched).length > 0);
    const ofGenerator = generatorIn(sums[index] ?? new Within(), cores);
    return { ...span, watch: seen?.watch, watched: { ...seen?.watched, ...ofGenerator } };
  });
}

/** @returns the mean over all calls; means can be combined, percentiles cannot */
function meanOf(phases: Phase[]): number | null {
  const calls = phases.reduce((sum, phase) => sum + callsOf(phase), 0);
  const all = phases.reduce((sum, phase) => sum + callsOf(phase) * (phase.latency_ms?.avg ?? 0), 0);
  return calls > 0 ? all / calls : null;
}

/**
 * @param threshold null if there is none
 * @returns the level of the series in the span, and the time at which it passed the threshold
 */
export function observation(
  { timeline }: Known,
  spans: Span[],
  span: Span,
  series: string,
  threshold: number | null,
): Observation {
  const points = timeline?.signals[series];
  const index =
    timeline && points && threshold !== null
      ? points.values.findIndex((value, i) => {
          const atS = timeline.start_s + i * timeline.step_s;
          return value !== null && value > threshold && atS > span.fromS && atS <= span.toS;
        })
      : -1;
  const before = spans[0] === span ? undefined : spans[0]?.watched[series];
  return {
    series,
    unit: points?.unit ?? (series === 'generator_delay' ? 'milliseconds' : 'ratio'),
    from: before ?? null,
    to: span.watched[series] ?? null,
    threshold,
    at:
      index >= 0 && timeline
        ? new Date((timeline.start_s + index * timeline.step_s) * 1000).toISOString()
        : null,
  };
}
