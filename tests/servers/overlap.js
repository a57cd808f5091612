/**
 * A server on stdio that does not take calls which overlap. Its mode is the argument:
 * serial: it works on one call at a time; concurrent: on any number; lock: it never answers again once a second call comes in while it works
 * on one; lose: what it answers while the slow tool runs does not get out.
 */
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const [, , mode = 'serial'] = process.argv;
const WORK_MS = { quick: 20, slow: 200 };
const TOOLS = Object.keys(WORK_MS).map((name) => ({
  name,
  annotations: { readOnlyHint: true },
  inputSchema: { type: 'object', properties: {} },
}));

/** @param {object} said */
const write = (said) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...said })}\n`);

let open = 0;
let slow = 0;
let isLocked = false;
/** Ends with the last call. @type {Promise<unknown>} */
let turn = Promise.resolve();

/** @param {unknown} id @param {'quick' | 'slow'} name */
async function call(id, name) {
  open += 1;
  slow += name === 'slow' ? 1 : 0;
  if (open > 1) isLocked = mode === 'lock';
  await sleep(WORK_MS[name]);
  open -= 1;
  slow -= name === 'slow' ? 1 : 0;
  const isLost = mode === 'lose' && slow > 0;
  if (!isLocked && !isLost) write({ id, result: { content: [{ type: 'text', text: name }] } });
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (isLocked) return;
  if (method === 'initialize') {
    const { protocolVersion } = params;
    const serverInfo = { name: 'overlap', version: '1.0.0' };
    write({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
  } else if (method === 'tools/list') {
    write({ id, result: { tools: TOOLS } });
  } else if (method === 'tools/call') {
    const work = () => call(id, params.name);
    turn = mode === 'serial' ? turn.then(work) : work();
  } else if (id !== undefined) {
    write({ id, error: { code: -32601, message: 'Method not found' } });
  }
});
