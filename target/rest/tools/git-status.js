import { z } from 'zod';
import { STATUS } from '../repository.js';

/** @type {import('../tools.js').RestTool} */
export default {
  name: 'git_status',
  level: 'LOW',
  inputSchema: z.object({}),
  run: () => STATUS,
};
