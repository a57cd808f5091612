import { z } from 'zod';
import { PLANS } from '../seed.js';

/** The output schema of a user. */
export const User = z.object({
  id: z.int(),
  name: z.string(),
  email: z.string(),
  city: z.string(),
  region: z.string(),
  plan: z.enum(PLANS),
  version: z.int().describe('grows by one with every change'),
  updated_at: z.iso.datetime(),
});

export const UserId = z
  .int()
  .min(1)
  .max(2_147_483_647)
  .describe('id of a user; the seed data has 1 to 10000');
