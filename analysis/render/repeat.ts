/** How a run is repeated: as it was, in the next longer profile, and with limits for the latency that it measured. */
import { counted, duration, perSecond } from '../../contract/units.js';
import type { Longer } from '../collect/plan.ts';
import { changedSettings } from '../collect/target-settings.ts';
import { type Command, commandWords, unkeptText } from '../command-line.ts';
import type { Run } from '../judge/run.ts';
import { suggestedLimits } from '../judge/suggested-limits.ts';

const TEST = /^[a-z][a-z0-9-]*$/;

/** @returns [] if it is not known how the run was started */
export function repeatCommands(run: Run): Command[] {
  const { test, variables, longer, target, verdict } = run;
  if (!TEST.test(test ?? '') || !variables) return [];
  // The stack may have had settings from before.
  const given = { ...variables, ...changedSettings(target?.settings ?? {}), ...variables };
  const again = commandWords(test ?? '', given);
  return [
    { label: 'again', words: again, comment: unkeptText(given) },
    ...(verdict.outcome === 'pass' && longer
      ? [
          {
            label: 'longer',
            words: commandWords(test ?? '', { ...given, PROFILE: longer.profile }),
            comment: loadOf(longer),
          },
        ]
      : []),
    ...limits(run),
  ];
}

function loadOf({ peak_rps: rate, users, duration_s }: Longer) {
  const most = rate === null ? counted(users, 'user') : perSecond(rate);
  return `up to ${most}, ${duration(Math.round(duration_s))}`;
}

function limits(run: Run): Command[] {
  const found = suggestedLimits(run);
  if (!found) return [];
  const { thresholds, margin, samples } = found;
  const comment = `to judge latency: ${margin} x the highest that a phase had, of ${counted(samples, 'request')} or more`;
  return [{ label: 'limits', words: [`THRESHOLDS=${thresholds}`], comment }];
}
