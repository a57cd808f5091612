/**
 * A client that looks at each exchange: how large the bodies were on the wire, and whether it opened a connection. It
 * costs the load generator more than a plain one, so only tests about the network load it (`observe`).
 */
import { Counter, Gauge, Trend } from 'k6/metrics';

/** The body of a request. */
const requestBytes = new Trend('mcp_request_bytes');
/** The body of an answer as it came, compressed where it was. */
const responseBytes = new Trend('mcp_response_bytes');
/** Answers that were compressed. */
const compressed = new Counter('mcp_compressed');
/** Connections that were opened. */
const connections = new Counter('mcp_connections');
/** Of those: how long it took. */
const connectDuration = new Trend('mcp_connect_duration', true);
/** Of those with TLS: how long its handshake took. */
const tlsDuration = new Trend('mcp_tls_duration', true);
/** For how long the server says that it keeps an idle connection. */
const keepAlive = new Gauge('mcp_keep_alive_seconds');

/**
 * @template {new (...args: any[]) => import('./client.js').McpClient} C
 * @param {C} Client
 */
export const observing = (Client) =>
  class extends Client {
    /**
     * Without the short way of the hot path, which looks at nothing.
     *
     * @param {import('./client.js').Call} call
     * @param {{text?: string, next?: import('./client.js').NextArguments}} [given]
     * @returns {import('./client.js').Sender}
     */
    sender(call, { text, next } = {}) {
      return (iteration, phase) => this.send(call, next ? next(iteration, phase) : text);
    }

    /**
     * @param {import('./client.js').Call} call
     * @param {import('./client.js').Arguments} [args]
     */
    post(call, args) {
      const response = super.post(call, args);
      if (this.measured) observe(response);
      return response;
    }
  };

/** @param {import('k6/http').RefinedResponse<any>} response */
const observe = ({ status, headers, body, request, timings }) => {
  if (timings.connecting > 0) {
    connections.add(1);
    connectDuration.add(timings.connecting);
    if (timings.tls_handshaking > 0) tlsDuration.add(timings.tls_handshaking);
  }
  if (status === 0) return;
  requestBytes.add(request.body.length);
  const encoding = headers['Content-Encoding'];
  if (encoding) compressed.add(1);
  // A stream has no length beforehand, and k6 unpacks what was compressed.
  const length = Number(headers['Content-Length'] ?? (encoding ? Number.NaN : String(body ?? '').length));
  if (length >= 0) responseBytes.add(length);
  const seconds = /timeout=(\d+)/.exec(headers['Keep-Alive'] ?? '');
  if (seconds) keepAlive.add(Number(seconds[1]));
};
