import { z } from 'zod';
import { readText } from '../sandbox.js';

/** @type {import('../tools.js').RestTool} */
export default {
  name: 'read_file',
  level: 'MEDIUM',
  inputSchema: z.object({ path: z.string().min(1).max(1000) }),
  run: async ({ path }) => ({ path, content: await readText(path) }),
};
