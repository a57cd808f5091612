import { counted, percent } from '../../../contract/units.js';
import { PUSH_S } from '../../collect/k6-log.ts';
import { TRUST } from '../../limits.ts';
import type { Known } from '../known.ts';
import { type Doubt, once, timeOf } from './doubt.ts';

/** Lost writes leave visible gaps in charts and signals. They do not affect figures, which come from k6. */
export function lostPushes({ phases, log }: Known): Doubt[] {
  const { failedPushesS } = log;
  const lost = phases
    .flatMap((phase) => {
      if (!phase.measured || phase.start === null || phase.end === null) return [];
      const [fromS, toS] = [Date.parse(phase.start) / 1000, Date.parse(phase.end) / 1000];
      const seconds = PUSH_S * failedPushesS.filter((atS) => atS > fromS && atS <= toS).length;
      const share = Math.min(1, seconds / (toS - fromS));
      return share > TRUST.maxLostWrites ? [{ name: phase.name, share }] : [];
    })
    .sort((a, b) => b.share - a.share);
  const [first, last] = [failedPushesS[0] ?? Number.NaN, failedPushesS.at(-1) ?? Number.NaN];
  return once(lost, ({ name, share }, where) => ({
    invalid: null,
    kind: 'note',
    subject: 'remote write',
    phase: name,
    statement:
      `k6 could not write to Prometheus for ${percent(share)} of ${where}: ` +
      'charts and findings miss this time; latencies and counts are complete',
    hint: 'check that Prometheus runs and has enough CPU and disk',
    figures: { failed_pushes: failedPushesS.length, lost_ratio: share, limit_ratio: TRUST.maxLostWrites },
    evidence: [
      `${counted(failedPushesS.length, 'write')} of ${PUSH_S} s each failed between ${timeOf(first)} and ${timeOf(last)}`,
    ],
  }));
}
