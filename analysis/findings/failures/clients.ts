/** Whether some clients fail always, and the others never. */
import type { Clients } from '../../collect/measured.ts';
import { binomialTail } from '../../statistics/binomial.ts';

/** Calls that such a client made, on average: two or three may fail by chance. */
const MIN_CALLS = 5;
/** Clients that are well. */
const MIN_WELL = 3;
/** Of all failures, those of clients that had no answer. */
const MIN_COVERED = 0.95;
/** By chance, less than once in so many runs. */
const CHANCE = 1e-4;

export interface FailingClients {
  clients: number;
  calls: number;
  /** Others: none of their calls failed, or some did. */
  well: number;
  mixed: number;
}

/** @returns null: clients fail now and then, or all of them do */
export function failingClients({ none, some, all }: Clients): FailingClients | null {
  const failed = some.failed + all.failed;
  const share = failed / (none.calls + some.calls + all.calls);
  const each = all.calls / all.clients;
  if (failed === 0 || all.failed < MIN_COVERED * failed || !(each >= MIN_CALLS)) return null;
  if (none.clients < MIN_WELL) return null;
  const clients = none.clients + some.clients + all.clients;
  // That all calls of a client fail, if each fails by chance.
  const chance = binomialTail(all.clients, clients, share ** MIN_CALLS);
  return chance > CHANCE
    ? null
    : { clients: all.clients, calls: all.calls, well: none.clients, mixed: some.clients };
}
