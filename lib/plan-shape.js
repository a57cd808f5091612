import { isProgram } from '../contract/command-line.js';
import { profiles } from '../contract/profiles.js';
import { withCalls } from './calls.js';
import { planPhases, planSequence } from './phases.js';
import { repeated } from './repetitions.js';

/** Approximate time to start a stdio server: Node servers take 0.2 s of a core, Python servers 0.6 s. */
const PROCESS_START_S = 0.5;

/**
 * Plans a test's shape: repeats it and scales it to the profile.
 *
 * @param {import('./test.js').TestDefinition} definition
 * @param {import('./config.js').Config} config
 * @returns {import('./phases.js').PlannedPhase[]}
 */
export function planShape({ name, sequence, phases = [], phasesOf, repetitions, asWritten, warmUp }, config) {
  const profile = /** @type {import('../contract/profiles.js').Profile} */ (profiles[config.PROFILE]);
  const written = phasesOf?.(config.PROFILE) ?? phases;
  const planned = sequence
    ? planSequence(repeated(sequence.steps, repetitions, profile), profile)
    : planPhases(withCalls(name, repeated(written, repetitions, profile), config), profile, config, {
        asWritten,
        warmUp,
        startS: isProgram(config.TARGET_URL) && config.PROCESSES === 'per-vu' ? PROCESS_START_S : 0,
      });
  if (!config.TOOL) return planned;
  return planned.map(({ operation: _, ...phase }) => phase);
}
