/** The gateway that is measured: one that was given, or one that is started here. */
import { ConfigError } from '../../contract/config-error.js';
import { stackOf } from '../stack.js';
import { toolPath } from '../tool-path.js';
import { startContextForge } from './contextforge.js';
import { stackStore } from './stack-store.js';
import { toolNames } from './tools.js';

/**
 * @typedef {object} Subject
 * @property {string} name
 * @property {string} mcp its MCP endpoint
 * @property {string} rpc its plain JSON-RPC endpoint; '' = none
 * @property {string} token
 * @property {string} headers as TARGET_HEADERS
 * @property {Record<string, string>} names the target's name of a tool -> the gateway's
 * @property {number | null} pid null: it runs elsewhere
 */

/**
 * @param {any} config
 * @returns {Promise<Subject>}
 */
export async function givenGateway(config) {
  const { GATEWAY_URL: mcp, GATEWAY_RPC_URL: rpc, GATEWAY_TOKEN: token, GATEWAY_PREFIX: prefix } = config;
  const prefixed = prefix ? (await toolNames(config)).map((tool) => [tool, prefix + tool]) : [];
  return {
    name: new URL(mcp).host,
    mcp,
    rpc,
    token,
    // As they were written: k6 reads them again.
    headers: process.env.GATEWAY_HEADERS ?? '',
    names: { ...Object.fromEntries(prefixed), ...config.TOOL_NAMES },
    pid: null,
  };
}

/**
 * @param {import('../lab.js').Lab} lab
 * @returns {Promise<Subject>} ContextForge in front of the target, until the experiment ends
 */
export async function ownGateway(lab) {
  if (process.env.STACK === 'docker') {
    throw new ConfigError(
      'STACK is "docker", where no gateway is started; valid: STACK=native, or GATEWAY_URL',
    );
  }
  lab.say('getting the gateway (half a minute the first time) ...');
  await lab.sh(['scripts/setup', 'gateway']);
  lab.say('starting the gateway ...');
  const { gateway, name } = await startOwn(lab.config);
  lab.onEnd(gateway.stop);
  lab.check();
  return { name, ...gateway, headers: '', names: { ...gateway.names, ...lab.config.TOOL_NAMES } };
}

/**
 * @param {any} config
 * @returns {Promise<{gateway: import('./contextforge.js').Gateway, name: string}>} in front of the target that the
 *   environment names
 */
export async function startOwn({ GATEWAY_STORE: kind, GATEWAY_SETTINGS: settings }) {
  const { TARGET_URL = '', TARGET_TOKEN = '' } = process.env;
  const store = kind === 'stack' ? await stackStore(stackOf(process.env)) : undefined;
  const gateway = await startContextForge({
    python: toolPath('gateway'),
    upstream: { url: TARGET_URL, token: TARGET_TOKEN },
    ...(store && { store }),
    settings: settings ?? {},
  });
  const own = settings ? `, with ${Object.keys(settings).join(', ')}` : '';
  return { gateway, name: `ContextForge on ${store ? 'PostgreSQL and Redis' : 'SQLite'}${own}` };
}
