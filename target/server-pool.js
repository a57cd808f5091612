/**
 * Reuses McpServers. Each connection needs its own instance while it is open, and creating one with all its tools costs
 * more than most requests. An instance can be connected again after its connection has closed.
 */
export class ServerPool {
  #create;
  /** A modern instance stays modern, so the two eras have separate pools. */
  /** @type {Record<'modern' | 'legacy', import('@modelcontextprotocol/server').McpServer[]>} */
  #idle = { modern: [], legacy: [] };

  /** @param {(era: 'modern' | 'legacy') => import('@modelcontextprotocol/server').McpServer} create */
  constructor(create) {
    this.#create = create;
  }

  /**
   * Takes an instance, which returns to the pool when its connection closes.
   * @param {'modern' | 'legacy'} era
   */
  take(era) {
    const idle = this.#idle[era];
    const kept = idle.pop();
    if (kept) return kept;
    const server = this.#create(era);
    server.server.onclose = () => {
      // An instance that answered `initialize` keeps that client's protocol version, so it is not reused.
      if (era === 'modern' || server.server.getNegotiatedProtocolVersion() === undefined) idle.push(server);
    };
    return server;
  }
}
