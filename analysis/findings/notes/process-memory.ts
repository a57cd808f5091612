import { isProgram } from '../../../contract/command-line.js';
import { inUnit, number } from '../../../contract/units.js';
import type { Finding } from '../finding.ts';
import type { Known } from '../known.ts';
import { note } from '../note.ts';

/**
 * Reports the memory of each process that clients started, including its children; none if it was not
 * monitored, or if each call has its own process
 */
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
  const statement =
    alive === 1
      ? `the server used ${inUnit('bytes', memory)} of memory, including its child processes`
      : `${number(alive)} servers used ${inUnit('bytes', memory)} of memory, ${inUnit('bytes', memory / alive)} each, including their child processes`;
  return [note('processes', statement, { figures: { servers: alive, memory_bytes: memory } })];
}
