/**
 * @param {import('node:http').Server | import('node:https').Server} server
 * @param {number} [port] any free one by default
 * @returns {Promise<{url: string, close: () => Promise<void>}>} on 127.0.0.1
 */
export async function listen(server, port = 0) {
  await new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(undefined)));
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  const scheme = 'setSecureContext' in server ? 'https' : 'http';
  return {
    url: `${scheme}://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve(undefined));
      }),
  };
}
