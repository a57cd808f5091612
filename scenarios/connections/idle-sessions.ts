/**
 * Sessions that are open and idle. Each has done its handshake and, if the server offers one, holds the stream on which a
 * legacy client listens, on its own connection. k6 cannot hold streams; this process can, and a socket costs far less
 * than a VU.
 */
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';

const VERSION = '2025-11-25';
const CLIENT_INFO = { name: 'mcp-load-lab', version: '0.1.0' };

/** Concurrent handshakes. Other tests measure what a server does with more. */
const AT_ONCE = 20;
const TIMEOUT_MS = 10_000;

export interface Session {
  id: string;
  version: string;
  stream: IncomingMessage | null;
}

export interface Opened {
  /** New sessions. */
  count: number;
  /** Time that it took to open them. */
  seconds: number;
  /** Milliseconds of each handshake: initialize and initialized. */
  handshakes: number[];
  /** Why there are not more sessions. */
  problem: string | null;
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  stream: IncomingMessage | null;
}

export class IdleSessions {
  readonly #url: URL;
  readonly #headers: Record<string, string>;
  readonly #client: typeof http | typeof https;
  readonly #agent: http.Agent;
  #sessions: Session[] = [];
  /** Streams that were closed by the server or the network. */
  lost = 0;

  /** @param headers the user's own */
  constructor(url: string, headers: Record<string, string>) {
    this.#url = new URL(url);
    this.#headers = headers;
    this.#client = this.#url.protocol === 'https:' ? https : http;
    this.#agent = new this.#client.Agent({ keepAlive: true, maxSockets: AT_ONCE });
  }

  get size(): number {
    return this.#sessions.length;
  }

  /** Sessions that listen on a stream. */
  get streams(): number {
    return this.#sessions.filter(({ stream }) => stream !== null).length;
  }

  /**
   * Opens sessions until there are `size`.
   *
   * @param how.listen opens a stream for each
   * @param how.check throws when it is time to end
   */
  async open(
    size: number,
    { listen = true, check = () => {} }: { listen?: boolean; check?: () => void } = {},
  ): Promise<Opened> {
    const before = this.size;
    const started = performance.now();
    const handshakes: number[] = [];
    let problem: string | null = null;
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
          problem ??= (error as Error).message;
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

  /** How many of the sessions the server still knows. */
  async known(): Promise<number> {
    const answers = await Promise.all(
      this.#sessions.map((session) =>
        this.#send('POST', { jsonrpc: '2.0', id: 2, method: 'ping' }, session).catch(() => null),
      ),
    );
    return answers.filter((answer) => answer !== null && answer.status < 300).length;
  }

  /** Ends all sessions, on the server too. */
  async close(): Promise<void> {
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

  async #handshake(): Promise<{ session: Session; ms: number }> {
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
    const session: Session = { id, version, stream: null };
    await this.#send('POST', { jsonrpc: '2.0', method: 'notifications/initialized' }, session);
    return { session, ms: performance.now() - started };
  }

  async #listen(session: Session): Promise<void> {
    const { stream } = await this.#send('GET', null, session);
    if (!stream) return;
    session.stream = stream;
    stream.resume().on('close', () => {
      session.stream = null;
      this.lost += 1;
    });
  }

  /** @returns with a stream and no text, if a GET opened one */
  #send(method: 'POST' | 'GET' | 'DELETE', message: object | null, session: Session | null): Promise<Answer> {
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
      request.on('error', (error: NodeJS.ErrnoException) => reject(new Error(error.code ?? error.message)));
      request.on('response', (response) => {
        const { statusCode: status = 0 } = response;
        const opened = listens && status === 200;
        if (opened) {
          // An idle stream is silent for as long as it is open.
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
