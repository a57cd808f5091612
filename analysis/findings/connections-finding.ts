/** Reports how much time clients spend connecting, and whether the server keeps connections open. */
import { counted, milliseconds, number, percent, perSecond } from '../../contract/units.js';
import type { Connections, Phase } from '../judge/phases.ts';
import { CONNECTIONS } from '../limits.ts';
import type { Finding } from './finding.ts';
import { remedy } from './remedy.ts';

/**
 * @returns a finding for the phase with the highest share of connection time; none if connecting is fast
 *   and the server keeps connections open
 */
export function connectionsFinding({ phases }: { phases: readonly Phase[] }): Finding[] {
  const found = phases.flatMap((phase) => {
    const { connections, latency_ms: latency, calls, answered = calls } = phase;
    if (!phase.measured || !connections || !latency || (answered ?? 0) < CONNECTIONS.minRequests) return [];
    const share = latency.p95 > 0 ? connections.until_connected_p95_ms / latency.p95 : 0;
    const isSlow = share >= CONNECTIONS.minShare && connections.until_connected_p95_ms >= CONNECTIONS.minMs;
    const closing = howItCloses(phase, connections);
    return isSlow || closing ? [{ phase, connections, latency, share, isSlow, closing }] : [];
  });
  const [worst] = found.toSorted(
    (a, b) => b.connections.until_connected_p95_ms - a.connections.until_connected_p95_ms,
  );
  if (!worst) return [];
  const { phase, connections, latency, share, isSlow, closing } = worst;
  const cost =
    `connecting took ${milliseconds(connections.until_connected_p95_ms)} at p95 in ${phase.name}, ` +
    `${percent(Math.min(1, share))} of the p95 latency (${milliseconds(latency.p95)})`;
  const statement = closing && isSlow ? `${closing}: ${cost}` : (closing ?? cost);
  return [
    {
      kind: 'connections',
      subject: closing ? 'closed' : 'connecting',
      phase: phase.name,
      confidence: 'high',
      statement,
      figures: {
        until_connected_p95_ms: connections.until_connected_p95_ms,
        p95_ms: latency.p95,
        connections_per_s: connections.opened_per_s,
        calls_per_connection: connections.calls_per_connection,
      },
      evidence: [
        ...evidenceOf(phase, connections),
        ...(closing ? [remedy('keep connections open on the server')] : []),
      ],
    },
  ];
}

function howItCloses(
  { calls }: Phase,
  { closed_by_server, follow_ups, reopened }: Connections,
): string | null {
  const requests = calls ?? 0;
  if (closed_by_server >= CONNECTIONS.minClosed * requests)
    return 'the server closes the connection after each answer (Connection: close)';
  if (follow_ups >= CONNECTIONS.minRequests && reopened >= CONNECTIONS.minClosed * follow_ups)
    return 'the server closes the connection after each answer';
  return null;
}

const NAMES: Record<string, string> = {
  connecting: 'TCP',
  tls: 'TLS',
  blocked: 'waiting for a free connection or DNS',
};

function evidenceOf(
  { parts = {} }: Phase,
  { opened, opened_per_s, calls_per_connection, ...counts }: Connections,
) {
  const shares = Object.entries(NAMES).flatMap(([part, name]) =>
    (parts[part] ?? 0) > 0 ? [`${name} ${percent(parts[part])}`] : [],
  );
  return [
    `${counted(opened, 'connection')} opened, ${perSecond(opened_per_s)}, ${number(calls_per_connection)} calls per connection`,
    ...(shares.length > 0 ? [`share of the latency of all calls: ${shares.join(', ')}`] : []),
    `${number(counts.reopened)} of ${counted(counts.follow_ups, 'request')} sent within 1 s of an answer needed a new connection`,
  ];
}
