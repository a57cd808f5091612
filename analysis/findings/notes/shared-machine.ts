import { percent } from '../../../contract/units.js';
import { isLocal } from '../../is-local.ts';
import { BOTTLENECK } from '../../limits.ts';
import type { Finding } from '../finding.ts';
import type { Known } from '../known.ts';
import { note } from '../note.ts';
import { listed } from './listed.ts';

export function sharedMachine({ plan, server }: Known): Finding[] {
  if (!isLocal(plan.target.url)) return [];
  const busy = server.signals.filter(({ signal, avg }) => signal === 'host_cpu' && avg > BOTTLENECK.fullCpu);
  if (busy.length === 0) return [];
  const where = busy.map(({ phase, avg }) => `${phase} ${percent(avg)}`);
  return [
    note(
      'shared machine',
      `generator and target share a machine that had no CPU left (${listed(where)}): latencies include waiting for CPU`,
      { evidence: where },
    ),
  ];
}
