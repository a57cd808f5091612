import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { REGIONS, USERS } from './seed.js';
import generateReport, { COUNT_USERS } from './tools/generate-report.js';
import { UserId } from './tools/user.js';

/** @typedef {import('./mcp.js').Services} Services */

/**
 * @typedef {object} Resource
 * @property {string} name
 * @property {string} uriTemplate with one variable
 * @property {string} title
 * @property {string} description
 * @property {(start: string) => string[]} complete values of the variable that begin with a text
 * @property {boolean} [listed] all of its resources are few enough to be listed
 * @property {(value: string, services: Services) => Promise<object | string | undefined>} read undefined: there is no such resource
 */

const MIME_TYPE = 'application/json';

/** Of ids as many as a client may show. */
const SUGGESTIONS = 20;

/** @param {string} start */
export const regionsFrom = (start) => REGIONS.filter((region) => region.startsWith(start));

/** @param {string} start @returns {string[]} */
export function userIdsFrom(start) {
  if (!/^[1-9]\d*$|^$/.test(start)) return [];
  const ids = [Number(start), ...Array.from({ length: SUGGESTIONS }, (_, n) => Number(`${start}${n}`))];
  return [...new Set(ids)].filter((id) => id >= 1 && id <= USERS).map(String);
}

/** @type {Resource[]} */
export const RESOURCES = [
  {
    name: 'user',
    uriTemplate: 'users://{id}',
    title: 'A user',
    description: 'The profile of a user. One indexed query, cached.',
    complete: userIdsFrom,
    read: async (id, { users }) => {
      const { success, data } = UserId.safeParse(Number(id));
      return success ? users.get(data) : undefined;
    },
  },
  {
    name: 'region',
    uriTemplate: 'regions://{region}',
    title: 'A region',
    description: 'How many users of each plan live in a region. One query, not cached.',
    complete: regionsFrom,
    listed: true,
    read: async (region, { database }) => {
      if (!REGIONS.includes(region)) return undefined;
      const plans = await database.query(COUNT_USERS, [region]);
      return { region, users_by_plan: Object.fromEntries(plans.map(({ plan, users }) => [plan, users])) };
    },
  },
  {
    name: 'report',
    uriTemplate: 'reports://{region}',
    title: "A region's report",
    description:
      'What generate_report makes of a region: 15 queries and an aggregation that is heavy on the processor.',
    complete: regionsFrom,
    read: async (region, services) =>
      REGIONS.includes(region) ? generateReport.run({ region }, services) : undefined,
  },
];

/** The resources ready for any number of servers. */
const REGISTRATIONS = RESOURCES.map(({ name, uriTemplate, title, description, complete, listed, read }) => {
  const [, scheme = '', variable = ''] = /^(\w+:\/\/)\{(\w+)\}$/.exec(uriTemplate) ?? [];
  const all = complete('').map((value) => ({ uri: `${scheme}${value}`, name: value, mimeType: MIME_TYPE }));
  return {
    name,
    variable,
    template: new ResourceTemplate(uriTemplate, {
      list: listed ? () => ({ resources: all }) : undefined,
      complete: { [variable]: complete },
    }),
    config: { title, description, mimeType: MIME_TYPE },
    read,
  };
});

/** How a URI that can be read begins; whether it names something, reading tells. */
const READABLE = new RegExp(
  `^(${RESOURCES.map(({ uriTemplate }) => uriTemplate.replace(/\{.*/, '')).join('|')})\\w+$`,
);

/**
 * @param {import('@modelcontextprotocol/server').McpServer} server
 * @param {Services} services
 * @param {(error: unknown) => string} explain what may be said of an error
 */
export function addResources(server, services, explain) {
  for (const { name, variable, template, config, read } of REGISTRATIONS) {
    server.registerResource(name, template, config, async (uri, variables) => {
      const value = await read(String(variables[variable]), services).catch((error) => {
        throw new ProtocolError(ProtocolErrorCode.InternalError, explain(error));
      });
      if (value === undefined) throw new ResourceNotFoundError(uri.href);
      return { contents: [{ uri: uri.href, mimeType: MIME_TYPE, text: JSON.stringify(value) }] };
    });
  }
}

/** One session's, more than there are resources to watch. */
const MOST_SUBSCRIPTIONS = 2 * USERS;

/**
 * Lets the client of a session subscribe to resources until the session ends. (Clients of 2026-07-28 have no session:
 * they listen on a stream, which is the SDK's to serve.)
 * @param {import('@modelcontextprotocol/server').McpServer} mcp
 * @param {import('./user-changes.js').UserChanges} changes
 * @param {(error: unknown) => string} explain
 */
export function acceptSubscriptions({ server }, changes, explain) {
  /** @type {Map<string, () => void>} what ends each, by URI */
  const subscribed = new Map();
  let closed = false;

  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
    if (!READABLE.test(uri)) throw new ResourceNotFoundError(uri);
    if (subscribed.has(uri)) return {};
    if (subscribed.size >= MOST_SUBSCRIPTIONS)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `a session has at most ${MOST_SUBSCRIPTIONS} subscriptions`,
      );
    const notify = () => void server.sendResourceUpdated({ uri }).catch(() => {});
    const end = await changes.watch(uri, notify).catch((error) => {
      throw new ProtocolError(ProtocolErrorCode.InternalError, explain(error));
    });
    // Meanwhile the session may have ended, or have been asked for the same.
    if (closed || subscribed.has(uri)) end();
    else subscribed.set(uri, end);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', async ({ params: { uri } }) => {
    subscribed.get(uri)?.();
    subscribed.delete(uri);
    return {};
  });
  server.onclose = () => {
    closed = true;
    for (const end of subscribed.values()) end();
    subscribed.clear();
  };
}
