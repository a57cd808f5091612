import { counted, milliseconds, percent } from '../../../contract/units.js';
import { latenciesOf, trendOf } from '../../collect/groups.ts';
import { PROCESSES } from '../../limits.ts';
import { round } from '../../round.ts';
import type { Finding } from '../finding.ts';
import type { Known } from '../known.ts';
import { note } from '../note.ts';

/**
 * Reports how much of a call is the start of its process; none if a process serves several calls, or if it
 * starts quickly
 */
export function processStart({ groups, variables }: Known): Finding[] {
  const starts = trendOf(groups, 'mcp_process_start_duration');
  const startMs = starts.percentile(0.5);
  const callMs = latenciesOf(groups).of('ok').percentile(0.5);
  if (variables?.PROCESSES !== 'per-call' || startMs === null || callMs === null) return [];
  const share = startMs / (startMs + callMs);
  if (share < PROCESSES.minStartShare) return [];
  return [
    note(
      'processes',
      `starting a process per call takes ${milliseconds(startMs)} (p50), ${percent(share)} of the client's waiting time; the call itself takes ${milliseconds(callMs)}`,
      {
        figures: { start_ms: round(startMs, 3), call_ms: round(callMs, 3) },
        evidence: [`${counted(starts.count, 'start')}; latencies do not include them`],
      },
    ),
  ];
}
