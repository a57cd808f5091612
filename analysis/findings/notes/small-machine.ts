import { bytes, counted } from '../../../contract/units.js';
import type { Finding } from '../finding.ts';
import type { Known } from '../known.ts';
import { note } from '../note.ts';

/** A machine with "8 GiB" of memory reports slightly less. */
const MEMORY_TOLERANCE = 0.9;

export function smallMachine({
  plan: { reference_machine: reference },
  thresholds,
  environment,
}: Known): Finding[] {
  if (!reference) return [];
  const small =
    environment.cores < reference.cores ||
    environment.memory_bytes < MEMORY_TOLERANCE * reference.memory_bytes;
  if (!small) return [];
  const missed = thresholds.some(({ ok }) => ok === false);
  return [
    note(
      'machine',
      `this machine (${counted(environment.cores, 'core')}, ${bytes(environment.memory_bytes)}) is smaller than ` +
        `the objectives assume (${counted(reference.cores, 'core')}, ${bytes(reference.memory_bytes)})` +
        (missed ? '; the machine may be the reason for a missed objective' : ''),
      { figures: { cores: environment.cores, memory_bytes: environment.memory_bytes } },
    ),
  ];
}
