import type { Timeline } from '../collect/timeline.ts';
import type { Observation } from '../findings/finding.ts';
import type { Known } from '../findings/known.ts';
import type { Phase } from '../judge/phases.ts';
import { comparedPhases, missedIn } from './compared-phases.ts';
import { phaseWindow, samplesIn, timeOf } from './windows.ts';

/** An objective that was missed in a phase that did not break. */
export interface Miss {
  phase: Phase;
  /** Which objective was missed, and by how much. */
  reason: string;
  /** Number of the timeline's points outside the normal range. */
  moments: number;
  /** Number of all points of the phase with a sample. */
  watched: number;
  /** The threshold is the limit of the normal range. */
  observation: Observation;
}

/**
 * @param judged facts of a run in which no phase broke
 * @returns the first missed objective for p99 or the failure rate
 */
export function missOf(
  judged: Pick<Known, 'plan' | 'phases' | 'thresholds'>,
  timeline: Timeline,
): Miss | null {
  for (const { phase, usual } of comparedPhases(judged, timeline)) {
    for (const [metric, name, { limit, from }] of [
      ['p99_ms', 'p99', usual.p99],
      ['failure_rate', 'failed', usual.failed],
    ] as const) {
      const missed = missedIn(phase, metric, judged.thresholds);
      const series = timeline.client[name];
      if (!missed || !series) continue;
      const whole = phaseWindow(phase, timeline);
      const watched = samplesIn(series, whole);
      if (watched.length === 0) continue;
      const beyond = watched.filter((value) => value > limit);
      const [first] = beyond;
      return {
        phase,
        reason: missed.reason ?? '',
        moments: beyond.length,
        watched: watched.length,
        observation: {
          series: `client.${name}`,
          unit: series.unit,
          from,
          to: missed.observed,
          threshold: limit,
          at:
            first === undefined
              ? null
              : new Date(timeOf(timeline, series.values.indexOf(first, whole.first)) * 1000).toISOString(),
        },
      };
    }
  }
  return null;
}
