import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { takesTasks } from './tasks.js';

/**
 * @typedef {object} ServedTool
 * @property {string} name
 * @property {import('@modelcontextprotocol/server').StandardSchemaWithJSON} inputSchema
 * @property {import('@modelcontextprotocol/server').StandardSchemaWithJSON} [outputSchema]
 * @property {object} description further members of the tool in tools/list
 * @property {(input: any, call: Call) => Promise<import('@modelcontextprotocol/server').CallToolResult>} answer
 * @property {(input: any) => any} [makeTask] used instead of `answer` if the client supports tasks
 *
 * @typedef {object} Call the request of a tool call
 * @property {AbortSignal} signal aborted when the client cancels the call
 * @property {(progress: number, total: number) => Promise<void>} reportProgress notifies the client if it requested
 * progress
 */

/**
 * Serves tools as McpServer does, but shares them among all servers. McpServer needs 1.5 KB per tool and server, and
 * every session has its own server.
 * @param {ServedTool[]} tools
 * @returns {(server: import('@modelcontextprotocol/server').Server) => void}
 */
export function serveTools(tools) {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const list = tools.map(({ name, description, inputSchema, outputSchema }) => ({
    name,
    ...description,
    inputSchema: jsonOf(inputSchema, 'input'),
    ...(outputSchema && { outputSchema: jsonOf(outputSchema, 'output') }),
  }));
  const outputs = new Map(list.map(({ name, outputSchema }) => [name, outputSchema]));

  return (server) => {
    server.setRequestHandler('tools/list', () => ({ tools: list }));
    server.setRequestHandler(
      'tools/call',
      async ({ params: { name, arguments: given = {} } }, { mcpReq }) => {
        const tool = byName.get(name);
        if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Tool ${name} not found`);
        const input = await tool.inputSchema['~standard'].validate(given);
        if (input.issues)
          return failure(
            `Input validation error: Invalid arguments for tool ${name}: ${textOf(input.issues)}`,
          );
        if (tool.makeTask && takesTasks(mcpReq)) return tool.makeTask(input.value);
        const result = await tool.answer(input.value, callOf(mcpReq));
        if (tool.outputSchema && !result.isError) {
          const output = await tool.outputSchema['~standard'].validate(result.structuredContent);
          if (output.issues)
            return failure(
              `Output validation error: Invalid structured content for tool ${name}: ${textOf(output.issues)}`,
            );
        }
        return server.projectCallToolResult(result, outputs.get(name));
      },
    );
  };
}

/** @param {import('@modelcontextprotocol/server').ServerContext['mcpReq']} request @returns {Call} */
const callOf = ({ signal, notify, _meta: { progressToken } = {} }) => ({
  signal,
  reportProgress: async (progress, total) => {
    if (progressToken === undefined) return;
    await notify({ method: 'notifications/progress', params: { progressToken, progress, total } });
  },
});

/**
 * @param {import('@modelcontextprotocol/server').StandardSchemaWithJSON} schema
 * @param {'input' | 'output'} side
 * @returns {{type: 'object'}}
 */
function jsonOf(schema, side) {
  return { type: 'object', ...schema['~standard'].jsonSchema[side]({ target: 'draft-2020-12' }) };
}

/** @param {string} text */
function failure(text) {
  return { content: [{ type: /** @type {const} */ ('text'), text }], isError: true };
}

/** @param {readonly {message: string, path?: readonly any[] | undefined}[]} issues */
function textOf(issues) {
  return issues
    .map(({ message, path = [] }) => {
      const where = path.map((part) => String(part?.key ?? part)).join('.');
      return where ? `${where}: ${message}` : message;
    })
    .join(', ');
}
