/** Runs Toxiproxy on loopback and manages its proxies and their toxics over its HTTP API. */
import { type ServerProcess, startServer } from '../../cli/trials/server-process.ts';
import { freePort, hiddenHost } from '../../contract/free-port.js';

/** See Toxiproxy's README for the attributes of each type. */
export interface Toxic {
  type: 'latency' | 'bandwidth' | 'reset_peer' | 'timeout';
  attributes: Record<string, number>;
}

/** Time limit of a request to Toxiproxy, ms. */
const API_TIMEOUT = 3000;

export async function startToxiproxy(binary: string): Promise<Toxiproxy> {
  // Its API has no authentication.
  const [host, port] = [hiddenHost(), await freePort()];
  const url = `http://${host}:${port}`;
  const server = await startServer('toxiproxy', {
    file: binary,
    args: ['-host', host, '-port', String(port)],
    // By default it logs every connection that a toxic breaks, which would fill the disk.
    env: { PATH: process.env.PATH, LOG_LEVEL: 'error' },
    url,
    ready: `${url}/version`,
    status: 200,
  });
  return new Toxiproxy(server);
}

export class Toxiproxy {
  readonly server: ServerProcess;

  constructor(server: ServerProcess) {
    this.server = server;
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  /**
   * @param upstream host:port
   * @param host to listen on
   * @param port 0: any free port
   * @returns the port that the proxy listens on
   */
  async proxy(name: string, upstream: string, host = '127.0.0.1', port = 0): Promise<number> {
    const { listen } = await this.#ask<{ listen: string }>('POST', '/proxies', {
      name,
      upstream,
      listen: `${host}:${port}`,
      enabled: true,
    });
    return Number(listen.slice(listen.lastIndexOf(':') + 1));
  }

  /**
   * Adds a toxic only to the direction towards the client. In both directions, a latency would count twice.
   */
  async addToxic(proxy: string, toxic: Toxic): Promise<void> {
    const body = { name: toxic.type, stream: 'downstream', toxicity: 1, ...toxic };
    await this.#ask('POST', `/proxies/${proxy}/toxics`, body);
  }

  /** Removes a toxic, if the proxy has it. */
  async removeToxic(proxy: string, { type }: Toxic): Promise<void> {
    const { toxics } = await this.#ask<{ toxics: { name: string }[] }>('GET', `/proxies/${proxy}`);
    if (toxics.some(({ name }) => name === type))
      await this.#ask('DELETE', `/proxies/${proxy}/toxics/${type}`);
  }

  /** Closes all connections and refuses new ones. */
  async cut(proxy: string): Promise<void> {
    await this.#ask('POST', `/proxies/${proxy}`, { enabled: false });
  }

  async join(proxy: string): Promise<void> {
    await this.#ask('POST', `/proxies/${proxy}`, { enabled: true });
  }

  /** @returns all proxies by name */
  proxies(): Promise<Record<string, { enabled: boolean; toxics: { type: string }[] }>> {
    return this.#ask('GET', '/proxies');
  }

  async #ask<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${this.server.url}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(API_TIMEOUT),
    });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`toxiproxy: ${method} ${path} was answered ${response.status}: ${text}`);
    return (text === '' ? null : JSON.parse(text)) as T;
  }
}
