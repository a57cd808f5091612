/**
 * The dashboards in a browser, where no Grafana is: serves the page, the dashboards' JSON, and the two query endpoints
 * of one Prometheus. It reads and never writes, and answers to this machine alone.
 *
 *   PROMETHEUS_URL=http://127.0.0.1:9090 node viewer/server.js     prints its own URL
 *
 * PROMETHEUS_USERNAME, PROMETHEUS_PASSWORD: who asks Prometheus, where it wants to know.
 * PORT: a port of its own instead of the first free one from 3001 on.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { PrometheusProxy } from './prometheus-proxy.js';
import { Refusal } from './refusal.js';

const HOST = '127.0.0.1';
const FIRST_PORT = 3001;
const PORTS_TRIED = 50;
/** Where `/` leads. */
const OVERVIEW = 'mcp-overview';
/** A query of a panel is 4 KB at most, and twice that in an address. */
const MAX_HEADER_BYTES = 32_768;

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGE = path.join(ROOT, 'viewer', 'page');
const DASHBOARDS = path.join(ROOT, 'provisioning', 'grafana', 'dashboards');
const UPLOT = path.join(ROOT, 'node_modules', 'uplot', 'dist');

/** @type {Record<string, string>} */
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
};

const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-cache',
};

/**
 * A dashboard that was committed below one of the folders.
 *
 * @returns {{uid: string, file: string, dashboard: any}[]} all of them, by folder and name
 */
export function dashboardFiles(folder = DASHBOARDS) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
    .map((file) => {
      const dashboard = JSON.parse(readFileSync(file, 'utf8'));
      return { uid: dashboard.uid, file, dashboard };
    });
}

/** Addresses that are a name of this machine's loopback, with or without a port. */
const LOOPBACK = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d{1,5})?$/i;

/** @param {import('node:http').IncomingMessage} request @throws {Refusal} */
function admit({ method, headers, url = '' }) {
  if (method !== 'GET') throw new Refusal(405, `${method}: GET is valid`);
  // A page elsewhere whose name leads to this machine would otherwise count as this server's own.
  if (!LOOPBACK.test(headers.host ?? '')) throw new Refusal(403, 'the host is not a name of this machine');
  const site = headers['sec-fetch-site'];
  const isNavigation = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  if (
    site !== undefined &&
    site !== 'same-origin' &&
    site !== 'none' &&
    !(isNavigation && !url.startsWith('/api/'))
  ) {
    throw new Refusal(403, 'asked by another site');
  }
}

/**
 * @param {string} folder
 * @param {string} name checked against the names of files, so that no part of it leads out of the folder
 * @throws {Refusal}
 */
function file(folder, name) {
  const type = TYPES[path.extname(name)];
  if (!type || !/^([\w-]+\/)?[\w-]+(\.min)?\.\w+$/i.test(name.replace('.iife', '')))
    throw new Refusal(404, 'no such file');
  try {
    return { type, body: readFileSync(path.join(folder, name)) };
  } catch {
    throw new Refusal(404, 'no such file');
  }
}

/** @param {unknown} value */
const json = (value) => ({ type: TYPES['.json'] ?? '', body: JSON.stringify(value) });

/**
 * @typedef {{type: string, body: string | Buffer}} Content
 *
 * What there is, by the path's beginning.
 *
 * @type {[RegExp, (...parts: string[]) => Content][]}
 */
const ROUTES = [
  [/^\/d\/[\w-]{1,80}$/, () => file(PAGE, 'index.html')],
  [/^\/page\/(.{1,80})$/, (name = '') => file(PAGE, name)],
  [/^\/uplot\/(uPlot\.iife\.min\.js|uPlot\.min\.css)$/, (name = '') => file(UPLOT, name)],
  [
    /^\/dashboards$/,
    () => json(dashboardFiles().map(({ uid, dashboard: { title, tags = [] } }) => ({ uid, title, tags }))),
  ],
  [
    /^\/dashboards\/([\w-]{1,80})$/,
    (uid = '') => {
      const found = dashboardFiles().find((one) => one.uid === uid);
      if (!found) throw new Refusal(404, `there is no dashboard ${uid}`);
      return json(found.dashboard);
    },
  ],
];

