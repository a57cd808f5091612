/** Collects all findings of a run, in the order of the report. Each function is in a file of its own. */
import { atLeast, capacity } from './capacity-finding.ts';
import { connectionsFinding } from './connections-finding.ts';
import { degraded } from './degraded.ts';
import { drift } from './drift.ts';
import { failures } from './failures.ts';
import type { Finding } from './finding.ts';
import { growthOverTime } from './growth-over-time.ts';
import type { Known } from './known.ts';
import { expiredSessions } from './notes/expired-sessions.ts';
import { interruptedCalls } from './notes/interrupted-calls.ts';
import { invalidLines } from './notes/invalid-lines.ts';
import { k6Disagrees } from './notes/k6-disagrees.ts';
import { missingSignals } from './notes/missing-signals.ts';
import { oneAtATime } from './notes/one-at-a-time.ts';
import { overload } from './notes/overload.ts';
import { processExits } from './notes/process-exits.ts';
import { processMemory } from './notes/process-memory.ts';
import { processStart } from './notes/process-start.ts';
import { sharedMachine } from './notes/shared-machine.ts';
import { smallMachine } from './notes/small-machine.ts';
import { tasks } from './notes/tasks.ts';
import { unfinishedPhases } from './notes/unfinished-phases.ts';
import { unjudgedObjectives } from './notes/unjudged-objectives.ts';
import { onset } from './onset.ts';
import { recovery } from './recovery-finding.ts';
import { slowOperation } from './slow-operation.ts';

const FINDINGS: ((known: Known) => Finding[])[] = [
  failures,
  capacity,
  atLeast,
  recovery,
  degraded,
  onset,
  connectionsFinding,
  drift,
  growthOverTime,
  slowOperation,
  overload,
  expiredSessions,
  tasks,
  oneAtATime,
  processStart,
  processMemory,
  processExits,
  invalidLines,
  smallMachine,
  missingSignals,
  sharedMachine,
  unfinishedPhases,
  interruptedCalls,
  unjudgedObjectives,
  k6Disagrees,
];

export const findings = (known: Known): Finding[] => FINDINGS.flatMap((finding) => finding(known));
