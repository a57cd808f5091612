import { milliseconds, percent } from '../../../contract/units.js';
import { heaviestOther } from '../../collect/host-watch-series.ts';
import { TRUST } from '../../limits.ts';
import type { Known } from '../known.ts';
import { type Doubt, once } from './doubt.ts';
import { observation, type Span } from './spans.ts';

export function starvedGenerator(known: Known, spans: Span[]): Doubt[] {
  const starved = spans
    .flatMap((span) => {
      // Shorter spans have too few timer ticks for a mean.
      if (span.toS - span.fromS < TRUST.minSpanS) return [];
      const { generator_delay: delayMs = 0 } = span.watched;
      const limit = span.fills ? TRUST.maxDelayShareIfFull : TRUST.maxDelayShare;
      const leastMs = span.meanMs === null ? TRUST.minDelayAloneMs : TRUST.minDelayMs;
      // If no call was answered, all of the delay counts as k6's.
      const share = delayMs / (span.meanMs ?? delayMs);
      return delayMs > leastMs && share > limit ? [{ ...span, span, delayMs, share, limit }] : [];
    })
    .sort((a, b) => b.share / b.limit - a.share / a.limit);
  return once(starved, ({ span, phase, delayMs, share, limit, meanMs }, where) => {
    const { other_cpu: other = 0 } = span.watched;
    const comm = span.watch && heaviestOther(span.watch, span.fromS, span.toS);
    const from = other > TRUST.maxOtherCpu && comm ? `; ${comm} uses it` : '';
    return {
      invalid: 'figures',
      kind: 'generator',
      subject: 'generator CPU',
      phase,
      statement:
        `the load generator was short of CPU in ${where}: answers waited ${milliseconds(delayMs)} for k6, while ` +
        `${meanMs === null ? 'no call was answered' : `a call took ${milliseconds(meanMs)}`}${from}`,
      hint: 'give k6 more CPU (no other load on the machine, a higher priority, more processors, another machine), or offer less load (RATE_SCALE)',
      figures: {
        delay_ms: delayMs,
        mean_latency_ms: meanMs,
        delay_ratio: share,
        limit_ratio: limit,
      },
      evidence: [`a k6 timer was late by ${percent(share)} of the mean latency; limit: ${percent(limit)}`],
      observations: [observation(known, spans, span, 'generator_delay', limit * (meanMs ?? 0))],
    };
  });
}
