/**
 * A server of 2026-07-28 whose one tool takes SECONDS, at a port: node tasks.js PORT SECONDS. Clients that declare tasks (SEP-2663) get one; any
 * other waits for the result.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { startJobServer } from './job-server.js';

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

startJobServer(Number(port), {
  name: 'tasks',
  extensions: { [EXTENSION]: {} },
  methods: {
    'tools/call': async ({ params }) => {
      if (!params._meta?.[CAPABILITIES]?.extensions?.[EXTENSION]) {
        await sleep(Number(seconds) * 1000);
        return RESULT;
      }
      const taskId = `task-${tasks.size}`;
      tasks.set(taskId, Date.now());
      return { ...stateOf(taskId), resultType: 'task' };
    },
    'tasks/get': ({ params }) => stateOf(params.taskId),
  },
});
