/** Runs ContextForge (mcp-contextforge-gateway) as a gateway in front of one MCP server. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { newFolder, type ServerProcess, startServer } from '../../cli/trials/server-process.ts';
import { freePort } from '../../contract/free-port.js';

const ADMIN = 'admin@example.com';
/** The gateway names the upstream's tools upstream-<tool>. */
const NAME = 'upstream';
/** Longer than any test. */
const TOKEN_MINUTES = 7 * 24 * 60;
const TOOLS_WITHIN_MS = 30_000;

const secret = () => randomBytes(32).toString('hex');

/** Where the gateway stores its data. */
export interface Store {
  /** The gateway's settings for it. */
  settings: Record<string, string>;
  /** Removes what the gateway left there. */
  remove: () => Promise<void>;
}

export interface Gateway extends ServerProcess {
  origin: string;
  /** Its MCP endpoint, with all of its tools. */
  mcp: string;
  /** Its plain JSON-RPC endpoint. */
  rpc: string;
  /** For both endpoints. */
  token: string;
  /** The upstream's tool name -> the gateway's. */
  names: Record<string, string>;
  /** Calls its REST API: POST with a body, otherwise GET. */
  // biome-ignore lint/suspicious/noExplicitAny: as of JSON.parse
  api: (path: string, body?: object) => Promise<any>;
  /** Ends it and removes its data. */
  stop: () => Promise<void>;
}

interface GatewayStart {
  /** A Python with the package. */
  python: string;
  /** The MCP server behind the gateway. */
  upstream: { url: string; token: string };
  /** Default: SQLite in a temporary folder. */
  store?: Store | null;
  /** Overrides the default settings. */
  settings?: Record<string, string> | null;
}

export async function startContextForge({
  python,
  upstream,
  store,
  settings,
}: GatewayStart): Promise<Gateway> {
  const folder = newFolder();
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  // Do not inherit other environment variables: any of them could change one of the gateway's settings.
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    TMPDIR: folder,
    JWT_SECRET_KEY: secret(),
    AUTH_ENCRYPTION_SECRET: secret(),
    BASIC_AUTH_PASSWORD: secret(),
    PLATFORM_ADMIN_EMAIL: ADMIN,
    // Its password rules require an upper-case letter and a special character.
    PLATFORM_ADMIN_PASSWORD: `A!${secret()}`,
    DEFAULT_USER_PASSWORD: `A!${secret()}`,
    // By default the gateway refuses to call this machine, where the upstream runs.
    SSRF_ALLOW_LOCALHOST: 'true',
    SSRF_ALLOW_PRIVATE_NETWORKS: 'true',
    // The default is 100 requests a minute.
    RATE_LIMITING_ENABLED: 'false',
    LOG_LEVEL: 'ERROR',
    // The gateway's defaults: one file, and caches in its own memory.
    ...(store?.settings ?? { DATABASE_URL: `sqlite:///${folder}/gateway.db`, CACHE_TYPE: 'memory' }),
    ...settings,
  };
  let server: ServerProcess | undefined;
  const stop = async () => {
    await server?.stop();
    await store?.remove();
  };
  try {
    server = await startServer('the gateway', {
      file: python,
      args: ['-m', 'mcpgateway.cli', '--host', '127.0.0.1', '--port', String(port)],
      env,
      // It reads .env from its working directory.
      cwd: folder,
      folder,
      url: origin,
      ready: `${origin}/health`,
      status: 200,
      withinS: 180,
    });
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

/** @param env the gateway's: its secret signs the token */
async function mintToken(python: string, env: NodeJS.ProcessEnv, cwd: string): Promise<string> {
  const args = ['--username', ADMIN, '--admin', '--exp', String(TOKEN_MINUTES)];
  const command = ['-m', 'mcpgateway.utils.create_jwt_token', ...args];
  return (await execa(python, command, { env, extendEnv: false, cwd })).stdout.trim();
}

function restApi(origin: string, token: string, log: () => string): Gateway['api'] {
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
 * Sends one request of each kind. The first request of a kind takes several seconds, because the gateway
 * loads code. A client that connects would not wait that long.
 */
async function wakeUp(origin: string, token: string): Promise<void> {
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

/** Waits until the gateway has listed the upstream's tools. */
async function toolsOf(api: Gateway['api']): Promise<Gateway['names']> {
  const deadline = Date.now() + TOOLS_WITHIN_MS;
  for (;;) {
    const tools: { originalName: string; name: string }[] = await api('tools');
    if (tools.length > 0) {
      return Object.fromEntries(tools.map(({ originalName, name }) => [originalName, name]));
    }
    if (Date.now() > deadline) throw new Error(`the gateway has no tools after ${TOOLS_WITHIN_MS / 1000} s`);
    await sleep(200);
  }
}
