/**
 * Starts new clients at a constant rate until its parent ends it or exits. Each client opens a connection,
 * makes one call and closes it. The parent's first message has the parameters: {url, headers, perSecond}.
 */
import { Agent, request as plain } from 'node:http';
import { request as secure } from 'node:https';

const TICK_MS = 20;
/** Limits the open sockets if the server does not answer. */
const MAX_OPEN = 2000;
const PATIENCE_MS = 5000;

const BODY = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

process.on('disconnect', () => process.exit());
process.once(
  'message',
  (/** @type {{url: string, headers: Record<string, string>, perSecond: number}} */ task) => {
    const { url, headers, perSecond } = task;
    const request = url.startsWith('https:') ? secure : plain;
    let open = 0;
    const visit = () => {
      open += 1;
      const visitor = request(url, {
        method: 'POST',
        agent: new Agent({ keepAlive: false }),
        rejectUnauthorized: false,
        timeout: PATIENCE_MS,
        headers: {
          ...headers,
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          Connection: 'close',
        },
      });
      visitor.on('response', (response) => response.resume());
      visitor.on('timeout', () => visitor.destroy());
      visitor.on('error', () => {});
      visitor.on('close', () => (open -= 1));
      visitor.end(BODY);
    };
    let made = 0;
    const started = Date.now();
    setInterval(() => {
      const due = ((Date.now() - started) / 1000) * perSecond;
      for (; made < due; made += 1) if (open < MAX_OPEN) visit();
    }, TICK_MS);
  },
);
process.send?.('ready');
