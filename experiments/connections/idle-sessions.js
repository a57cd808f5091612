/**
 * Sessions that are open and do nothing: each with its handshake and, where the server has one, the stream on which a
 * client of the legacy era listens, on a connection of its own. k6 can't hold streams; this process can, and a socket
 * of it costs far less than a virtual user.
 */
import http from 'node:http';
import https from 'node:https';

const VERSION = '2025-11-25';
const CLIENT_INFO = { name: 'mcp-load-lab', version: '0.1.0' };

/** Handshakes under way at a time: what a server does with more is another test's business. */
const AT_ONCE = 20;
const TIMEOUT_MS = 10_000;

/**
 * @typedef {object} Session
 * @property {string} id
 * @property {string} version
 * @property {import('node:http').IncomingMessage | null} stream
 *
 * @typedef {object} Opened
 * @property {number} count of the sessions that are new
 * @property {number} seconds that they took
 * @property {number[]} handshakes milliseconds of each: initialize and initialized
 * @property {string | null} problem why there are not more
 *
 * @typedef {{status: number, headers: import('node:http').IncomingHttpHeaders, text: string,
 *   stream: import('node:http').IncomingMessage | null}} Answer
 */

export class IdleSessions {
  #url;
  #headers;
  #client;
  #agent;
  /** @type {Session[]} */
  #sessions = [];
  #lost = 0;

  /**
   * @param {string} url
   * @param {Record<string, string>} headers the user's own
   */
  constructor(url, headers) {
    this.#url = new URL(url);
    this.#headers = headers;
    this.#client = this.#url.protocol === 'https:' ? https : http;
    this.#agent = new this.#client.Agent({ keepAlive: true, maxSockets: AT_ONCE });
  }

  get size() {
    return this.#sessions.length;
  }

  /** Those that listen on a stream. */
  get streams() {
    return this.#sessions.filter(({ stream }) => stream !== null).length;
  }

  /** Streams that ended without our doing. */
  get lost() {
    return this.#lost;
  }

  /**
   * Opens sessions until there are so many.
   *
   * @param {number} size
   * @param {{listen?: boolean, check?: () => void}} [how] check: throws where it is time to end
   * @returns {Promise<Opened>}
   */
  async open(size, { listen = true, check = () => {} } = {}) {
    const before = this.size;
    const started = performance.now();
    /** @type {number[]} */
    const handshakes = [];
    /** @type {string | null} */
    let problem = null;
    let missing = size - before;
    const opener = async () => {
      while (missing > 0 && problem === null) {
        check();
        missing -= 1;
        try {
          const { session, ms } = await this.#handshake();
          handshakes.push(ms);
          this.#sessions.push(session);
          if (listen) await this.#listen(session);
        } catch (error) {
          problem ??= /** @type {Error} */ (error).message;
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, Math.max(0, missing)) }, opener));
    return {
      count: this.size - before,
      seconds: (performance.now() - started) / 1000,
      handshakes,
      problem,
    };
  }

  /** @returns {Promise<number>} how many of the sessions the server still knows */
  async known() {
    const answers = await Promise.all(
      this.#sessions.map((session) =>
        this.#send('POST', { jsonrpc: '2.0', id: 2, method: 'ping' }, session).catch(() => null),
      ),
    );
    return answers.filter((answer) => answer !== null && answer.status < 300).length;
  }

  /** Ends them all, on the server too. */
  async close() {
    const all = this.#sessions;
    this.#sessions = [];
    const closer = async () => {
      for (let session = all.pop(); session !== undefined; session = all.pop()) {
        session.stream?.removeAllListeners('close');
        session.stream?.destroy();
        await this.#send('DELETE', null, session).catch(() => {});
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, closer));
    this.#agent.destroy();
  }

  /** @returns {Promise<{session: Session, ms: number}>} */
  async #handshake() {
    const started = performance.now();
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: VERSION, capabilities: {}, clientInfo: CLIENT_INFO },
    };
    const { status, headers, text } = await this.#send('POST', initialize, null);
    if (status !== 200) throw new Error(`initialize was answered with HTTP ${status}`);
    const id = headers['mcp-session-id'];
    if (typeof id !== 'string') throw new Error('the server keeps no sessions: it gave none an id');
    const version = /"protocolVersion":"([\d-]+)"/.exec(text)?.[1] ?? VERSION;
    const session = { id, version, stream: null };
    await this.#send('POST', { jsonrpc: '2.0', method: 'notifications/initialized' }, session);
    return { session, ms: performance.now() - started };
  }

  /** @param {Session} session */
  async #listen(session) {
    const { stream } = await this.#send('GET', null, session);
    if (!stream) return;
    session.stream = stream;
    stream.resume().on('close', () => {
      session.stream = null;
      this.#lost += 1;
    });
  }

  /**
   * @param {'POST' | 'GET' | 'DELETE'} method
   * @param {object | null} message
   * @param {Session | null} session
   * @returns {Promise<Answer>} with a stream, and no text, where a GET opened one
   */
  #send(method, message, session) {
    const listens = method === 'GET';
    const headers = {
      ...this.#headers,
      Accept: listens ? 'text/event-stream' : 'application/json, text/event-stream',
      ...(message && { 'Content-Type': 'application/json' }),
      ...(session && { 'Mcp-Session-Id': session.id, 'MCP-Protocol-Version': session.version }),
    };
    return new Promise((resolve, reject) => {
      const options = { method, headers, agent: listens ? false : this.#agent };
      const request = this.#client.request(this.#url, options);
      request.setTimeout(TIMEOUT_MS, () =>
        request.destroy(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)),
      );
      request.on('error', (/** @type {Error & {code?: string}} */ error) =>
        reject(new Error(error.code ?? error.message)),
      );
      request.on('response', (response) => {
        const { statusCode: status = 0 } = response;
        const opened = listens && status === 200;
        if (opened) {
          // It has nothing to say for as long as it stays open.
          request.setTimeout(0);
          resolve({ status, headers: response.headers, text: '', stream: response });
          return;
        }
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status, headers: response.headers, text, stream: null }));
        response.on('error', reject);
      });
      request.end(message ? JSON.stringify(message) : undefined);
    });
  }
}
