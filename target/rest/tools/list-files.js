import { z } from 'zod';
import { listFolder } from '../sandbox.js';

/** @type {import('../tools.js').RestTool} */
export default {
  name: 'list_files',
  level: 'MEDIUM',
  inputSchema: z.object({ path: z.string().max(1000).default('.') }),
  run: async ({ path }) => ({ path, files: await listFolder(path) }),
};
