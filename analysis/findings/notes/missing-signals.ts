import { STEP_S } from '../../collect/signals.ts';
import type { Finding } from '../finding.ts';
import type { Known } from '../known.ts';
import { note } from '../note.ts';
import { listed } from './listed.ts';

export function missingSignals({ phases, server: { problem, silent, ambiguous } }: Known): Finding[] {
  const missing = problem ? [note('signals', `server signals are missing because ${problem}`)] : [];
  const longest = Math.max(
    0,
    ...phases.filter(({ measured }) => measured).map(({ duration_s }) => duration_s),
  );
  if (silent.length > 0 && longest < STEP_S)
    missing.push(note('signals', `no server signals: every phase was shorter than ${STEP_S} s`));
  else if (silent.length > 0)
    missing.push(note('signals', `no samples for ${listed(silent)}`, { evidence: silent }));
  if (ambiguous.length > 0) {
    const statement = `left out because they have more than one series: ${listed(ambiguous)}; aggregate them in the recording rule`;
    missing.push(note('signals', statement, { evidence: ambiguous }));
  }
  return missing;
}
