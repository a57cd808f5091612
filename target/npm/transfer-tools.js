/** The tools that export and import a whole configuration. */
import { z } from 'zod';
import { KINDS, ResourceId, shown, whole } from './kinds.js';
import { exportAll, importAll } from './resources.js';
import { scope } from './scope.js';

/** Maximum number of resources of a kind in an import. The largest accepted body holds about two thousand. */
const MOST = 5000;

/** @param {(kind: import('./kinds.js').Kind) => z.ZodType} schemaOf @returns {Record<string, z.ZodType>} */
const byPlural = (schemaOf) => Object.fromEntries(KINDS.map((kind) => [kind.plural, schemaOf(kind)]));

const Counts = z.object(byPlural(() => z.int()));

/** @type {import('../mcp.js').Tool[]} */
export const TRANSFER_TOOLS = [
  {
    name: 'export_configuration',
    title: 'Export the configuration',
    description: 'Returns all resources of an instance. Runs four queries in one snapshot.',
    inputSchema: z.object(scope),
    outputSchema: z.object({
      count: z.int(),
      configuration: z.object(byPlural((kind) => z.array(shown(kind)))),
    }),
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    async run(where, { database }) {
      const configuration = await exportAll(database, where);
      return { count: countOf(configuration), configuration };
    },
  },
  {
    name: 'import_configuration',
    title: 'Import a configuration',
    description:
      'Creates the resources of an exported configuration in one transaction. Skips resources whose names already exist.',
    inputSchema: z.object({
      ...scope,
      configuration: z.object(
        byPlural((kind) =>
          z
            .array(
              z.object({
                id: ResourceId.optional().describe(
                  'id that other resources in the document use to refer to it',
                ),
                ...whole(kind),
                ...Object.fromEntries(
                  Object.entries(kind.made ?? {}).map(([field, schema]) => [field, schema.optional()]),
                ),
              }),
            )
            .max(MOST)
            .default([]),
        ),
      ),
      dry_run: z.boolean().default(false).describe('true: only check the document'),
    }),
    outputSchema: z.object({ given: z.int(), imported: z.int(), by_kind: Counts, dry_run: z.boolean() }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    async run({ configuration, dry_run, ...where }, { database }) {
      const made = dry_run ? {} : await importAll(database, where, configuration);
      const byKind = Object.fromEntries(KINDS.map(({ plural }) => [plural, made[plural] ?? 0]));
      const imported = Object.values(byKind).reduce((sum, count) => sum + count, 0);
      return { given: countOf(configuration), imported, by_kind: byKind, dry_run };
    },
  },
];

/** @param {Record<string, unknown[]>} configuration */
function countOf(configuration) {
  return Object.values(configuration).reduce((sum, resources) => sum + resources.length, 0);
}
