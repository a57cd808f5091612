/**
 * A server of 2026-07-28 whose one tool takes SECONDS, at a port: node tasks.js PORT SECONDS. Clients that declare tasks (SEP-2663) get one; any
 * other waits for the result.
 */
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const [, , port, seconds = '1'] = process.argv;
const POLL_MS = 100;
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const EXTENSION = 'io.modelcontextprotocol/tasks';
const RESULT = { resultType: 'complete', content: [{ type: 'text', text: 'done' }] };

/** When each began, by its id. @type {Map<string, number>} */
const tasks = new Map();

/** @param {string} taskId */
function stateOf(taskId) {
  const isOver = Date.now() - (tasks.get(taskId) ?? 0) >= Number(seconds) * 1000;
  const state = isOver ? { status: 'completed', result: RESULT } : { status: 'working' };
  return { resultType: 'complete', taskId, ttlMs: 60_000, pollIntervalMs: POLL_MS, ...state };
}

/** @param {any} message @returns {Promise<object>} */
async function resultOf({ method, params }) {
  switch (method) {
    case 'server/discover':
      return {
        resultType: 'complete',
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {}, extensions: { [EXTENSION]: {} } },
        serverInfo: { name: 'tasks', version: '1.0.0' },
      };
    case 'tools/list':
      return {
        resultType: 'complete',
        tools: [{ name: 'job', annotations: { readOnlyHint: true }, inputSchema: { type: 'object' } }],
      };
    case 'tools/call': {
      if (!params._meta?.[CAPABILITIES]?.extensions?.[EXTENSION]) {
        await sleep(Number(seconds) * 1000);
        return RESULT;
      }
      const taskId = `task-${tasks.size}`;
      tasks.set(taskId, Date.now());
      return { ...stateOf(taskId), resultType: 'task' };
    }
    case 'tasks/get':
      return stateOf(params.taskId);
    default:
      return { resultType: 'complete' };
  }
}

createServer(async (request, response) => {
  if (request.method !== 'POST') return void response.writeHead(405).end();
  let body = '';
  for await (const part of request.setEncoding('utf8')) body += part;
  const message = JSON.parse(body);
  const result = await resultOf(message);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
}).listen(Number(port), '127.0.0.1');
