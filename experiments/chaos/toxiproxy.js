/** Toxiproxy as a process of its own on loopback, and its HTTP API: proxies, and the toxics in them. */
import { freePort, hiddenHost } from '../../contract/free-port.js';
import { startServer } from '../server-process.js';

/**
 * @typedef {object} Toxic what is wrong with a connection, as Toxiproxy's README describes it
 * @property {'latency' | 'bandwidth' | 'reset_peer' | 'timeout'} type
 * @property {Record<string, number>} attributes
 */

/** Where a network that has gone silent would leave us waiting for our own tool, ms. */
const API_TIMEOUT = 3000;

/**
 * @param {string} binary
 * @returns {Promise<Toxiproxy>}
 */
export async function startToxiproxy(binary) {
  // Its API lets in whoever finds it.
  const [host, port] = [hiddenHost(), await freePort()];
  const url = `http://${host}:${port}`;
  const server = await startServer('toxiproxy', {
    file: binary,
    args: ['-host', host, '-port', String(port)],
    // Its messages, one for each connection that a toxic breaks, would fill the disk.
    env: { PATH: process.env.PATH, LOG_LEVEL: 'error' },
    url,
    ready: `${url}/version`,
    status: 200,
  });
  return new Toxiproxy(server);
}

export class Toxiproxy {
  /** @param {import('../server-process.js').ServerProcess} server */
  constructor(server) {
    this.server = server;
  }

  stop() {
    return this.server.stop();
  }

  /**
   * @param {string} name
   * @param {string} upstream host:port
   * @param {string} [host] to listen on
   * @param {number} [port] a free one by default
   * @returns {Promise<number>} the port that it listens on
   */
  async proxy(name, upstream, host = '127.0.0.1', port = 0) {
    const { listen } = await this.#ask('POST', '/proxies', {
      name,
      upstream,
      listen: `${host}:${port}`,
      enabled: true,
    });
    return Number(listen.slice(listen.lastIndexOf(':') + 1));
  }

  /**
   * Both directions of a latency would be twice the latency: a toxic is on the way back to the client.
   *
   * @param {string} proxy
   * @param {Toxic} toxic
   */
  async poison(proxy, { type, attributes }) {
    const stream = 'downstream';
    await this.#ask('POST', `/proxies/${proxy}/toxics`, {
      name: type,
      type,
      stream,
      toxicity: 1,
      attributes,
    });
  }

  /** Also of what it does not have. @param {string} proxy @param {Toxic} toxic */
  async cure(proxy, { type }) {
    const { toxics } = await this.#ask('GET', `/proxies/${proxy}`);
    const has = toxics.some((/** @type {{name: string}} */ { name }) => name === type);
    if (has) await this.#ask('DELETE', `/proxies/${proxy}/toxics/${type}`);
  }

  /** Connections are closed and no new ones taken. @param {string} proxy */
  async cut(proxy) {
    await this.#ask('POST', `/proxies/${proxy}`, { enabled: false });
  }

  /** @param {string} proxy */
  async join(proxy) {
    await this.#ask('POST', `/proxies/${proxy}`, { enabled: true });
  }

  /** @returns {Promise<Record<string, {enabled: boolean, toxics: {type: string}[]}>>} all proxies by name */
  proxies() {
    return this.#ask('GET', '/proxies');
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   * @returns {Promise<any>}
   */
  async #ask(method, path, body) {
    const response = await fetch(`${this.server.url}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(API_TIMEOUT),
    });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`toxiproxy: ${method} ${path} was answered ${response.status}: ${text}`);
    return text === '' ? null : JSON.parse(text);
  }
}
