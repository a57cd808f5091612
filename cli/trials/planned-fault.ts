import { inspect } from '../run/inspect.ts';

/** @param env of the k6 run @returns its phase of the part "fault", during which something is done to the server */
export async function plannedFault(test: string, env: Record<string, string>) {
  const { plan } = await inspect(test, env);
  const fault = plan.phases.find(({ labels }) => labels?.part === 'fault');
  if (!fault) throw new Error(`${test} has no phase of the part "fault"`);
  return fault;
}
