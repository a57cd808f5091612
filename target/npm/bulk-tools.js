/** The tools that work on many resources: in batches, one after the other, or only saying what they would do. */
import { z } from 'zod';
import { ToolError } from '../tool-error.js';
import { KIND_NAMES, ResourceId, Word } from './kinds.js';
import { deleteIds, domainsOf, renewed, selectIds, toggle } from './resources.js';
import { scope } from './scope.js';

const Ids = z.array(ResourceId).min(1).max(10_000).optional();
const DryRun = z.boolean().default(false).describe('true: count, and change nothing');

/** @param {number} fallback */
const batchSize = (fallback) => z.int().min(1).max(1000).default(fallback);

const WRITES = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false };

/** @type {import('../mcp.js').Tool[]} */
export const BULK_TOOLS = [
  {
    name: 'renew_certificate',
    title: 'Renew a certificate',
    description:
      "Has a certificate renewed: the authority, another company's HTTP API, takes seconds and has a limit by domain.",
    inputSchema: z.object({ ...scope, id: ResourceId }),
    outputSchema: z.object({ id: ResourceId, expires_on: z.iso.datetime() }),
    annotations: { ...WRITES, openWorldHint: true },
    async run({ id, ...where }, { database, authority }) {
      const [certificate] = await domainsOf(database, where, [id]);
      if (!certificate) throw new ToolError(`there is no certificate ${id}`);
      const expires_on = await authority.certify(certificate.domain_names, 'renew');
      await renewed(database, where.owner, id, expires_on);
      return { id, expires_on };
    },
  },
  {
    name: 'bulk_toggle_hosts',
    title: 'Enable or disable proxy hosts',
    description: 'Enables or disables many proxy hosts, one statement for each batch.',
    inputSchema: z.object({
      ...scope,
      ids: Ids.describe('without them: all proxy hosts'),
      enabled: z.boolean(),
      batch_size: batchSize(10).describe('hosts that one statement changes'),
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
    name: 'bulk_renew_certificates',
    title: 'Renew certificates',
    description:
      'Has many certificates renewed: those of a batch at the same time. Tells which ones were refused.',
    inputSchema: z.object({
      ...scope,
      ids: Ids.describe('without them: all certificates'),
      batch_size: batchSize(5).describe('certificates that are renewed at the same time'),
      dry_run: DryRun,
    }),
    outputSchema: z.object({
      matched: z.int(),
      renewed: z.int(),
      batches: z.int(),
      failed: z.array(z.object({ id: ResourceId, reason: z.string() })),
      dry_run: z.boolean(),
    }),
    annotations: { ...WRITES, openWorldHint: true },
    async run({ ids, batch_size, dry_run, ...where }, { database, authority }) {
      const found = await selectIds(database, { ...where, kind: 'certificate', ids });
      const batches = inBatches(found, batch_size);
      /** @type {{id: number, reason: string}[]} */
      const failed = [];
      let count = 0;
      for (const batch of dry_run ? [] : batches) {
        const certificates = await domainsOf(database, where, batch);
        await Promise.all(
          certificates.map(async ({ id, domain_names }) => {
            try {
              const expires = await authority.certify(domain_names, 'renew');
              await renewed(database, where.owner, id, expires);
              count += 1;
            } catch (error) {
              if (!(error instanceof ToolError)) throw error;
              failed.push({ id, reason: error.message });
            }
          }),
        );
      }
      return { matched: found.length, renewed: count, batches: batches.length, failed, dry_run };
    },
  },
  {
    name: 'bulk_delete_resources',
    title: 'Delete resources',
    description:
      "Removes resources with their parts, one statement for each batch. Without ids and kind: all of the owner's.",
    inputSchema: z.object({
      owner: scope.owner,
      instance: Word.optional().describe('without it: in every instance'),
      kind: z.enum(KIND_NAMES).optional().describe('without it: of every kind'),
      ids: Ids.describe('without them: all'),
      batch_size: batchSize(10).describe('resources that one statement removes'),
      dry_run: DryRun,
    }),
    outputSchema: z.object({
      matched: z.int(),
      deleted: z.int(),
      cascaded: z.int().describe('locations and clients that went with them'),
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

/**
 * @param {number[]} ids
 * @param {number} size
 * @returns {number[][]}
 */
function inBatches(ids, size) {
  return Array.from({ length: Math.ceil(ids.length / size) }, (_, n) => ids.slice(n * size, (n + 1) * size));
}
