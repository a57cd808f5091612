import { z } from 'zod';

/** @type {import('../database.js').Statement} */
const UPSERT_ITEMS = {
  name: 'upsert_items',
  type: 'upsert',
  // xmax is 0 for an inserted row; for an updated row it holds the updating transaction.
  text: `
    INSERT INTO items (key, value)
    SELECT * FROM unnest($1::text[], $2::int[])
    ON CONFLICT (key) DO UPDATE
       SET value = excluded.value, revision = items.revision + 1, updated_at = now()
    RETURNING xmax = 0 AS inserted`,
};

const Item = z.object({
  key: z.string().min(1).max(100),
  value: z.int().min(-2_147_483_648).max(2_147_483_647),
});

/** @type {import('../mcp.js').Tool} */
export default {
  name: 'process_batch',
  title: 'Process a batch',
  description:
    'Stores 1 to 500 items in one bulk upsert. If several items have the same key, the last one wins.',
  inputSchema: z.object({ items: z.array(Item).min(1).max(500) }),
  outputSchema: z.object({ processed: z.int(), inserted: z.int(), updated: z.int() }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  async run({ items }, { database }) {
    const values = new Map(items.map((/** @type {z.infer<typeof Item>} */ { key, value }) => [key, value]));
    // All batches lock rows in the same order, so that concurrent ones wait instead of deadlocking.
    const keys = [...values.keys()].sort();
    const rows = await database.query(UPSERT_ITEMS, [keys, keys.map((key) => values.get(key))]);
    const inserted = rows.filter((row) => row.inserted).length;
    return { processed: items.length, inserted, updated: rows.length - inserted };
  },
};
