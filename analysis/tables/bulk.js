/** `make bulk`: what batches gain, of hosts and of certificates. */
import { batchTable } from '../batch-table.js';
import { repetitions } from '../repetitions.js';

/** @type {import('../report-tables.js').TableBuilder} */
export default function bulk({ phases, note }) {
  const sizes = repetitions(phases);
  /** @param {string} what */
  const of = (what) => sizes.filter(({ labels }) => labels.what === what);
  const built = [
    batchTable('Batch size: proxy hosts enabled or disabled', of('toggle'), note),
    batchTable('Certificate renewal', of('renew'), note),
  ];
  return { tables: built.map(({ table }) => table), findings: built.flatMap(({ findings }) => findings) };
}
