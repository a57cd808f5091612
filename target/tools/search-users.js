import { z } from 'zod';
import { User } from './user.js';

/** @type {import('../mcp.js').Tool} */
export default {
  name: 'search_users',
  title: 'Search users',
  description: 'Finds users whose name starts with a text, ignoring case. Runs one query; not cached.',
  inputSchema: z.object({
    query: z.string().min(1).max(100).describe('start of the name, such as "ada"'),
    limit: z.int().min(1).max(100).default(10).describe('how many users at most'),
  }),
  outputSchema: z.object({ count: z.int(), users: z.array(User) }),
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  async run({ query, limit }, { users }) {
    const found = await users.search(query, limit);
    return { count: found.length, users: found };
  },
};
