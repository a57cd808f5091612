import getCurrentModel from './tools/get-current-model.js';
import gitLog from './tools/git-log.js';
import gitStatus from './tools/git-status.js';
import listFiles from './tools/list-files.js';
import listUsers from './tools/list-users.js';
import readFile from './tools/read-file.js';

/** Sensitivity levels of tools. A role may use tools up to its clearance (schema.sql). */
export const LEVELS = { LOW: 1, MEDIUM: 2, HIGH: 3 };

/**
 * A tool behind `POST /tools/{tool}/call`.
 * @typedef {object} RestTool
 * @property {string} name
 * @property {keyof typeof LEVELS} level
 * @property {import('zod').ZodType} inputSchema
 * @property {(input: any, services: {accounts: import('./accounts.js').Accounts}) => object | Promise<object>} run
 */

/** @type {RestTool[]} */
const tools = [getCurrentModel, gitLog, gitStatus, listFiles, listUsers, readFile];

export const REST_TOOLS = new Map(tools.map((tool) => [tool.name, tool]));
