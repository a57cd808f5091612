import { z } from 'zod';
import { PLANS } from '../seed.js';
import { ToolError } from '../tool-error.js';
import { User, UserId } from './user.js';

const Text = z.string().trim().min(1).max(100);

/** @type {import('../mcp.js').Tool} */
export default {
  name: 'update_user',
  title: 'Update a user',
  description: "Updates a user's name, city or plan. At least one of them is required.",
  inputSchema: z
    .object({
      user_id: UserId,
      name: Text.optional(),
      city: Text.optional(),
      plan: z.enum(PLANS).optional(),
    })
    .refine(({ name, city, plan }) => name ?? city ?? plan, 'give at least one of name, city, plan'),
  outputSchema: z.object({ user: User }),
  // Every call creates a new version, so the tool is not idempotent.
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  async run({ user_id, ...changes }, { users }) {
    const user = await users.update(user_id, changes);
    if (!user) throw new ToolError(`there is no user ${user_id}`);
    return { user };
  },
};
