/**
 * A server with sessions and GET streams, at a port: node streams.js PORT MODE NUMBER. What is wrong with its streams is the mode.
 * workers: each held stream and each call needs one of NUMBER workers; refuses: with NUMBER streams it answers 503; silence: what is between ends
 * a stream that was silent for NUMBER seconds, and holds its headers back until something is sent; age: a stream is ended after NUMBER seconds,
 * though a comment comes each second; leaks: it has no streams, and keeps NUMBER KiB of each request for one; keeps:
 * a session has NUMBER KiB, until its client ends it; drops: the tool notify reaches only the first NUMBER streams; lags: it reaches the
 * streams one after the other, NUMBER milliseconds apart; none: it holds all.
 */
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const [, , port, mode = 'none', text = '0'] = process.argv;
const number = Number(text);
const WORK_MS = 5;
/** @type {(() => void)[]} */
const waiting = [];
let busy = 0;
let streams = 0;
let sessions = 0;
/** @type {Map<string | string[] | undefined, Buffer>} */
const open = new Map();
/** @type {Buffer[]} */
const kept = [];
/** @type {Set<import('node:http').ServerResponse>} */
const listeners = new Set();
const CHANGED = `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })}\n\n`;

async function notifyAll() {
  for (const response of mode === 'drops' ? [...listeners].slice(0, number) : listeners) {
    response.write(CHANGED);
    if (mode === 'lags') await sleep(number);
  }
}

/** @returns {Promise<void>} ends when a worker is free */
const worker = () =>
  new Promise((resolve) => {
    const take = () => {
      busy += 1;
      resolve();
    };
    if (mode !== 'workers' || busy < number) take();
    else waiting.push(take);
  });
const free = () => {
  busy -= 1;
  waiting.shift()?.();
};

/** @param {import('node:http').ServerResponse} response */
async function hold(response) {
  if (mode === 'refuses' && streams >= number) return void response.writeHead(503).end();
  if (mode === 'leaks') {
    kept.push(Buffer.alloc(number * 1024, 1));
    return void response.writeHead(405).end();
  }
  let isGone = false;
  response.on('close', () => {
    isGone = true;
  });
  await worker();
  streams += 1;
  if (mode !== 'silence' && !isGone)
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  const timers = [
    ...(mode === 'age' ? [setInterval(() => response.write(': ping\n\n'), 1000)] : []),
    ...(['age', 'silence'].includes(mode) ? [setTimeout(() => response.destroy(), number * 1000)] : []),
  ];
  listeners.add(response);
  const end = () => {
    listeners.delete(response);
    for (const timer of timers) clearTimeout(timer);
    streams -= 1;
    free();
  };
  if (isGone) end();
  else response.on('close', end);
}

/** @param {any} message @returns {Promise<object>} */
async function resultOf({ method, params }) {
  if (method === 'initialize')
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: `streams-${mode}`, version: '1.0.0' },
    };
  if (method === 'tools/list')
    return {
      tools: [
        { name: 'work', annotations: { readOnlyHint: true }, inputSchema: { type: 'object' } },
        { name: 'notify', inputSchema: { type: 'object' } },
      ],
    };
  if (method === 'ping') return {};
  if (params?.name === 'notify') {
    notifyAll();
    return { content: [] };
  }
  if (params?.name !== 'work') return { content: [{ type: 'text', text: 'Unknown tool' }], isError: true };
  await worker();
  await sleep(WORK_MS);
  free();
  return { content: [{ type: 'text', text: 'done' }] };
}

createServer(async (request, response) => {
  const session = request.headers['mcp-session-id'];
  if (session && !open.has(session)) return void response.writeHead(404).end();
  if (request.method === 'GET' && request.headers.accept === 'text/event-stream') return hold(response);
  if (request.method === 'GET') return void response.writeHead(405).end();
  if (request.method === 'DELETE') {
    open.delete(session);
    return void response.writeHead(204).end();
  }
  let body = '';
  for await (const part of request.setEncoding('utf8')) body += part;
  const message = JSON.parse(body);
  if (message.id === undefined) return void response.writeHead(202).end();
  const isKnown = ['initialize', 'ping', 'tools/list', 'tools/call'].includes(message.method);
  const answer = isKnown
    ? { result: await resultOf(message) }
    : { error: { code: -32601, message: 'Method not found' } };
  if (message.method === 'initialize') {
    sessions += 1;
    open.set(String(sessions), Buffer.alloc(mode === 'keeps' ? number * 1024 : 0, 1));
    response.setHeader('mcp-session-id', String(sessions));
  }
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer }));
}).listen(Number(port), '127.0.0.1');
