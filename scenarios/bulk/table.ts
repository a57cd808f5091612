/** `make bulk`: the gain of batches of hosts and of certificates. */
import { batchTable } from '../../analysis/tables/batch-table.ts';
import { repetitions } from '../../analysis/tables/repetitions.ts';
import type { Built, Facts } from '../../analysis/tables/report-tables.ts';

export default function bulk({ phases }: Facts): Built {
  const sizes = repetitions(phases);
  const of = (what: string) => sizes.filter(({ labels }) => labels.what === what);
  const built = [
    batchTable('Batch size: proxy hosts enabled or disabled', of('toggle')),
    batchTable('Certificate renewal', of('renew')),
  ];
  return { tables: built.map(({ table }) => table), findings: built.flatMap(({ findings }) => findings) };
}