/**
 * @param {{prometheusUrl: string, headers?: Record<string, string>}} options headers: who asks Prometheus
 * @returns {import('node:http').Server} not yet listening
 * @throws {Error} where the URL is none
 */
export function viewer({ prometheusUrl, headers }) {
  const prometheus = new PrometheusProxy(prometheusUrl, headers);
  const server = createServer(
    { maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: 10_000 },
    async (request, response) => {
      for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
      try {
        admit(request);
        const { pathname, searchParams } = new URL(request.url ?? '/', `http://${HOST}`);
        if (pathname === '/') {
          response.writeHead(302, { location: `/d/${OVERVIEW}` }).end();
          return;
        }
        const [, endpoint] = /^\/api\/v1\/(query|query_range)$/.exec(pathname) ?? [];
        if (endpoint) {
          await prometheus.answer(endpoint, searchParams, response);
          return;
        }
        for (const [pattern, content] of ROUTES) {
          const [, ...parts] = pattern.exec(pathname) ?? [null];
          if (!pattern.test(pathname)) continue;
          const { type, body } = content(...parts.map(String));
          response.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
          response.end(body);
          return;
        }
        throw new Refusal(404, 'there is nothing here');
      } catch (error) {
        refuse(response, error);
      }
    },
  );
  // Without this a request that Node can't parse is answered without any of the headers above.
  server.on('clientError', (/** @type {NodeJS.ErrnoException} */ error, socket) => {
    if (!socket.writable) return;
    const status =
      error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
    socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
  });
  return server;
}

/** @param {import('node:http').ServerResponse} response @param {unknown} error */
function refuse(response, error) {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const status = error instanceof Refusal ? error.status : 500;
  const message = error instanceof Refusal ? error.message : 'the viewer failed; its terminal says how';
  if (!(error instanceof Refusal))
    process.stderr.write(`viewer: ${error instanceof Error ? error.stack : error}\n`);
  const headers = { 'content-type': TYPES['.json'] ?? '', ...(status === 405 && { allow: 'GET' }) };
  response.writeHead(status, headers).end(JSON.stringify({ status: 'error', error: message }));
}

/**
 * @param {import('node:http').Server} server
 * @param {number | null} wanted null for the first free port
 * @returns {Promise<string>} its URL
 * @throws {Error} one line, where no port is free
 */
export async function listen(server, wanted) {
  const ports =
    wanted === null ? Array.from({ length: PORTS_TRIED }, (_, index) => FIRST_PORT + index) : [wanted];
  for (const port of ports) {
    const problem = await new Promise((resolve) => {
      server.once('error', resolve);
      server.listen(port, HOST, () => {
        server.off('error', resolve);
        resolve(null);
      });
    });
    if (problem === null) {
      const address = /** @type {import('node:net').AddressInfo} */ (server.address());
      return `http://${HOST}:${address.port}`;
    }
    if (problem.code !== 'EADDRINUSE') throw problem;
  }
  throw new Error(
    wanted === null
      ? `all ports from ${FIRST_PORT} to ${FIRST_PORT + PORTS_TRIED - 1} are taken`
      : `PORT is ${wanted}, which is taken; a free port is valid`,
  );
}

/** @param {string | undefined} text @returns {number | null} @throws {Error} one line */
function portOf(text) {
  if (text === undefined || text === '') return null;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`PORT is "${text}"; valid: a port, 0 to 65535`);
  return port;
}

async function main() {
  const { PROMETHEUS_URL, PORT } = process.env;
  if (!PROMETHEUS_URL) throw new Error('PROMETHEUS_URL is not set; valid: the URL of a Prometheus');
  const url = await listen(viewer({ prometheusUrl: PROMETHEUS_URL }), portOf(PORT));
  process.stdout.write(`${url}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await main();
  } catch (error) {
    process.stderr.write(`viewer: ${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 2;
  }
}
