/** How a run is repeated: as it was, in the next longer profile, and with limits for the latency that it measured. */
import { counted, duration, perSecond } from '../../contract/units.js';
import { suggestedLimits } from '../suggested-limits.js';
import { changedSettings } from '../target-knobs.js';

/** What a shell takes as it is. */
const PLAIN = /^[\w:/.@%,+-]+$/;
const TEST = /^[a-z][a-z0-9-]*$/;

/**
 * @typedef {object} Command
 * @property {string} label
 * @property {string[]} words of a command line, quoted for a shell
 * @property {string} comment '' = none
 *
 * @param {import('../run.js').Run} run
 * @returns {Command[]} [] if it is not known how the run was started
 */
export function repeatCommands(run) {
  const { test, variables, longer, target, verdict } = run;
  if (!TEST.test(test ?? '') || !variables) return [];
  // The stack may have had settings from before.
  const given = { ...variables, ...changedSettings(target?.knobs ?? {}), ...variables };
  const again = commandWords(test ?? '', given);
  const secrets = Object.keys(given).filter((name) => given[name] === null);
  const unkept = secrets.length > 0 ? `with ${secrets.join(', ')} as before` : '';
  return [
    { label: 'again', words: again, comment: unkept },
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

/**
 * @param {string} test
 * @param {Record<string, string | null>} variables null: not shown
 * @returns {string[]} of the command line that runs it, quoted for a shell
 */
export const commandWords = (test, variables) => [
  'make',
  test,
  ...Object.entries(variables).flatMap(([name, value]) =>
    value === null ? [] : [`${name}=${quoted(value)}`],
  ),
];

/** @param {Command} command @returns {string} one line that a shell takes */
export const commandLine = ({ words, comment }) =>
  [...words, ...(comment ? [` # ${comment}`] : [])].join(' ');

/** @param {import('../summary.js').Longer} longer */
function loadOf({ peak_rps: rate, users, duration_s }) {
  const most = rate === null ? counted(users, 'user') : perSecond(rate);
  return `up to ${most}, ${duration(Math.round(duration_s))}`;
}

/** @param {import('../run.js').Run} run @returns {Command[]} */
function limits(run) {
  const found = suggestedLimits(run);
  if (!found) return [];
  const { thresholds, margin, samples } = found;
  const comment = `to judge latency: ${margin} x the highest that a phase had, of ${counted(samples, 'request')} or more`;
  return [{ label: 'limits', words: [`THRESHOLDS=${thresholds}`], comment }];
}

/** @param {string} value @returns {string} as a shell reads it back */
const quoted = (value) => (PLAIN.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`);
