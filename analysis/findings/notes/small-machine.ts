import { bytes, number } from '../../../contract/units.js';
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
  const { cores, memory_bytes: memory } = environment;
  const small = [
    ...(cores < reference.cores
      ? [`fewer cores (${number(cores)}) than the objectives assume (${number(reference.cores)})`]
      : []),
    ...(memory < MEMORY_TOLERANCE * reference.memory_bytes
      ? [`less memory (${bytes(memory)}) than the objectives assume (${bytes(reference.memory_bytes)})`]
      : []),
  ];
  if (small.length === 0) return [];
  const missed = thresholds.some(({ ok }) => ok === false);
  return [
    note(
      'machine',
      `this machine has ${small.join(' and ')}` +
        (missed ? '; the machine may be the reason for a missed objective' : ''),
      { figures: { cores, memory_bytes: memory } },
    ),
  ];
}
