/** The tools that renew certificates. */
import { z } from 'zod';
import { ToolError } from '../tool-error.js';
import { batchSize, DryRun, Ids, inBatches } from './bulk-input.js';
import { ResourceId } from './kinds.js';
import { domainsOf, renewed, selectIds } from './resources.js';
import { scope } from './scope.js';

const RENEWS = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true };

/** @type {import('../mcp.js').Tool[]} */
export const CERTIFICATE_TOOLS = [
  {
    name: 'renew_certificate',
    title: 'Renew a certificate',
    description:
      'Renews a certificate. Calls the certificate authority, an external HTTP API that takes seconds and limits requests per domain.',
    inputSchema: z.object({ ...scope, id: ResourceId }),
    outputSchema: z.object({ id: ResourceId, expires_on: z.iso.datetime() }),
    annotations: RENEWS,
    async run({ id, ...where }, { database, authority }) {
      const [certificate] = await domainsOf(database, where, [id]);
      if (!certificate) throw new ToolError(`there is no certificate ${id}`);
      const expires_on = await authority.certify(certificate.domain_names, 'renew');
      await renewed(database, where.owner, id, expires_on);
      return { id, expires_on };
    },
  },
  {
    name: 'bulk_renew_certificates',
    title: 'Renew certificates',
    description:
      'Renews many certificates, those of a batch concurrently. Lists the certificates that the authority refused.',
    inputSchema: z.object({
      ...scope,
      ids: Ids.describe('default: all certificates'),
      batch_size: batchSize(5).describe('number of certificates to renew concurrently'),
      dry_run: DryRun,
    }),
    outputSchema: z.object({
      matched: z.int(),
      renewed: z.int(),
      batches: z.int(),
      failed: z.array(z.object({ id: ResourceId, reason: z.string() })),
      dry_run: z.boolean(),
    }),
    annotations: RENEWS,
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
];
