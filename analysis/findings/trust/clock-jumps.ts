import { duration } from '../../../contract/units.js';
import type { Known } from '../known.ts';
import { type Doubt, timeOf } from './doubt.ts';

export function clockJumps({ clockJumps: jumps }: Known): Doubt[] {
  return jumps.slice(0, 1).map(({ at, by }) => ({
    invalid: 'figures',
    kind: 'note',
    subject: 'clock',
    phase: null,
    statement:
      `the machine's clock jumped ${by > 0 ? 'ahead' : 'back'} by ${duration(Math.abs(by))} during the run: ` +
      'durations and the phases of samples are wrong',
    hint: 'set the clock before a run, not during it (time synchronization, suspended machine), and run again',
    figures: { jump_s: by },
    evidence: [`wall clock against monotonic clock, at ${timeOf(at / 1000)}`],
  }));
}
