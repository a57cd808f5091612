import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../lab.js';
import { toolPath } from '../tool.js';
import { startServer } from './start-server.js';

const ADMIN = 'admin@example.com';
const secret = () => randomBytes(32).toString('hex');

/**
 * Starts ContextForge (mcp-contextforge-gateway) in front of another MCP server, with one virtual server that has all
 * of its tools.
 *
 * @param {{url: string, token: string}} upstream
 * @returns {Promise<import('./start-server.js').Server & {token: string}>} token: for TARGET_TOKEN
 */
export async function startGateway(upstream) {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const folder = mkdtempSync(join(tmpdir(), 'mcp-load-lab-gateway-'));
  const python = toolPath('gateway');
  const env = {
    DATABASE_URL: `sqlite:///${folder}/gateway.db`,
    CACHE_TYPE: 'memory',
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
  };
  const server = await startServer('the gateway', {
    file: python,
    args: ['-m', 'mcpgateway.cli', '--host', '127.0.0.1', '--port', String(port)],
    env,
    url: origin,
    ready: `${origin}/health`,
    withinS: 60,
  });
  const stop = async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  };
  try {
    const token = execFileSync(
      python,
      ['-m', 'mcpgateway.utils.create_jwt_token', '--username', ADMIN, '--admin', '--exp', '60'],
      { env: { ...process.env, ...env }, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    ).trim();
    /** @param {string} path @param {object} [body] @returns {Promise<any>} */
    const api = async (path, body) => {
      const response = await fetch(`${origin}/v1/${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok)
        throw new Error(`${path}: HTTP ${response.status} ${text.slice(0, 500)}\n${server.log()}`);
      return JSON.parse(text);
    };
    await api('gateways', {
      name: 'upstream',
      url: upstream.url,
      transport: 'STREAMABLEHTTP',
      auth_type: 'bearer',
      auth_token: upstream.token,
    });
    const tools = await api('tools');
    const { id } = await api('servers', {
      server: { name: 'lab', associated_tools: tools.map((/** @type {any} */ tool) => tool.id) },
      visibility: 'public',
    });
    return { ...server, stop, url: `${origin}/servers/${id}/mcp`, token };
  } catch (error) {
    await stop();
    throw error;
  }
}
