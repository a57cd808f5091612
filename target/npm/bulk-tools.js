/** The tools that change many resources in the database. */
import { z } from 'zod';
import { batchSize, DryRun, Ids, inBatches } from './bulk-input.js';
import { KIND_NAMES, Word } from './kinds.js';
import { deleteIds, selectIds, toggle } from './resources.js';
import { scope } from './scope.js';

const WRITES = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false };

/** @type {import('../mcp.js').Tool[]} */
export const BULK_TOOLS = [
  {
    name: 'bulk_toggle_hosts',
    title: 'Enable or disable proxy hosts',
    description: 'Enables or disables many proxy hosts. Runs one statement per batch.',
    inputSchema: z.object({
      ...scope,
      ids: Ids.describe('default: all proxy hosts'),
      enabled: z.boolean(),
      batch_size: batchSize(10).describe('number of hosts per statement'),
      dry_run: DryRun,
    }),
    outputSchema: z.object({ matched: z.int(), changed: z.int(), batches: z.int(), dry_run: z.boolean() }),
    annotations: WRITES,
    async run({ ids, enabled, batch_size, dry_run, ...where }, { database }) {
      const found = await selectIds(database, { ...where, kind: 'proxy_host', ids });
      const batches = inBatches(found, batch_size);
      let changed = 0;
      if (!dry_run) for (const batch of batches) changed += await toggle(database, where, batch, enabled);
      return { matched: found.length, changed, batches: batches.length, dry_run };
    },
  },
  {
    name: 'bulk_delete_resources',
    title: 'Delete resources',
    description:
      "Deletes resources and their parts. Without ids and kind, deletes all of the owner's resources. Runs one statement per batch.",
    inputSchema: z.object({
      owner: scope.owner,
      instance: Word.optional().describe('default: all instances'),
      kind: z.enum(KIND_NAMES).optional().describe('default: all kinds'),
      ids: Ids.describe('default: all'),
      batch_size: batchSize(10).describe('number of resources per statement'),
      dry_run: DryRun,
    }),
    outputSchema: z.object({
      matched: z.int(),
      deleted: z.int(),
      cascaded: z.int().describe('number of deleted locations and clients'),
      batches: z.int(),
      dry_run: z.boolean(),
    }),
    annotations: WRITES,
    async run({ batch_size, dry_run, ...which }, { database }) {
      const found = await selectIds(database, which);
      const batches = inBatches(found, batch_size);
      let deleted = 0;
      let cascaded = 0;
      for (const batch of dry_run ? [] : batches) {
        const counts = await deleteIds(database, which.owner, batch);
        deleted += counts.deleted;
        cascaded += counts.cascaded;
      }
      return { matched: found.length, deleted, cascaded, batches: batches.length, dry_run };
    },
  },
];
