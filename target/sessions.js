import { randomUUID } from 'node:crypto';
import { Agent, createServer, request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';

/** How often expired sessions are removed, ms; more often if sessionTimeout is shorter. */
const SWEEP_INTERVAL = 30_000;

const SESSION_HEADER = 'mcp-session-id';

/** @typedef {{transport: WebStandardStreamableHTTPServerTransport, lastUsed: number, streams: number}} Session */

/** The sessions that this worker holds. */
export class Sessions {
  #createServer;
  #metrics;
  #workerId;
  #timeout;
  /** @type {Map<string, Session>} */
  #sessions = new Map();
  #sweeper;

  /**
   * @param {object} parts
   * @param {() => import('@modelcontextprotocol/server').McpServer} parts.createServer
   * @param {Pick<import('./config.js').Config, 'sessionTimeout'>} parts.config
   * @param {import('./metrics.js').Metrics} parts.metrics
   * @param {number} parts.workerId
   */
  constructor({ createServer, config, metrics, workerId }) {
    this.#createServer = createServer;
    this.#metrics = metrics;
    this.#workerId = workerId;
    this.#timeout = config.sessionTimeout * 1000;
    this.#sweeper = setInterval(() => this.#sweep(), Math.min(SWEEP_INTERVAL, this.#timeout / 2)).unref();
  }

  /**
   * Serves one request of a legacy client.
   * @type {import('./app.js').Fetch}
   */
  async serve(request, options) {
    const id = request.headers.get(SESSION_HEADER);
    if (id !== null) {
      const session = this.#sessions.get(id);
      if (!session) return sessionNotFound();
      session.lastUsed = Date.now();
      const answer = await session.transport.handleRequest(request, options);
      if (request.method === 'GET' && answer.ok) listenOn(session, request.signal);
      return answer;
    }
    // Without a session, only `initialize` is served; the transport rejects all other requests.
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => sessionId(this.#workerId),
      onsessioninitialized: (created) => this.#open(created, transport),
    });
    await this.#createServer().connect(transport);
    const closed = transport.onclose;
    transport.onclose = () => {
      this.#forget(transport.sessionId);
      closed?.();
    };
    return transport.handleRequest(request, options);
  }

  /** Ends all sessions and their event streams. */
  async close() {
    clearInterval(this.#sweeper);
    await Promise.all([...this.#sessions.values()].map(({ transport }) => transport.close()));
  }

  /**
   * @param {string} id
   * @param {WebStandardStreamableHTTPServerTransport} transport
   */
  #open(id, transport) {
    this.#sessions.set(id, { transport, lastUsed: Date.now(), streams: 0 });
    this.#metrics.sessionsActive.set(this.#sessions.size);
  }

  /** @param {string | undefined} id */
  #forget(id) {
    if (id !== undefined) this.#sessions.delete(id);
    this.#metrics.sessionsActive.set(this.#sessions.size);
  }

  /** Removes expired sessions: clients may disconnect without DELETE. A session with an open stream is in use. */
  #sweep() {
    const oldest = Date.now() - this.#timeout;
    for (const { transport, lastUsed, streams } of this.#sessions.values()) {
      if (streams === 0 && lastUsed < oldest) transport.close();
    }
  }
}

/**
 * @param {Session} session
 * @param {AbortSignal} gone aborted when the client disconnects
 */
function listenOn(session, gone) {
  session.streams++;
  const end = () => {
    session.streams--;
    session.lastUsed = Date.now();
  };
  gone.addEventListener('abort', end, { once: true });
}

/**
 * Routes requests to the worker that holds their session. Connections are spread over the workers, and a client may use
 * several for one session, so a request can arrive at another worker. The session's id contains the worker's number.
 * Each worker also listens on a Unix socket, in a folder that only this service can access.
 */
export class SessionRouter {
  #folder;
  #workerId;
  #endpoint;
  #server;
  #agent = new Agent({ keepAlive: true });

  /**
   * @param {object} parts
   * @param {string} parts.folder
   * @param {number} parts.workerId
   * @param {import('./app.js').Handler} parts.endpoint serves requests that another worker has authorized and forwarded
   */
  constructor({ folder, workerId, endpoint }) {
    this.#folder = folder;
    this.#workerId = workerId;
    this.#endpoint = endpoint;
    this.#server = createServer((request, response) => {
      endpoint(request, response).catch(() => response.destroy());
    });
    // Other workers keep their connections. If this side closed an idle one, that could coincide with its next request.
    this.#server.keepAliveTimeout = 0;
  }

  /** Resolves when other workers can reach this one. */
  listen() {
    return /** @type {Promise<void>} */ (
      new Promise((resolve, reject) => {
        this.#server.once('error', reject);
        // Without `exclusive`, node:cluster would share the socket among all workers.
        this.#server.listen({ path: this.#socketOf(this.#workerId), exclusive: true }, resolve);
      })
    );
  }

  /**
   * Serves a request here, or forwards it to the worker that holds its session.
   * @type {import('./app.js').Handler}
   */
  async route(request, response) {
    const owner = ownerOf(request.headers[SESSION_HEADER]);
    if (owner === undefined || owner === this.#workerId) return this.#endpoint(request, response);
    await this.#forward(request, response, owner);
  }

  close() {
    this.#agent.destroy();
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /**
   * @param {import('node:http').IncomingMessage} request
   * @param {import('node:http').ServerResponse} response
   * @param {number} owner
   */
  #forward(request, response, owner) {
    return /** @type {Promise<void>} */ (
      new Promise((resolve) => {
        const { method, url: path } = request;
        const forwarded = httpRequest({
          agent: this.#agent,
          socketPath: this.#socketOf(owner),
          method,
          path,
          headers: withoutHopByHop(request.headers),
        });
        forwarded.on('response', (answer) => {
          response.writeHead(answer.statusCode ?? 502, withoutHopByHop(answer.headers)).flushHeaders();
          answer.pipe(response);
        });
        forwarded.on('error', async (/** @type {Error & {code?: string}} */ { code }) => {
          if (response.headersSent) return response.destroy();
          // The socket does not exist: the worker has exited, and its sessions with it.
          const answer = code === 'ENOENT' || code === 'ECONNREFUSED' ? sessionNotFound() : badGateway();
          response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(await answer.text());
        });
        response.on('close', () => {
          forwarded.destroy();
          resolve();
        });
        request.pipe(forwarded);
      })
    );
  }

  /** @param {number} workerId */
  #socketOf(workerId) {
    return join(this.#folder, `${workerId}.sock`);
  }
}

/** @param {number} workerId */
function sessionId(workerId) {
  return `${workerId}.${randomUUID()}`;
}

/**
 * @param {string | string[] | undefined} id
 * @returns {number | undefined} the worker that created the session
 */
function ownerOf(id) {
  const match = /^(\d{1,9})\./.exec(String(id));
  return match ? Number(match[1]) : undefined;
}

/** Headers of a single connection, which are not forwarded. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding']);

/** @param {import('node:http').IncomingHttpHeaders} headers */
function withoutHopByHop(headers) {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)));
}

function sessionNotFound() {
  return errorResponse(404, -32001, 'Session not found');
}

function badGateway() {
  return errorResponse(502, -32000, "the session's worker did not answer");
}

/**
 * @param {number} status
 * @param {number} code
 * @param {string} message
 */
function errorResponse(status, code, message) {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });
}
