import { z } from 'zod';
import { COMMITS } from '../repository.js';

/** @type {import('../tools.js').RestTool} */
export default {
  name: 'git_log',
  level: 'LOW',
  inputSchema: z.object({ limit: z.number().int().min(1).max(100).default(10) }),
  run: ({ limit }) => ({ commits: COMMITS.slice(0, limit) }),
};
