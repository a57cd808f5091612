import { z } from 'zod';

/** @type {import('../tools.js').RestTool} */
export default {
  name: 'list_users',
  level: 'HIGH',
  inputSchema: z.object({}),
  run: async (_, { accounts }) => ({ users: await accounts.list() }),
};
