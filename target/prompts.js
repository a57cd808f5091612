import { completable, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { keepJson } from './keep-json.js';
import { regionsFrom, userIdsFrom } from './resources.js';
import { CATEGORIES, PLANS, REGIONS } from './seed.js';

/** @typedef {import('./mcp.js').Services} Services */

/**
 * @typedef {object} Prompt
 * @property {string} name
 * @property {string} title
 * @property {string} description
 * @property {z.ZodObject} [argsSchema] all values are strings: MCP allows no other arguments
 * @property {(args: any, services: Services) => Promise<string>} write returns the text of the user message
 */

const Region = () =>
  completable(z.enum(REGIONS).describe('one of the regions that users live in'), (start = '') =>
    regionsFrom(start),
  );

/** @type {Prompt[]} */
const PROMPTS = [
  {
    name: 'describe_data',
    title: 'Describe the data',
    description: 'Describes the data of this server. Runs no query.',
    write: async () =>
      `Users live in ${REGIONS.join(', ')}, have the plan ${PLANS.join(', ')}, and order ${CATEGORIES.join(', ')}. ` +
      'What would you like to know about them first?',
  },
  {
    name: 'greet_user',
    title: 'Greet a user',
    description: 'Asks for a letter to one user. Runs one indexed query; cached.',
    argsSchema: z.object({
      user_id: completable(
        z
          .string()
          .regex(/^[1-9]\d{0,8}$/, 'the id of a user')
          .describe('id of a user, as text'),
        (start = '') => userIdsFrom(start),
      ),
    }),
    async write({ user_id }, { users }) {
      const user = await users.get(Number(user_id));
      if (!user) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no user ${user_id}`);
      return `Write a short letter to ${user.name} in ${user.city}, who has the plan ${user.plan}.`;
    },
  },
  {
    name: 'compare_regions',
    title: 'Compare two regions',
    description: 'Asks for a comparison of two regions. Runs no query.',
    argsSchema: z.object({ first: Region(), second: Region() }),
    write: async ({ first, second }) =>
      `Read reports://${first} and reports://${second}: what do customers in ${first} buy that those in ${second} do not?`,
  },
];

/** The prompts, prepared for all servers. */
const REGISTRATIONS = PROMPTS.map(({ name, argsSchema, write, ...description }) => ({
  name,
  write,
  // The SDK finds completions only in the shape of the schema.
  config: {
    ...description,
    ...(argsSchema && { argsSchema: { ...keepJson(argsSchema), shape: argsSchema.shape } }),
  },
}));

/**
 * @param {import('@modelcontextprotocol/server').McpServer} server
 * @param {Services} services
 * @param {(error: unknown) => string} explain returns the part of an error that a client may see
 */
export function addPrompts(server, services, explain) {
  for (const { name, write, config } of REGISTRATIONS) {
    const answer = async (/** @type {unknown} */ args) => {
      const text = await write(args, services).catch((error) => {
        throw error instanceof ProtocolError
          ? error
          : new ProtocolError(ProtocolErrorCode.InternalError, explain(error));
      });
      return {
        messages: [
          { role: /** @type {const} */ ('user'), content: { type: /** @type {const} */ ('text'), text } },
        ],
      };
    };
    const { argsSchema } = config;
    if (argsSchema) server.registerPrompt(name, { ...config, argsSchema }, answer);
    else server.registerPrompt(name, config, () => answer({}));
  }
}
