import { createServer } from 'node:http';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { z } from 'zod';
import { CertificateAuthority } from './certificate-authority.js';
import { EnvironmentError, nonEmpty, readEnvironment, wholeNumber } from './environment.js';
import { log } from './log.js';
import { logNormal } from './log-normal.js';
import { readBody } from './request-body.js';

/** Sigma of the log-normal latency: with a mean of 650 ms, the 99th percentile is 850 ms. */
const SIGMA = 0.12;

/** How long a request that "times out" is held, ms: longer than clients wait. */
const HANG = 30_000;

/** Maximum value of delay_ms, ms. */
const LONGEST_DELAY = 30_000;

const CONDITIONS = ['sunny', 'cloudy', 'rain', 'snow', 'fog'];

const Order = z.object({
  domains: z.array(z.string().min(1).max(253)).min(1).max(100),
  order: z.enum(['issue', 'renew']),
});

const VARIABLES = {
  HOST: nonEmpty('an address to listen on', { fallback: '127.0.0.1' }),
  PORT: wholeNumber(0, 65535, '8001'),
  LATENCY_MEAN_MS: wholeNumber(1, 10_000, '650'),
  // In thousandths, so that every variable is a whole number.
  TIMEOUTS_PER_1000: wholeNumber(0, 1000, '5'),
  // Mean latency of a renewal; a new certificate takes 1.5 times as long.
  AUTHORITY_LATENCY_MS: wholeNumber(1, 10_000, '2200'),
  // Limit of certificates per domain; 0: no limit.
  AUTHORITY_PER_MINUTE: wholeNumber(0, 1_000_000, '5'),
};

try {
  run(readEnvironment(VARIABLES, process.env));
} catch (error) {
  if (!(error instanceof EnvironmentError)) throw error;
  process.stderr.write(`upstream: ${error.message}\n`);
  process.exit(2);
}

/**
 * Detects requests of web pages: a browser sends the page's origin. With DNS rebinding the Host header contains a dot,
 * which no name in this stack does.
 * @param {import('node:http').IncomingMessage} request
 */
function isFromPage({ headers }) {
  const [name = ''] = (headers.host ?? '').split(':');
  return 'origin' in headers || 'sec-fetch-site' in headers || /\.(?!\d+(\.|$))/.test(name);
}

/**
 * Runs a weather service that is as slow as a real one, and a slower certificate authority.
 * @param {Record<string, any>} config
 */
function run(config) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'weather_request_duration_seconds',
    help: 'Time that the weather service took to answer.',
    buckets: [0.1, 0.25, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 2],
    registers: [registry],
  });
  const hung = new Counter({
    name: 'weather_hung_requests_total',
    help: 'Requests left without an answer on purpose.',
    registers: [registry],
  });

  const authority = new CertificateAuthority({
    latencyMs: config.AUTHORITY_LATENCY_MS,
    perMinute: config.AUTHORITY_PER_MINUTE,
  });

  const server = createServer(async (request, response) => {
    if (isFromPage(request)) return json(response, 403, { error: 'asked by a page in a browser' });
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname === '/health') return json(response, 200, { status: 'up' });
    if (pathname === '/metrics') {
      return response.writeHead(200, { 'Content-Type': registry.contentType }).end(await registry.metrics());
    }
    if (pathname === '/certificates' && request.method === 'POST') {
      // The client disconnected while it sent its order.
      return certify(authority, request, response).catch(() => response.destroy());
    }
    const city = searchParams.get('city');
    if (pathname !== '/weather' || !city)
      return json(response, 404, { error: 'GET /weather?city=... or POST /certificates' });

    const hang = Math.random() * 1000 < config.TIMEOUTS_PER_1000;
    // The target sends delay_ms while the fault upstream_delay_ms is active.
    const later = Math.min(LONGEST_DELAY, Math.max(0, Number(searchParams.get('delay_ms')) || 0));
    const latency = hang ? HANG : logNormal(config.LATENCY_MEAN_MS, SIGMA) + later;
    if (hang) hung.inc();
    else duration.observe(latency / 1000);
    const timer = setTimeout(() => json(response, 200, weatherOf(city)), latency);
    response.on('close', () => clearTimeout(timer));
  });
  server.on('error', (/** @type {Error & {code?: string}} */ error) => {
    process.stderr.write(`upstream: cannot listen on ${config.HOST}:${config.PORT}: ${error.code}\n`);
    process.exit(2);
  });
  server.listen(config.PORT, config.HOST, () => {
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    log('info', 'upstream listening', { url: `http://${config.HOST}:${port}` });
  });
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.on(signal, () => {
      server.close(() => process.exit(0));
      server.closeAllConnections();
    });
  }
}

/**
 * @param {CertificateAuthority} authority
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
async function certify(authority, request, response) {
  const order = Order.safeParse(parse((await readBody(request)) ?? ''));
  if (!order.success)
    return json(response, 400, { error: '{"domains": [...], "order": "issue" or "renew"}' });
  const answer = authority.certify(order.data.domains, order.data.order);
  if (answer.status === 429) response.setHeader('Retry-After', answer.retryAfter);
  const timer = setTimeout(() => json(response, answer.status, answer.body), answer.latency);
  response.on('close', () => clearTimeout(timer));
}

/** @param {string} text */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Deterministic: a city always has the same weather.
 * @param {string} city
 */
function weatherOf(city) {
  const seed = [...city].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 1000, 7);
  return { city, temperature_c: (seed % 450) / 10 - 10, conditions: CONDITIONS[seed % CONDITIONS.length] };
}

/**
 * @param {import('node:http').ServerResponse} response
 * @param {number} status
 * @param {object} body
 */
function json(response, status, body) {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
