import { isProgram } from '../../../contract/command-line.js';
import { counted, inUnit } from '../../../contract/units.js';
import type { Finding } from '../finding.ts';
import type { Known } from '../known.ts';
import { note } from '../note.ts';

/** @returns what memory each process that the clients started takes, with its children; none: not watched, or each call has its own */
export function processMemory({ plan, phases, server, processes = [], variables }: Known): Finding[] {
  const [only, ...others] = processes;
  const phase = phases.findLast(({ measured }) => measured)?.name;
  const memory = server.signals.find((one) => one.signal === 'memory' && one.phase === phase)?.max;
  if (
    !only ||
    others.length > 0 ||
    !memory ||
    !isProgram(plan.target.url) ||
    variables?.PROCESSES === 'per-call'
  )
    return [];
  const alive = only.starts - only.exits;
  if (alive < 1) return [];
  return [
    note(
      'processes',
      `${counted(alive, 'server')} took ${inUnit('bytes', memory)} of memory, ${inUnit('bytes', memory / alive)} each with what it starts`,
      { figures: { servers: alive, memory_bytes: memory } },
    ),
  ];
}
