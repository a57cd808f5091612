import { McpServer } from '@modelcontextprotocol/server';
import { DatabaseError } from './database.js';
import { log } from './log.js';
import { ToolError } from './tool-error.js';
import fetchWeather from './tools/fetch-weather.js';
import generateReport from './tools/generate-report.js';
import getUser from './tools/get-user.js';
import processBatch from './tools/process-batch.js';
import searchUsers from './tools/search-users.js';
import updateUser from './tools/update-user.js';
import { WeatherError } from './weather.js';

/**
 * What tools work with.
 * @typedef {object} Services
 * @property {import('./users.js').Users} users
 * @property {import('./database.js').Queries} database
 * @property {import('./weather.js').Weather} weather
 */

/**
 * @typedef {object} Tool
 * @property {string} name
 * @property {string} title
 * @property {string} description
 * @property {import('zod').ZodType} inputSchema
 * @property {import('zod').ZodType} outputSchema
 * @property {import('@modelcontextprotocol/server').ToolAnnotations} annotations
 * @property {(input: any, services: Services) => Promise<object>} run resolves to the structured content
 */

/** @type {Tool[]} */
export const TOOLS = [getUser, searchUsers, updateUser, generateReport, fetchWeather, processBatch];

const SERVER_INFO = {
  name: 'mcp-load-lab-target',
  title: 'Reference target of mcp-load-lab',
  version: '0.1.0',
};

/** The dialect that MCP prescribes. */
const JSON_SCHEMA = 'draft-2020-12';

/** The tools with their schemas ready for any number of servers. */
const REGISTRATIONS = TOOLS.map(({ name, run, inputSchema, outputSchema, ...description }) => ({
  name,
  run,
  config: { ...description, inputSchema: keepJson(inputSchema) },
  // A tool that has it must answer with structured content.
  output: { outputSchema: keepJson(outputSchema) },
}));

/** The tools never change while the server runs: let clients keep the list. */
const TOOL_LIST_TTL = 300_000;

/** Messages of these are written for clients; any other error may tell too much. */
const TELLING_ERRORS = [ToolError, DatabaseError, WeatherError];

/**
 * How a result is written, by the knob CONTENT.
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
 * @param {Services} services
 * @param {Pick<import('./config.js').Config, 'content'>} config
 * @returns {McpServer}
 */
export function createMcpServer(services, { content }) {
  const write = /** @type {NonNullable<typeof WRITERS[string]>} */ (WRITERS[content]);
  const server = new McpServer(SERVER_INFO, {
    capabilities: { tools: { listChanged: false } },
    cacheHints: { 'tools/list': { ttlMs: TOOL_LIST_TTL, cacheScope: 'public' } },
  });
  for (const { name, run, config, output } of REGISTRATIONS) {
    const whole = { ...config, ...(content !== 'text' && output) };
    const own = servicesFor(name, services);
    server.registerTool(name, whole, async (/** @type {unknown} */ input) => {
      try {
        return write(/** @type {Record<string, unknown>} */ (await run(input, own)));
      } catch (error) {
        return { content: [{ type: 'text', text: messageOf(error, name) }], isError: true };
      }
    });
  }
  return server;
}

/**
 * The services as one tool gets them: what it asks of the database and the cache is counted as its own.
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
 * A schema that makes its JSON form once. The SDK asks for it on every tools/list, and zod would make it anew.
 * @param {import('zod').ZodType} schema
 * @returns {import('@modelcontextprotocol/server').StandardSchemaWithJSON}
 */
function keepJson(schema) {
  const standard = schema['~standard'];
  const input = standard.jsonSchema.input({ target: JSON_SCHEMA });
  const output = standard.jsonSchema.output({ target: JSON_SCHEMA });
  return { '~standard': { ...standard, jsonSchema: { input: () => input, output: () => output } } };
}

/**
 * @param {unknown} error
 * @param {string} tool
 */
function messageOf(error, tool) {
  if (TELLING_ERRORS.some((kind) => error instanceof kind)) return /** @type {Error} */ (error).message;
  log('error', 'tool failed', { tool, error: String(error) });
  return 'internal error';
}
