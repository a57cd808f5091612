/** The gateway to measure: the user's own, or ContextForge, which is started here. */
import { toolPath } from '../../cli/tool-path.ts';
import type { Config } from '../../cli/trials/config.ts';
import type { Lab } from '../../cli/trials/lab.ts';
import { ConfigError } from '../../contract/config-error.js';
import { type Gateway, startContextForge } from './contextforge.ts';
import { stackStore } from './stack-store.ts';
import { toolNames } from './tools.ts';
import type { variables } from './variables.ts';

export type GatewayConfig = Config<typeof variables>;

/** rpc is '' if it has no JSON-RPC endpoint. */
export interface Subject extends Pick<Gateway, 'mcp' | 'rpc' | 'token' | 'names'> {
  name: string;
  /** In the format of TARGET_HEADERS. */
  headers: string;
  /** null = not started here. */
  pid: number | null;
}

export async function givenGateway(config: GatewayConfig): Promise<Subject> {
  const { GATEWAY_URL: mcp, GATEWAY_RPC_URL: rpc, GATEWAY_TOKEN: token, GATEWAY_PREFIX: prefix } = config;
  const prefixed = prefix ? (await toolNames(config)).map((tool) => [tool, prefix + tool] as const) : [];
  return {
    name: new URL(mcp).host,
    mcp,
    rpc,
    token,
    // Unparsed: k6 parses them itself.
    headers: process.env.GATEWAY_HEADERS ?? '',
    names: { ...Object.fromEntries(prefixed), ...config.TOOL_NAMES },
    pid: null,
  };
}

/** ContextForge in front of the target, until the test ends. */
export async function ownGateway(lab: Lab<GatewayConfig>): Promise<Subject> {
  if (process.env.STACK === 'docker') {
    throw new ConfigError('STACK is "docker", which starts no gateway; valid: STACK=native, or GATEWAY_URL');
  }
  lab.logProgress('getting the gateway (half a minute the first time) ...');
  await lab.sh(['scripts/setup', 'gateway']);
  lab.logProgress('starting the gateway ...');
  const { gateway, name } = await startOwn(lab.config);
  lab.onEnd(gateway.stop);
  lab.check();
  return { name, ...gateway, headers: '', names: { ...gateway.names, ...lab.config.TOOL_NAMES } };
}

/** Starts ContextForge in front of TARGET_URL. */
export async function startOwn({
  GATEWAY_STORE: kind,
  GATEWAY_SETTINGS: settings,
}: GatewayConfig): Promise<{ gateway: Gateway; name: string }> {
  const { TARGET_URL = '', TARGET_TOKEN = '' } = process.env;
  const store = kind === 'stack' ? await stackStore() : null;
  const gateway = await startContextForge({
    python: toolPath('gateway'),
    upstream: { url: TARGET_URL, token: TARGET_TOKEN },
    store,
    settings,
  });
  const own = settings ? `, with ${Object.keys(settings).join(', ')}` : '';
  return { gateway, name: `ContextForge on ${store ? 'PostgreSQL and Redis' : 'SQLite'}${own}` };
}
