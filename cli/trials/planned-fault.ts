import { inspect } from '../run/inspect.ts';

/**
 * @param env the k6 run's environment
 * @returns its phase of the part "fault", in which the fault is active
 */
export async function plannedFault(test: string, env: Record<string, string>) {
  const { plan } = await inspect(test, env);
  const fault = plan.phases.find(({ labels }) => labels?.part === 'fault');
  if (!fault) throw new Error(`${test} has no phase of the part "fault"`);
  return fault;
}
