import { z } from 'zod';
import { ToolError } from '../tool-error.js';
import { User, UserId } from './user.js';

/** @type {import('../mcp.js').Tool} */
export default {
  name: 'get_user',
  title: 'Get a user',
  description: 'Returns one user by id. Runs one indexed query; cached.',
  inputSchema: z.object({ user_id: UserId }),
  outputSchema: z.object({ user: User }),
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  async run({ user_id }, { users }) {
    const user = await users.get(user_id);
    if (!user) throw new ToolError(`there is no user ${user_id}`);
    return { user };
  },
};
