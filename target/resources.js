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
 * @property {string} uriTemplate template with one variable
 * @property {string} title
 * @property {string} description
 * @property {(start: string) => string[]} complete returns the values of the variable that start with `start`
 * @property {boolean} [listed] whether resources/list includes its resources (only for small sets)
 * @property {(value: string, services: Services) => Promise<object | string | undefined>} read
 *   returns undefined if there is no such resource
 */

const MIME_TYPE = 'application/json';

/** Maximum number of ids in a completion. */
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
    description: "A user's profile. Runs one indexed query; cached.",
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
    description: 'Number of users in a region, by plan. Runs one query; not cached.',
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
      "A region's report, as from generate_report. Runs 15 queries and a CPU-intensive aggregation.",
    complete: regionsFrom,
    read: async (region, services) =>
      REGIONS.includes(region) ? generateReport.run({ region }, services) : undefined,
  },
];

/** The resources, prepared for all servers. */
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

/** Matches the prefixes of readable URIs. It does not check whether the resource exists. */
const READABLE = new RegExp(
  `^(${RESOURCES.map(({ uriTemplate }) => uriTemplate.replace(/\{.*/, '')).join('|')})\\w+$`,
);

/**
 * @param {import('@modelcontextprotocol/server').McpServer} server
 * @param {Services} services
 * @param {(error: unknown) => string} explain returns the part of an error that a client may see
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

/** Subscription limit of a session: more than there are resources to subscribe to. */
const MOST_SUBSCRIPTIONS = 2 * USERS;

/**
 * Lets the client of a session subscribe to resources until the session ends. Clients of 2026-07-28 have no session:
 * they use a stream, which the SDK serves.
 * @param {import('@modelcontextprotocol/server').McpServer} mcp
 * @param {import('./user-changes.js').UserChanges} changes
 * @param {(error: unknown) => string} explain
 */
export function acceptSubscriptions({ server }, changes, explain) {
  /** @type {Map<string, () => void>} functions that end a subscription, by URI */
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
    // While this waited, the session may have ended, or the client may have subscribed to the same URI.
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
