/**
 * A server of 2026-07-28 whose tool `job` takes `ms` milliseconds and reports progress twice a second, at a port: node long-calls.js PORT MODE
 * SECONDS. silence: something between answers 504, or closes the stream, after SECONDS without a byte; age: the same after SECONDS in any case;
 * buffered: something between holds the stream back until its end; serial: one job at a time, which goes on when its client has left; joins: a
 * second call with the same arguments gets the result of the first; instant: `ms` means nothing; none: it works.
 */
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const [, , port, mode = 'none', seconds = '1'] = process.argv;
const REPORT_MS = 500;
const RESULT = { resultType: 'complete', content: [{ type: 'text', text: 'done' }] };

/** The last job; those that are serial begin after it. */
let last = Promise.resolve();
/** By their arguments. @type {Map<string, Promise<void>>} */
const running = new Map();

/** @param {number} ms @returns {Promise<void>} */
function work(ms) {
  if (mode === 'instant') return Promise.resolve();
  if (mode === 'serial') {
    last = last.then(() => sleep(ms));
    return last;
  }
  if (mode !== 'joins') return sleep(ms);
  const key = String(ms);
  const job = running.get(key) ?? sleep(ms).then(() => void running.delete(key));
  running.set(key, job);
  return job;
}

/** @param {import('node:http').ServerResponse} response @param {any} message */
async function callTool(response, { id, params }) {
  const token = params._meta?.progressToken;
  /** @type {NodeJS.Timeout | undefined} */
  let limit;
  const restart = () => {
    clearTimeout(limit);
    limit = setTimeout(() => {
      if (response.headersSent) response.destroy();
      else response.writeHead(504).end();
    }, Number(seconds) * 1000);
  };
  if (['silence', 'age'].includes(mode)) restart();
  let reports = 0;
  /** @type {string[]} */
  const held = [];
  /** @param {object} event */
  const send = (event) => {
    const text = `data: ${JSON.stringify({ jsonrpc: '2.0', ...event })}\n\n`;
    if (mode === 'silence') restart();
    if (mode === 'buffered') held.push(text);
    else response.write(text);
  };
  const reporter = setInterval(() => {
    if (token === undefined || response.destroyed) return;
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
    reports += 1;
    send({ method: 'notifications/progress', params: { progressToken: token, progress: reports } });
  }, REPORT_MS);
  await work(params.arguments.ms);
  clearInterval(reporter);
  clearTimeout(limit);
  if (response.writableEnded || response.destroyed) return;
  if (!response.headersSent) {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: RESULT }));
    return;
  }
  send({ id, result: RESULT });
  response.end(held.join(''));
}

/** @param {string} method @returns {object} */
function resultOf(method) {
  if (method === 'server/discover')
    return {
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      serverInfo: { name: `long-calls-${mode}`, version: '1.0.0' },
    };
  if (method === 'tools/list')
    return {
      resultType: 'complete',
      tools: [{ name: 'job', annotations: { readOnlyHint: true }, inputSchema: { type: 'object' } }],
    };
  return { resultType: 'complete' };
}

createServer(async (request, response) => {
  if (request.method !== 'POST') return void response.writeHead(405).end();
  let body = '';
  for await (const part of request.setEncoding('utf8')) body += part;
  const message = JSON.parse(body);
  if (message.method === 'tools/call') return callTool(response, message);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: resultOf(message.method) }));
}).listen(Number(port), '127.0.0.1');
