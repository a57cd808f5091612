import { inspect } from '../run/inspect.ts';

/** Seconds after the start of the load. */
export interface PlannedFault {
  /** The phase of the part "fault", in which the fault is active. */
  startS: number;
  endS: number;
  loadEndS: number;
}

/** @param env the k6 run's environment @throws {Error} if no phase is the part "fault" */
export async function plannedFault(test: string, env: Record<string, string>): Promise<PlannedFault> {
  const { phases } = (await inspect(test, env)).plan;
  const endOf = ({ start_s, duration_s }: (typeof phases)[number]) => start_s + duration_s;
  const fault = phases.find(({ labels }) => labels?.part === 'fault');
  if (!fault) throw new Error(`${test} has no phase of the part "fault"`);
  return { startS: fault.start_s, endS: endOf(fault), loadEndS: Math.max(...phases.map(endOf)) };
}
