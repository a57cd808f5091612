/**
 * Writes findings, the verdict and the recovery time as series for dashboards. Each series has a single
 * sample, whose value and time are the Unix time of the event. An annotation looks forward from the beginning
 * of its time range:
 *
 * 1000 * max_over_time(mcp_finding{testid="$testid"}[$__range] offset -$__range)
 */
import { cleanText } from '../clean-text.ts';
import type { Prometheus } from '../collect/prometheus.ts';
import { MAX_LENGTH as LONGEST_STATEMENT } from '../judge/headline.ts';
import type { Run } from '../judge/run.ts';

/** Maximum number of findings that are written. */
const MAX_FINDINGS = 20;
const MAX_WORD = 80;

/** @returns [] for a run that did not begin */
export function findingSamples({
  testid,
  ended,
  phases,
  findings,
  verdict,
  headline,
}: Run): Parameters<Prometheus['write']>[0] {
  if (ended === null) return [];
  const sample = (name: string, time: string | null | undefined, about: Record<string, string | null>) => {
    const seconds = Date.parse(time ?? ended) / 1000;
    return { name, labels: labels({ testid, ...about }), value: seconds, timeS: seconds };
  };
  return [
    ...findings.slice(0, MAX_FINDINGS).map(({ kind, subject, phase, confidence, statement }) => {
      const start = phases.find(({ name }) => name === phase)?.start;
      return sample('mcp_finding', start, { kind, subject, phase, confidence, statement });
    }),
    sample('mcp_verdict', ended, { outcome: verdict.outcome, statement: headline ?? null }),
    ...findings.flatMap(({ kind, phase, figures: { recovery_s = null } }) =>
      kind === 'recovery' && recovery_s !== null
        ? [{ ...sample('mcp_recovery_seconds', ended, { phase }), value: recovery_s }]
        : [],
    ),
  ];
}

/** @returns labels with a value */
function labels(all: Record<string, string | null>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, text]) => {
      // The run document contains no secrets.
      const short = cleanText(text ?? '', [], name === 'statement' ? LONGEST_STATEMENT : MAX_WORD);
      return short === '' ? [] : [[name, short]];
    }),
  );
}
