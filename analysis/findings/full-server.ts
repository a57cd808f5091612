/** Reports whether the server's CPU was full in a phase. */
import { percent } from '../../contract/units.js';
import { type Signal, signalMean } from '../collect/signals.ts';
import { BOTTLENECK } from '../limits.ts';

/** Utilization of one core or of the machine, in order of precedence. */
const NAMES: Record<string, string> = {
  busiest_thread: "the server's busiest thread",
  worker_cpu: "the server's process",
  cpu: 'the server, of all cores,',
  host_cpu: 'the machine',
};

/**
 * @returns for example "the server's busiest thread was at 97 %"; null if nothing was close to saturation, or
 *   if the signals are missing
 */
export function fullText(signals: Signal[], phase: string): string | null {
  for (const [signal, name] of Object.entries(NAMES)) {
    const used = signalMean(signals, signal, phase);
    if (used !== null && used >= BOTTLENECK.nearlyFull) return `${name} was at ${percent(used)}`;
  }
  return null;
}
