/**
 * Tasks (SEP-2663) of tools that only wait. No state is stored: a task's id contains its start and its duration, so
 * every worker can answer for it. As a consequence, a cancelled task continues.
 */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { MAX_SECONDS } from './tools/run-job.js';

/** The identifier of the extension. */
export const TASKS = 'io.modelcontextprotocol/tasks';

const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

const POLL_MS = 500;
/** How long the result of a task is available. */
const TTL_MS = 300_000;

const Params = z.looseObject({ taskId: z.string().max(200) });
const Task = z.object({ seconds: z.number().min(0).max(MAX_SECONDS), began: z.int() });

/** @typedef {z.infer<typeof Task>} Task seconds: duration; began: Unix time in ms */

/**
 * @param {import('@modelcontextprotocol/server').ServerContext['mcpReq']} request
 * @returns {boolean} whether the client supports tasks
 */
export const takesTasks = ({ envelope }) => {
  /** @type {any} */
  const { [CAPABILITIES]: capabilities } = envelope ?? {};
  return Object.hasOwn(capabilities?.extensions ?? {}, TASKS);
};

/** @param {number} seconds @returns {any} the answer to the call that creates the task */
export const newTask = (seconds) => ({ ...stateOf({ seconds, began: Date.now() }), resultType: 'task' });

/**
 * @param {import('@modelcontextprotocol/server').Server} server
 * @param {(task: Task) => import('@modelcontextprotocol/server').CallToolResult} resultOf
 *   returns the result of a completed task
 */
export function serveTasks(server, resultOf) {
  server.setRequestHandler('tasks/get', { params: Params }, ({ taskId }) => {
    const task = taskOf(taskId);
    if (Date.now() > endOf(task) + TTL_MS) throw unknownTask();
    return hasEnded(task) ? { ...stateOf(task), result: resultOf(task) } : stateOf(task);
  });
  for (const method of /** @type {const} */ (['tasks/update', 'tasks/cancel']))
    server.setRequestHandler(method, { params: Params }, ({ taskId }) => {
      taskOf(taskId);
      return {};
    });
}

const endOf = (/** @type {Task} */ { began, seconds }) => began + seconds * 1000;
const hasEnded = (/** @type {Task} */ task) => Date.now() >= endOf(task);

/** @param {Task} task */
function stateOf(task) {
  const lastMs = hasEnded(task) ? endOf(task) : task.began;
  return {
    taskId: Buffer.from(JSON.stringify(task)).toString('base64url'),
    status: hasEnded(task) ? 'completed' : 'working',
    createdAt: new Date(task.began).toISOString(),
    lastUpdatedAt: new Date(lastMs).toISOString(),
    ttlMs: TTL_MS,
    pollIntervalMs: POLL_MS,
  };
}

/** @param {string} taskId @returns {Task} @throws {ProtocolError} */
function taskOf(taskId) {
  try {
    return Task.parse(JSON.parse(Buffer.from(taskId, 'base64url').toString()));
  } catch {
    throw unknownTask();
  }
}

const unknownTask = () => new ProtocolError(ProtocolErrorCode.InvalidParams, 'there is no such task');
