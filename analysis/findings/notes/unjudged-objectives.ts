import type { Finding } from '../finding.ts';
import type { Known } from '../known.ts';
import { note } from '../note.ts';

export function unjudgedObjectives({ thresholds }: Known): Finding[] {
  const reasons = thresholds.flatMap(({ outcome, reason }) =>
    outcome === 'unjudged' && reason ? [reason] : [],
  );
  if (reasons.length === 0) return [];
  const rest = reasons.length > 1 ? ` (and ${reasons.length - 1} more like it)` : '';
  return [note('objectives', `${reasons[0]}${rest}`, { evidence: reasons })];
}
