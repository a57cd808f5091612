import { percent } from '../../../contract/units.js';
import { heaviestOther } from '../../collect/host-watch-series.ts';
import { TRUST } from '../../limits.ts';
import type { Known } from '../known.ts';
import { type Doubt, once } from './doubt.ts';
import { observation, type Span } from './spans.ts';

/**
 * Where the target is on another machine, others matter as far as k6 waits for them: the rule above. Where it is here and
 * not one of ours, what belongs to it can't be told from what does not.
 */
export function otherProcesses(known: Known, spans: Span[]): Doubt[] {
  const limit = known.plan.other_cpu_limit ?? TRUST.maxOtherCpu;
  // What a run allowed by MAX_BACKGROUND_CPU is told all the same.
  const told = Math.min(limit, TRUST.maxOtherCpu);
  const heavy = spans
    .flatMap((span) => {
      const { other_cpu: share = 0 } = span.watched;
      const kind = span.watch?.target;
      return share > told && kind !== 'elsewhere' ? [{ ...span, span, share, ours: kind === 'own' }] : [];
    })
    .sort((a, b) => b.share - a.share);
  return once(heavy, ({ span, phase, share, ours }, where) => {
    const comm = span.watch && heaviestOther(span.watch, span.fromS, span.toS);
    const name = comm ? `, most of it ${comm}` : '';
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
        ? 'end them, or measure on a machine that does nothing else'
        : 'end them if they are not part of the server',
      figures: { other_ratio: share, limit_ratio: limit },
      observations: [observation(known, spans, span, 'other_cpu', limit)],
    };
  });
}
