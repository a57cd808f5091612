/**
 * A server of 2026-07-28 whose tool `job` takes `ms` milliseconds and reports progress twice a second, at a port: node long-calls.js PORT MODE
 * SECONDS. silence: something between answers 504, or closes the stream, after SECONDS without a byte; age: the same after SECONDS in any case;
 * buffered: something between holds the stream back until its end; serial: one job at a time, which goes on when its client has left; joins: a
 * second call with the same arguments gets the result of the first; instant: `ms` means nothing; none: it works.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { startJobServer } from './job-server.js';

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

/** @type {import("./job-server.js").Handler} the result, or nothing if it is sent on a stream */
async function callTool({ id, params }, response) {
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
  if (!response.headersSent) return RESULT;
  send({ id, result: RESULT });
  response.end(held.join(''));
}

startJobServer(Number(port), { name: `long-calls-${mode}`, methods: { 'tools/call': callTool } });
