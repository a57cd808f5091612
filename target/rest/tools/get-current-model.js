import { z } from 'zod';

/** @type {import('../tools.js').RestTool} */
export default {
  name: 'get_current_model',
  level: 'LOW',
  inputSchema: z.object({}),
  run: () => ({ model: 'example-7b', context_tokens: 8192 }),
};
