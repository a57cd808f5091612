import { counted, number, percent, perSecond } from '../../../contract/units.js';
import { isBlurred } from '../../collect/signals.ts';
import { peaks } from '../../judge/phases.ts';
import type { Finding } from '../finding.ts';
import type { Known } from '../known.ts';
import { note } from '../note.ts';

/** Reports the effect of an overload phase, which is not judged. */
export function overload({ phases, server }: Known): Finding[] {
  return peaks(phases)
    .filter((phase) => phase.iterations !== null)
    .map((phase) => {
      /**
       * @param name signal of a rate of events
       * @returns the number of events in this phase, from their mean rate; null if unknown
       */
      const events = (name: string) => {
        if (isBlurred(phase.duration_s)) return null;
        const signal = server.signals.find((one) => one.signal === name && one.phase === phase.name);
        return signal ? Math.round(signal.avg * phase.duration_s) : null;
      };
      const figures = {
        offered_rps: phase.offered_rps,
        achieved_rps: phase.achieved_rps,
        failure_rate: phase.failure_rate,
        rate_limited_requests: phase.failures?.rate_limited ?? 0,
        rate_limit_hits: events('rate_limited'),
        breaker_trips: events('breaker_open'),
      };
      const counts = [
        [figures.rate_limit_hits, 'rate-limit hit'],
        [figures.breaker_trips, 'breaker trip'],
      ].flatMap(([count, noun]) =>
        count === null
          ? []
          : Number(count) === 0
            ? `no ${noun}`
            : `about ${counted(Number(count), String(noun))}`,
      );
      const load =
        phase.offered_rps === null
          ? perSecond(phase.achieved_rps)
          : `${perSecond(phase.achieved_rps)} of ${perSecond(phase.offered_rps)} (${number(phase.dropped)} dropped)`;
      return note(
        'overload',
        `${phase.name} delivered ${load}; ${percent(phase.failure_rate ?? 0)} of its calls failed, and ` +
          `${number(figures.rate_limited_requests)} were answered with 429` +
          (counts.length > 0 ? `; the server counted ${counts.join(' and ')}` : ''),
        { phase: phase.name, figures },
      );
    });
}
