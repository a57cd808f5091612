import { DatabaseError } from '../database.js';
import { faults } from '../faults/faults.js';
import { beforeToolCall, stretch } from '../faults/tool-call.js';
import { log } from '../log.js';
import { readBody } from '../request-body.js';
import { NotFoundError } from './not-found-error.js';
import { LEVELS, REST_TOOLS } from './tools.js';

const OTHER = 'other';

const PATH = /^\/tools\/([^/]+)\/call$/;

/** @param {string} path path of a request @returns {boolean} */
export const isToolPath = (path) => PATH.test(path);

/**
 * Creates the handler of `POST /tools/{tool}/call` for authorized requests. `X-User-ID` names the user; the role of
 * that account determines which tools a request may call.
 * @param {import('./accounts.js').Accounts} accounts
 * @param {import('../metrics.js').Metrics} metrics
 * @returns {import('../app.js').Handler}
 */
export function createRestEndpoint(accounts, metrics) {
  return async (request, response) => {
    const start = performance.now();
    const tool = REST_TOOLS.get(toolOf(request));
    const { status, body } = await answer(request, { tool, accounts, metrics });
    if (faults.stretch_percent > 0) await stretch(start);
    const text = JSON.stringify(body);
    response.setHeader('Content-Type', 'application/json');
    if (status === 405) response.setHeader('Allow', 'POST');
    // The rest of a body that is too large is not read, so the connection can't be reused.
    if (status === 413) response.setHeader('Connection', 'close');
    response.writeHead(status, { 'Content-Length': Buffer.byteLength(text) }).end(text);
    const endpoint = tool?.name ?? OTHER;
    metrics.responseSize.observe({ endpoint }, Buffer.byteLength(text));
    metrics.observeRequest({ method: request.method === 'POST' ? 'POST' : OTHER, endpoint, status }, start);
  };
}

/**
 * @param {import('node:http').ServerResponse} response
 * @param {number} status
 * @param {string} detail
 */
export function refuseRest(response, status, detail) {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify({ detail }));
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {object} parts
 * @param {import('./tools.js').RestTool | undefined} parts.tool
 * @param {import('./accounts.js').Accounts} parts.accounts
 * @param {import('../metrics.js').Metrics} parts.metrics
 * @returns {Promise<{status: number, body: object}>}
 */
async function answer(request, { tool, accounts, metrics }) {
  if (request.method !== 'POST') return refusal(405, 'only POST calls a tool');
  try {
    // Checked before the body is read, so that unauthorized requests cost little.
    const account = await accounts.get(String(request.headers['x-user-id'] ?? ''), tool?.name ?? OTHER);
    if (!account) return refusal(401, 'X-User-ID must name a known user');
    if (!tool) return refusal(404, 'no such tool');
    if (LEVELS[tool.level] > account.clearance) {
      metrics.accessDenied.inc({ endpoint: tool.name, role: account.role });
      return refusal(
        403,
        `${tool.name} needs clearance for ${tool.level}, which the role ${account.role} does not have`,
      );
    }
    const text = await readBody(request);
    if (text === undefined) return refusal(413, 'request body too large');
    const input = tool.inputSchema.safeParse(argumentsOf(text));
    if (!input.success)
      return refusal(400, `the body must be {"arguments": {...}} with valid arguments for ${tool.name}`);
    await beforeToolCall(tool.name);
    return { status: 200, body: { result: await tool.run(input.data, { accounts }) } };
  } catch (error) {
    if (error instanceof NotFoundError) return refusal(404, error.message);
    if (error instanceof DatabaseError) return refusal(503, error.message);
    log('error', 'tool failed', { tool: tool?.name, error: String(error) });
    return refusal(500, 'internal error');
  }
}

/**
 * @param {number} status
 * @param {string} detail
 */
const refusal = (status, detail) => ({ status, body: { detail } });

/**
 * @param {string} text
 * @returns {unknown} undefined if the text is not a JSON object; an empty text counts as an empty object
 */
function argumentsOf(text) {
  try {
    const { arguments: given = {} } = JSON.parse(text);
    return given;
  } catch {
    return undefined;
  }
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @returns {string}
 */
function toolOf(request) {
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  try {
    return decodeURIComponent(PATH.exec(path)?.[1] ?? '');
  } catch {
    return '';
  }
}
