import { percent } from '../../../contract/units.js';
import { heaviestOther } from '../../collect/host-watch-series.ts';
import { TRUST } from '../../limits.ts';
import type { Known } from '../known.ts';
import { type Doubt, once } from './doubt.ts';
import { observation, type Span } from './spans.ts';

/**
 * If the target is on another machine, other processes matter only if k6 has to wait for CPU
 * (starved-generator.ts). If it runs on this machine but was not started by the stack, its processes cannot
 * be distinguished from unrelated ones.
 */
export function otherProcesses(known: Known, spans: Span[]): Doubt[] {
  const limit = known.plan.other_cpu_limit ?? TRUST.maxOtherCpu;
  // CPU that MAX_BACKGROUND_CPU allows is reported as well.
  const reportedFrom = Math.min(limit, TRUST.maxOtherCpu);
  const heavy = spans
    .flatMap((span) => {
      const { other_cpu: share = 0 } = span.watched;
      const kind = span.watch?.target;
      return share > reportedFrom && kind !== 'elsewhere'
        ? [{ ...span, span, share, ours: kind === 'own' }]
        : [];
    })
    .sort((a, b) => b.share - a.share);
  return once(heavy, ({ span, phase, share, ours }, where) => {
    const comm = span.watch && heaviestOther(span.watch, span.fromS, span.toS);
    const name = comm ? `, most of it by "${comm}"` : '';
    const used = `used ${percent(share)} of the machine's CPU in ${where}${name}`;
    return {
      invalid: ours && share > limit ? 'figures' : null,
      kind: 'note',
      subject: 'other processes',
      phase,
      statement: !ours
        ? `processes other than the generator and the server ${used}`
        : share > limit
          ? `other processes ${used}: above ${percent(limit)} the result is not trusted`
          : `other processes ${used}, which MAX_BACKGROUND_CPU allowed`,
      hint: ours
        ? 'stop them, or measure on a dedicated machine'
        : 'stop them unless they are part of the server',
      figures: { other_ratio: share, limit_ratio: limit },
      observations: [observation(known, spans, span, 'other_cpu', limit)],
    };
  });
}
