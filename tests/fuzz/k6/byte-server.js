import { createServer } from 'node:net';

/**
 * Hands over requests, and lets whoever takes them write what he likes: Node's own HTTP server would not send what is no HTTP.
 *
 * @param {(request: {method: string, path: string, body: string}, socket: import('node:net').Socket) => void} answer
 * @returns {Promise<{url: string, close: () => Promise<void>}>} on a free port of 127.0.0.1
 */
export async function startByteServer(answer) {
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += chunk;
      for (;;) {
        const end = text.indexOf('\r\n\r\n');
        const head = text.slice(0, end);
        const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
        if (end < 0 || text.length < end + 4 + length) return;
        const [method = '', path = ''] = head.split(' ', 2);
        const body = Buffer.from(text.slice(end + 4, end + 4 + length), 'latin1').toString();
        text = text.slice(end + 4 + length);
        answer({ method, path, body }, socket);
      }
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve(undefined));
      }),
  };
}

/**
 * @param {import('node:net').Socket} socket
 * @param {number} status
 * @param {string} [json]
 */
export function answerJson(socket, status, json = '') {
  const head = `HTTP/1.1 ${status} x\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(json)}\r\n\r\n`;
  socket.write(head + json);
}
