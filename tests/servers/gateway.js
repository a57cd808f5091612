import { startContextForge } from '../../scenarios/gateway/contextforge.ts';
import { toolPath } from '../tool.js';

/**
 * Starts ContextForge in front of another MCP server, with one virtual server that has all of its tools.
 *
 * @param {{url: string, token: string}} upstream
 * @returns {Promise<{url: string, token: string, log: () => string, stop: () => Promise<void>}>} token: for TARGET_TOKEN
 */
export async function startGateway(upstream) {
  const gateway = await startContextForge({ python: toolPath('gateway'), upstream });
  const tools = await gateway.api('tools');
  const { id } = await gateway.api('servers', {
    server: { name: 'lab', associated_tools: tools.map((/** @type {any} */ tool) => tool.id) },
    visibility: 'public',
  });
  return { ...gateway, url: `${gateway.origin}/servers/${id}/mcp` };
}
