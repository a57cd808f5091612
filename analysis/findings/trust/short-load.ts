import { milliseconds, number, percent } from '../../../contract/units.js';
import { dueOf, type Phase } from '../../judge/phases.ts';
import { shortfallCause } from '../../judge/shortfall.ts';
import { TRUST } from '../../limits.ts';
import type { Known } from '../known.ts';
import type { Doubt } from './doubt.ts';
import { silentPhases } from './silent-phases.ts';

/** A server is idle if its CPU is known, and all known signals are below these values. */
const IDLE_BELOW: Record<string, number> = {
  worker_cpu: 0.7,
  cpu: 0.7,
  // The server may wait for a resource that other programs use.
  host_cpu: 0.9,
  pool_utilization: 0.9,
  pool_waiting: 1,
  eventloop_lag: 0.05,
};
const CPU_OF_SERVER = ['worker_cpu', 'cpu'];

/**
 * @returns doubts about phases whose load was not delivered, except for those that an objective judges
 *   (thresholds.ts)
 */
export function shortLoad(known: Known): Doubt[] {
  const { plan, phases, thresholds } = known;
  const judged = new Set(
    thresholds.flatMap(({ metric, scope }) => (metric === 'delivered_share' ? [scope.phase] : [])),
  );
  const silent = new Set(silentPhases(phases));
  return phases.flatMap((phase) => {
    const due = phase.offered_rps === null ? 0 : dueOf(phase, plan);
    const made = phase.iterations ?? 0;
    if (!phase.measured || silent.has(phase) || judged.has(phase.name)) return [];
    if (made >= Math.floor(TRUST.minDelivered * due)) return [];
    const cause = shortfallCause(phase, known);
    // Iterations without a request are reported separately.
    if (cause.of === 'server' || cause.of === 'exceptions' || cause.hint === null) return [];
    const idle = idleServer(known, phase);
    // An overload exceeds the available CPU. It is the generator's fault only if the server was idle.
    if (phase.overload && !idle) return [];
    return [
      {
        invalid: cause.of === 'users' ? ('load' as const) : ('figures' as const),
        kind: 'generator' as const,
        subject: 'offered load',
        phase: phase.name,
        statement: `${phase.name} delivered ${percent(made / due)} of its load: ${cause.because}`,
        hint: cause.hint,
        figures: {
          delivered_ratio: made / due,
          limit_ratio: TRUST.minDelivered,
          dropped: phase.dropped,
        },
        evidence: idle ? [idle] : [],
      },
    ];
  });
}

/** @returns evidence that the server was idle; null if it was not */
function idleServer({ server, phases }: Known, phase: Phase): string | null {
  const known = server.signals.filter(
    (one) => one.phase === phase.name && IDLE_BELOW[one.signal] !== undefined,
  );
  if (known.some(({ signal }) => CPU_OF_SERVER.includes(signal))) {
    const idle = known.every(({ signal, avg }) => avg < (IDLE_BELOW[signal] ?? 0));
    return idle
      ? `the server was idle: ${known.map(({ signal, avg, unit }) => `${signal} ${unit === 'ratio' ? percent(avg) : number(avg)}`).join(', ')}`
      : null;
  }
  const calm = phases.find(({ measured, overload }) => measured && !overload);
  const [meanMs, calmMs] = [phase.latency_ms?.avg, calm?.latency_ms?.avg];
  return calm && meanMs && calmMs && calm !== phase && meanMs <= TRUST.slowFactor * calmMs
    ? `the server answered in ${milliseconds(meanMs)}, compared with ${milliseconds(calmMs)} in ${calm.name}`
    : null;
}
