/**
 * Serves the live page on this machine only. The page itself contains no data; reading the data requires the
 * token.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { oneLine } from '../../contract/one-line.js';
import { documentOf } from '../../page/document.ts';
import type { Page } from '../../page/model.ts';
import { logProgress } from '../log-progress.ts';

const FIRST_PORT = 3001;
const PORTS_TRIED = 50;
const MAX_HEADER_BYTES = 8192;

const HEADERS = {
  'content-security-policy': "frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** Names of this machine's loopback, with or without a port. */
const LOOPBACK = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d{1,5})?$/i;

/** @param page builds the current page; called by one request at a time, at most once per second */
export function liveServer(page: () => Promise<Page>, token: string): Server {
  const shell = documentOf(null);
  const json = remembered(async () => JSON.stringify(await page()));
  const server = createServer(
    { maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: 10_000 },
    (request, response) => {
      for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
      answer(request, response, shell, json, token).catch((error) => {
        logProgress(`live: ${error instanceof Error ? error.stack : error}`);
        if (!response.headersSent) response.writeHead(500);
        response.end();
      });
    },
  );
  // Without this, answers to malformed requests would lack the headers above.
  server.on(
    'clientError',
    (_, socket) => socket.writable && socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n'),
  );
  return server;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  shell: string,
  json: () => Promise<string>,
  token: string,
) {
  const refusal = refusalOf(request);
  if (refusal) return response.writeHead(refusal[0], { 'content-type': 'text/plain' }).end(`${refusal[1]}\n`);
  if (request.url === '/')
    return response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(shell);
  if (request.url !== '/page.json') return response.writeHead(404).end();
  if (!isSame(request.headers.authorization ?? '', `Bearer ${token}`)) return response.writeHead(401).end();
  const body = await json();
  const etag = `"${digest(body).toString('base64url')}"`;
  const isKnown = request.headers['if-none-match'] === etag;
  response.writeHead(isKnown ? 304 : 200, { 'content-type': 'application/json', etag });
  return response.end(isKnown ? undefined : body);
}

function refusalOf({ method, headers }: IncomingMessage): [status: number, text: string] | null {
  if (method !== 'GET') return [405, 'only GET is allowed'];
  // DNS rebinding: otherwise a foreign page whose name resolves to this machine would have the same origin.
  if (!LOOPBACK.test(headers.host ?? '')) return [403, 'the Host header does not name this machine'];
  const site = headers['sec-fetch-site'];
  const isNavigation = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  if (site !== undefined && site !== 'same-origin' && site !== 'none' && !isNavigation)
    return [403, 'cross-site requests are not allowed'];
  return null;
}

const digest = (text: string) => createHash('sha256').update(text).digest();
const isSame = (a: string, b: string) => timingSafeEqual(digest(a), digest(b));

/** @returns a function that caches the result for a second and shares a pending one */
function remembered(make: () => Promise<string>): () => Promise<string> {
  let made: Promise<string> | null = null;
  let madeMs = 0;
  let isMaking = false;
  return () => {
    if (made && (isMaking || Date.now() - madeMs < 900)) return made;
    isMaking = true;
    made = make().finally(() => {
      isMaking = false;
      madeMs = Date.now();
    });
    return made;
  };
}

/**
 * @param wanted '' = the first free port
 * @param host in a container all addresses; the engine publishes the port on this machine's loopback
 * @returns its port
 * @throws with a one-line message if no port is free
 */
export async function listen(server: Server, wanted: string, host = '127.0.0.1'): Promise<number> {
  if (wanted !== '' && !(/^\d{1,5}$/.test(wanted) && Number(wanted) < 65_536))
    throw new Error(`PORT is "${oneLine(wanted, 40)}"; valid: a port, 0 to 65535`);
  const ports =
    wanted === '' ? Array.from({ length: PORTS_TRIED }, (_, index) => FIRST_PORT + index) : [Number(wanted)];
  for (const port of ports) {
    const problem = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
      server.once('error', resolve);
      server.listen(port, host, () => {
        server.off('error', resolve);
        resolve(null);
      });
    });
    const address = server.address();
    if (problem === null && address && typeof address === 'object') return address.port;
    if (problem?.code !== 'EADDRINUSE') throw problem;
  }
  throw new Error(
    wanted === ''
      ? `all ports from ${FIRST_PORT} to ${FIRST_PORT + PORTS_TRIED - 1} are in use; valid: a free port in PORT`
      : `PORT is ${wanted}, which is in use; valid: a free port`,
  );
}
