import { z } from 'zod';

/**
 * Maximum size of input and output, characters: with the rest of the message it fits into the largest accepted body.
 */
const LARGEST = 512 * 1024;

/** Text that is hard to compress and needs no JSON escapes. */
const FILLER = makeFiller(LARGEST);

/** @type {import('../mcp.js').Tool} */
export default {
  name: 'payload',
  title: 'Carry a payload',
  description:
    'Takes a text and returns the requested number of characters. Uses neither the database nor the cache.',
  inputSchema: z.object({
    body: z.string().max(LARGEST).default('').describe('a text that is ignored'),
    reply_bytes: z.int().min(0).max(LARGEST).default(0).describe('length of the answer'),
  }),
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  run: async ({ reply_bytes }) => FILLER.slice(0, reply_bytes),
};

/** @param {number} length */
function makeFiller(length) {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  let state = 1;
  let text = '';
  while (text.length < length) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += letters[state >>> 26];
  }
  return text;
}
