import { McpServer } from '@modelcontextprotocol/server';
import { DatabaseError } from './database.js';
import { beforeToolCall } from './faults/tool-call.js';
import { keepJson } from './keep-json.js';
import { log } from './log.js';
import { NPM_TOOLS } from './npm/tools.js';
import { addPrompts } from './prompts.js';
import { acceptSubscriptions, addResources } from './resources.js';
import { serveTools } from './serve-tools.js';
import { newTask, serveTasks, TASKS } from './tasks.js';
import { ToolError } from './tool-error.js';
import fetchWeather from './tools/fetch-weather.js';
import generateReport from './tools/generate-report.js';
import getUser from './tools/get-user.js';
import payload from './tools/payload.js';
import processBatch from './tools/process-batch.js';
import runJob from './tools/run-job.js';
import searchUsers from './tools/search-users.js';
import updateUser from './tools/update-user.js';
import { WeatherError } from './weather.js';

/**
 * The services that tools use.
 * @typedef {object} Services
 * @property {import('./users.js').Users} users
 * @property {import('./database.js').Queries} database
 * @property {import('./weather.js').Weather} weather
 * @property {import('./npm/authority.js').Authority} authority
 */

/**
 * @typedef {object} Tool
 * @property {string} name
 * @property {string} title
 * @property {string} description
 * @property {import('zod').ZodType} inputSchema
 * @property {import('zod').ZodType} [outputSchema]
 * @property {import('@modelcontextprotocol/server').ToolAnnotations} annotations
 * @property {(input: any, services: Services, call: import('./serve-tools.js').Call) => Promise<object | string>} run
 *   returns the structured content, or a text if the tool has no outputSchema
 * @property {true} [asTask] the tool takes `seconds`, and answers with a task if the client supports tasks
 */

/** @type {Tool[]} */
export const TOOLS = [
  getUser,
  searchUsers,
  updateUser,
  generateReport,
  fetchWeather,
  processBatch,
  payload,
  runJob,
  ...NPM_TOOLS,
];

const SERVER_INFO = {
  name: 'mcp-load-lab-target',
  title: 'Reference target of mcp-load-lab',
  version: '0.1.0',
};

/** The tools, with schemas that all servers share. */
const REGISTRATIONS = TOOLS.map(({ name, run, asTask, inputSchema, outputSchema, ...description }) => ({
  name,
  run,
  asTask,
  description,
  inputSchema: keepJson(inputSchema),
  // With an outputSchema, a tool must answer with structured content.
  output: outputSchema && { outputSchema: keepJson(outputSchema) },
}));

/** Lists never change while the server runs, so clients may cache them. */
const LISTS = /** @type {const} */ ([
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'prompts/list',
]);
const LIST_TTL = 300_000;

/** Errors whose messages are meant for clients. Other messages may reveal internals. */
const TELLING_ERRORS = [ToolError, DatabaseError, WeatherError];

/**
 * Formats a result, by the setting CONTENT.
 * @type {Record<string, (structuredContent: Record<string, unknown>) => import('@modelcontextprotocol/server').CallToolResult>}
 */
const WRITERS = {
  structured: (structuredContent) => ({ content: [jsonText(structuredContent)], structuredContent }),
  text: (structuredContent) => ({ content: [jsonText(structuredContent)] }),
  'structured-only': (structuredContent) => ({ content: [], structuredContent }),
};

/** @param {object} value */
const jsonText = (value) => ({ type: /** @type {const} */ ('text'), text: JSON.stringify(value) });

/**
 * How a client may subscribe to resources: not at all, on separate streams (served by the SDK), or in its session.
 * @typedef {'never' | 'streams' | 'session'} Subscribing
 */

/**
 * @param {Services} services
 * @param {import('./user-changes.js').UserChanges} changes
 * @param {Pick<import('./config.js').Config, 'content'>} config
 * @returns {(subscribing: Subscribing) => McpServer} creates servers that share their tools, schemas and services
 */
export function mcpServerFactory(services, changes, { content }) {
  const write = /** @type {NonNullable<typeof WRITERS[string]>} */ (WRITERS[content]);
  const served = REGISTRATIONS.map(({ name, run, asTask, output, ...tool }) => {
    const own = servicesFor(name, services);
    /** @param {unknown} input @param {import('./serve-tools.js').Call} call */
    const answer = async (input, call) => {
      try {
        await beforeToolCall(name, services.database);
        const result = await run(input, own, call);
        if (typeof result === 'string')
          return { content: [{ type: /** @type {const} */ ('text'), text: result }] };
        return write(/** @type {Record<string, unknown>} */ (result));
      } catch (error) {
        return {
          content: [{ type: /** @type {const} */ ('text'), text: messageOf(error, name) }],
          isError: true,
        };
      }
    };
    const makeTask = asTask && ((/** @type {{seconds: number}} */ { seconds }) => newTask(seconds));
    return { ...tool, name, answer, ...(makeTask && { makeTask }), ...(content !== 'text' && output) };
  });
  const addTools = serveTools(served);
  const ofResources = servicesFor('resources/read', services);
  const ofPrompts = servicesFor('prompts/get', services);

  return (subscribing) => {
    const server = new McpServer(SERVER_INFO, {
      capabilities: {
        tools: { listChanged: false },
        resources: { listChanged: false, subscribe: subscribing !== 'never' },
        prompts: { listChanged: false },
        extensions: { [TASKS]: {} },
      },
      cacheHints: Object.fromEntries(LISTS.map((list) => [list, { ttlMs: LIST_TTL, cacheScope: 'public' }])),
    });
    addTools(server.server);
    serveTasks(server.server, ({ seconds }) => write({ seconds }));
    addResources(server, ofResources, (error) => messageOf(error, 'resources/read'));
    addPrompts(server, ofPrompts, (error) => messageOf(error, 'prompts/get'));
    if (subscribing === 'session')
      acceptSubscriptions(server, changes, (error) => messageOf(error, 'resources/subscribe'));
    return server;
  };
}

/**
 * Returns the services for one tool: its database and cache accesses are counted for that tool.
 * @param {string} tool
 * @param {Services} services
 * @returns {Services}
 */
export function servicesFor(tool, services) {
  return {
    ...services,
    users: services.users.forTool(tool),
    database: services.database.forTool(tool),
  };
}

/**
 * @param {unknown} error
 * @param {string} tool the tool or the method that failed
 */
function messageOf(error, tool) {
  if (TELLING_ERRORS.some((kind) => error instanceof kind)) return /** @type {Error} */ (error).message;
  log('error', 'call failed', { tool, error: String(error) });
  return 'internal error';
}
