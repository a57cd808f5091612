/**
 * Keeps McpServers between requests. The SDK wants an instance that serves nothing else; building one with all its
 * tools costs more than most requests, and an instance whose connection has closed may be connected again.
 */
export class ServerPool {
  #create;
  /** A modern instance stays modern, so the eras don't share. */
  /** @type {Record<'modern' | 'legacy', import('@modelcontextprotocol/server').McpServer[]>} */
  #idle = { modern: [], legacy: [] };

  /** @param {(era: 'modern' | 'legacy') => import('@modelcontextprotocol/server').McpServer} create */
  constructor(create) {
    this.#create = create;
  }

  /**
   * Takes an instance; it comes back by itself when its connection closes.
   * @param {'modern' | 'legacy'} era
   */
  take(era) {
    const idle = this.#idle[era];
    const kept = idle.pop();
    if (kept) return kept;
    const server = this.#create(era);
    server.server.onclose = () => {
      // One that answered `initialize` remembers that client's version, which the next request must not inherit.
      if (era === 'modern' || server.server.getNegotiatedProtocolVersion() === undefined) idle.push(server);
    };
    return server;
  }
}
