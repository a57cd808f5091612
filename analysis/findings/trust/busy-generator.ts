import { percent } from '../../../contract/units.js';
import { TRUST } from '../../limits.ts';
import type { Known } from '../known.ts';
import { type Doubt, once } from './doubt.ts';
import { observation, type Span } from './spans.ts';

/**
 * Uses the share of the CPU that k6 may use, if known; otherwise the machine's CPU, as reported by k6's own
 * metrics.
 */
export function busyGenerator(known: Known, spans: Span[]): Doubt[] {
  const limit = TRUST.maxGeneratorCpu;
  const busy = spans
    .flatMap((span) => {
      const allowed = span.watched.generator_allowed;
      const ofMachine = known.server.signals.find(
        ({ signal, phase }) => signal === 'generator_cpu' && phase === span.phase,
      )?.avg;
      const used = allowed ?? ofMachine;
      return used !== undefined && used > limit
        ? [{ ...span, span, used, machine: allowed === undefined }]
        : [];
    })
    .sort((a, b) => b.used - a.used);
  return once(busy, ({ span, phase, used, machine }, where) => ({
    invalid: 'figures',
    kind: 'generator',
    subject: 'generator CPU',
    phase,
    statement:
      `the load generator used ${percent(used)} of ${machine ? "the machine's CPU" : 'its allowed CPU'} in ${where}; ` +
      `above ${percent(limit)} the result is not trusted: latencies include its own waiting`,
    hint: 'offer less load (RATE_SCALE), or give k6 more processors (affinity, cgroup, GOMAXPROCS, a larger machine)',
    figures: { used_ratio: used, limit_ratio: limit },
    observations: [
      machine
        ? { series: 'generator_cpu', unit: 'ratio', from: null, to: used, threshold: limit, at: null }
        : observation(known, spans, span, 'generator_allowed', limit),
    ],
  }));
}
