/** Tools of the proxy manager: five per kind of resource, and the bulk tools. */
import { z } from 'zod';
import { BULK_TOOLS } from './bulk-tools.js';
import { CERTIFICATE_TOOLS } from './certificate-tools.js';
import { KINDS, partial, ResourceId, shown, whole } from './kinds.js';
import { create, get, list, remove, update } from './resources.js';
import { scope } from './scope.js';
import { TRANSFER_TOOLS } from './transfer-tools.js';

/**
 * @typedef {import('../mcp.js').Tool} Tool
 * @typedef {import('./kinds.js').Kind} Kind
 */

/** @param {Kind} kind @returns {Tool[]} */
const toolsOf = (kind) => [
  listTool(kind),
  getTool(kind),
  createTool(kind),
  updateTool(kind),
  deleteTool(kind),
];

const READS = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };

/** @param {Kind} kind @returns {Tool} */
const listTool = (kind) => ({
  name: `list_${kind.plural}`,
  title: `List ${kind.title}s`,
  description: `Lists all ${kind.title}s, or one page. Runs one query; not cached.`,
  inputSchema: z.object({
    ...scope,
    limit: z.int().min(1).max(1000).optional().describe('maximum number of resources; default: all'),
    offset: z.int().min(0).max(1_000_000).default(0).describe('number of resources to skip'),
  }),
  outputSchema: z.object({
    count: z.int(),
    next_offset: z.int().nullable().describe('offset of the next page; null on the last page'),
    [kind.plural]: z.array(shown(kind)),
  }),
  annotations: READS,
  async run(input, { database }) {
    const { resources, next } = await list(database, kind, input);
    return { count: resources.length, next_offset: next, [kind.plural]: resources };
  },
});

/** @param {Kind} kind @returns {Tool} */
const getTool = (kind) => ({
  name: `get_${kind.kind}`,
  title: `Get a ${kind.title}`,
  description: `Returns one ${kind.title} by id. Runs one indexed query; not cached.`,
  inputSchema: z.object({ ...scope, id: ResourceId }),
  outputSchema: z.object({ [kind.kind]: shown(kind) }),
  annotations: READS,
  run: async (input, { database }) => ({ [kind.kind]: await get(database, kind, input) }),
});

/** @param {Kind} kind @returns {Tool} */
const createTool = (kind) => ({
  name: `create_${kind.kind}`,
  title: `Create a ${kind.title}`,
  description: kind.certified
    ? `Creates a ${kind.title}. Calls the certificate authority, an external HTTP API that takes seconds and limits requests per domain.`
    : `Creates a ${kind.title} after checking its references and name.`,
  inputSchema: z.object({ ...scope, ...whole(kind) }),
  outputSchema: z.object({ [kind.kind]: shown(kind) }),
  annotations: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: Boolean(kind.certified),
  },
  async run({ owner, instance, ...fields }, { database, authority }) {
    if (kind.certified) fields.expires_on = await authority.certify(fields.domain_names, 'issue');
    return { [kind.kind]: await create(database, kind, { owner, instance }, fields) };
  },
});

/** @param {Kind} kind @returns {Tool} */
const updateTool = (kind) => {
  const changes = partial(kind);
  const names = Object.keys(changes);
  return {
    name: `update_${kind.kind}`,
    title: `Update a ${kind.title}`,
    description: `Updates the given fields of a ${kind.title}. At least one field is required.`,
    inputSchema: z
      .object({ ...scope, id: ResourceId, ...changes })
      .refine(
        (/** @type {Record<string, unknown>} */ input) => names.some((name) => input[name] !== undefined),
        `give at least one of ${names.join(', ')}`,
      ),
    outputSchema: z.object({ [kind.kind]: shown(kind) }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    async run({ owner, instance, id, ...given }, { database }) {
      return { [kind.kind]: await update(database, kind, { owner, instance, id }, given) };
    },
  };
};

/** @param {Kind} kind @returns {Tool} */
const deleteTool = (kind) => ({
  name: `delete_${kind.kind}`,
  title: `Delete a ${kind.title}`,
  description: `Deletes a ${kind.title}${kind.parts ? ` and its ${kind.parts}` : ''}. References to it are set to null.`,
  inputSchema: z.object({ ...scope, id: ResourceId }),
  outputSchema: z.object({ deleted: z.int(), cascaded: z.int() }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  run: (input, { database }) => remove(database, kind, input),
});

/** @type {Tool[]} */
export const NPM_TOOLS = [...KINDS.flatMap(toolsOf), ...CERTIFICATE_TOOLS, ...BULK_TOOLS, ...TRANSFER_TOOLS];
