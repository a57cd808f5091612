/**
 * Commands that repeat a run: unchanged, in the next longer profile, and with latency limits based on its
 * measurements.
 */
import { counted, duration, perSecond } from '../../contract/units.js';
import type { Longer } from '../collect/plan.ts';
import { changedSettings } from '../collect/target-settings.ts';
import { type Command, commandWords, unkeptText } from '../command-line.ts';
import type { Run } from '../judge/run.ts';
import { suggestedLimits } from '../judge/suggested-limits.ts';

const TEST = /^[a-z][a-z0-9-]*$/;

/** @returns [] if the run's variables are unknown */
export function repeatCommands(run: Run): Command[] {
  const { test, variables, longer, target, verdict } = run;
  if (!TEST.test(test ?? '') || !variables) return [];
  // The stack may still have settings of an earlier run.
  const settings = { ...variables, ...changedSettings(target?.settings ?? {}), ...variables };
  const again = commandWords(test ?? '', settings);
  return [
    { label: 'again', words: again, comment: unkeptText(settings) },
    ...(verdict.outcome === 'pass' && longer
      ? [
          {
            label: 'longer',
            words: commandWords(test ?? '', { ...settings, PROFILE: longer.profile }),
            comment: loadOf(longer),
          },
        ]
      : []),
    ...limits(run),
  ];
}

function loadOf({ peak_rps: rate, users, duration_s }: Longer) {
  const peak = rate === null ? counted(users, 'VU') : perSecond(rate);
  return `up to ${peak}, ${duration(Math.round(duration_s))}`;
}

function limits(run: Run): Command[] {
  const found = suggestedLimits(run);
  if (!found) return [];
  const { thresholds, margin, samples } = found;
  const comment = `to judge latency: ${margin} x the highest phase, with at least ${counted(samples, 'request')}`;
  return [{ label: 'limits', words: [`THRESHOLDS=${thresholds}`], comment }];
}
