import { thresholdName } from '../../judge/threshold-words.ts';
import type { Finding } from '../finding.ts';
import type { Known } from '../known.ts';
import { note } from '../note.ts';

export function k6Disagrees({ thresholds }: Known): Finding[] {
  return thresholds
    .filter(({ disputed }) => disputed)
    .map((threshold) =>
      note(
        'k6',
        `k6 and this analysis disagree on ${thresholdName(threshold)}: k6 says ${threshold.k6?.ok ? 'pass' : 'fail'}; a fail counts`,
      ),
    );
}
