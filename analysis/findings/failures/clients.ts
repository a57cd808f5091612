/** Checks whether some clients always fail while the others never do. */
import type { Clients } from '../../collect/measured.ts';
import { FAILURES } from '../../limits.ts';
import { binomialTail } from '../../statistics/binomial.ts';

export interface FailingClients {
  clients: number;
  calls: number;
  /** Clients without a failure, and clients with some failures. */
  well: number;
  mixed: number;
}

/** @returns null if failures are not limited to certain clients, or if all clients fail */
export function failingClients({ none, some, all }: Clients): FailingClients | null {
  const failed = some.failed + all.failed;
  const share = failed / (none.calls + some.calls + all.calls);
  const each = all.calls / all.clients;
  if (failed === 0 || all.failed < FAILURES.minCovered * failed || !(each >= FAILURES.minClientCalls))
    return null;
  if (none.clients < FAILURES.minWellClients) return null;
  const clients = none.clients + some.clients + all.clients;
  // Chance that all calls of a client fail if failures are independent.
  const chance = binomialTail(all.clients, clients, share ** FAILURES.minClientCalls);
  return chance > FAILURES.maxChance
    ? null
    : { clients: all.clients, calls: all.calls, well: none.clients, mixed: some.clients };
}
