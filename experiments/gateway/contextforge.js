/** ContextForge (mcp-contextforge-gateway), a gateway, in front of one MCP server. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../../contract/free-port.js';
import { startServer } from '../server-process.js';

const ADMIN = 'admin@example.com';
/** Its tools are then called upstream-<tool>. */
const NAME = 'upstream';
/** Longer than any test: minutes. */
const TOKEN_MINUTES = 7 * 24 * 60;
const TOOLS_WITHIN_MS = 30_000;

const secret = () => randomBytes(32).toString('hex');

/**
 * Where the gateway keeps its things: settings of its own, and how to remove what it left.
 *
 * @typedef {object} Store
 * @property {Record<string, string>} settings
 * @property {() => Promise<void>} remove
 *
 * @typedef {object} Gateway
 * @property {string} origin
 * @property {string} mcp its MCP endpoint, with all tools that it has
 * @property {string} rpc its plain JSON-RPC endpoint
 * @property {string} token for both
 * @property {Record<string, string>} names the upstream's name of a tool -> the gateway's
 * @property {number} pid
 * @property {(path: string, body?: object) => Promise<any>} api its REST API
 * @property {() => string} log
 * @property {() => Promise<void>} stop ends it and removes its data
 */

/**
 * @param {object} how
 * @param {string} how.python with the package
 * @param {{url: string, token: string}} how.upstream the MCP server that it stands in front of
 * @param {Store} [how.store] by default SQLite in a folder that is removed afterwards
 * @param {Record<string, string>} [how.settings] of the gateway's own, on top of ours
 * @returns {Promise<Gateway>}
 */
export async function startContextForge({ python, upstream, store, settings = {} }) {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-load-lab-gateway-'));
  const { settings: kept, remove } = store ?? sqlite(folder);
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  // Nothing else of our own environment: each of its hundreds of settings is a variable.
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    TMPDIR: folder,
    JWT_SECRET_KEY: secret(),
    AUTH_ENCRYPTION_SECRET: secret(),
    BASIC_AUTH_PASSWORD: secret(),
    PLATFORM_ADMIN_EMAIL: ADMIN,
    // Its rules want an upper-case letter and a special character.
    PLATFORM_ADMIN_PASSWORD: `A!${secret()}`,
    DEFAULT_USER_PASSWORD: `A!${secret()}`,
    // The upstream is on this machine, which the gateway otherwise refuses to call.
    SSRF_ALLOW_LOCALHOST: 'true',
    SSRF_ALLOW_PRIVATE_NETWORKS: 'true',
    // 100 requests a minute is less than a load test.
    RATE_LIMITING_ENABLED: 'false',
    LOG_LEVEL: 'ERROR',
    ...kept,
    ...settings,
  };
  /** @type {(() => Promise<void>)[]} */
  const undo = [async () => rmSync(folder, { recursive: true, force: true }), remove];
  const stop = async () => {
    for (const each of undo.splice(0).reverse()) await each();
  };
  try {
    const server = await startServer('the gateway', {
      file: python,
      args: ['-m', 'mcpgateway.cli', '--host', '127.0.0.1', '--port', String(port)],
      env,
      // It reads a file .env where it runs.
      cwd: folder,
      url: origin,
      ready: `${origin}/health`,
      status: 200,
      withinS: 180,
    });
    undo.push(server.stop);
    const token = await mintToken(python, env, folder);
    const api = restApi(origin, token, server.log);
    await api('gateways', {
      name: NAME,
      url: upstream.url,
      transport: 'STREAMABLEHTTP',
      ...(upstream.token && { auth_type: 'bearer', auth_token: upstream.token }),
    });
    const names = await toolsOf(api);
    await wakeUp(origin, token);
    return { origin, mcp: `${origin}/mcp/`, rpc: `${origin}/rpc`, token, names, api, ...server, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** @param {string} folder @returns {Store} as the gateway comes: one file, caches in its own memory */
function sqlite(folder) {
  return {
    settings: { DATABASE_URL: `sqlite:///${folder}/gateway.db`, CACHE_TYPE: 'memory' },
    remove: async () => {},
  };
}

/**
 * @param {string} python
 * @param {NodeJS.ProcessEnv} env the gateway's: its secret signs
 * @param {string} cwd
 */
async function mintToken(python, env, cwd) {
  const args = ['--username', ADMIN, '--admin', '--exp', String(TOKEN_MINUTES)];
  const { stdout } = await promisify(execFile)(python, ['-m', 'mcpgateway.utils.create_jwt_token', ...args], {
    env,
    cwd,
    encoding: 'utf8',
  });
  return stdout.trim();
}

/**
 * @param {string} origin
 * @param {string} token
 * @param {() => string} log
 * @returns {Gateway['api']}
 */
function restApi(origin, token, log) {
  return async (path, body) => {
    const response = await fetch(`${origin}/v1/${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    throw new Error(`the gateway: ${path}: HTTP ${response.status} ${text.slice(0, 500)}\n${log()}`);
  };
}

/**
 * The first request of each kind loads what answers it, for some seconds: longer than a client waits for a server that it
 * meets.
 *
 * @param {string} origin
 * @param {string} token
 */
async function wakeUp(origin, token) {
  const clientInfo = { name: 'mcp-load-lab', version: '1' };
  const requests = [
    ['/mcp/', 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }],
    ['/mcp/', 'tools/list', {}],
    ['/rpc', 'tools/list', {}],
  ];
  for (const [path, method, params] of requests) {
    const response = await fetch(`${origin}${path}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    await response.text();
  }
}

/** Waits until the gateway has listed its upstream. @param {Gateway['api']} api @returns {Promise<Gateway['names']>} */
async function toolsOf(api) {
  const deadline = Date.now() + TOOLS_WITHIN_MS;
  for (;;) {
    const tools = await api('tools');
    if (tools.length > 0) {
      return Object.fromEntries(
        tools.map((/** @type {any} */ { originalName, name }) => [originalName, name]),
      );
    }
    if (Date.now() > deadline) throw new Error(`the gateway has no tools after ${TOOLS_WITHIN_MS / 1000} s`);
    await sleep(200);
  }
}
