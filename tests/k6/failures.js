/** Every way in which a server can fail ends as the right kind of failure, over a real socket. */
import { check } from 'k6';
import { McpClient } from '../../lib/mcp/client.js';

export const options = {
  iterations: 1,
  thresholds: { checks: ['rate==1.0'], mcp_failures: ['count>0'] },
};

/** @param {string} url */
function failureOf(url) {
  /** @type {import('../../lib/mcp/client.js').Connection} */
  const connection = { url, era: 'modern', version: '2026-07-28', server: null };
  const client = new McpClient(connection, { token: 'sesame', timeoutS: 0.5 });
  client.measured = true;
  const call = client.prepare('tools/call', { name: 'x' }, { withArguments: true });
  return client.send(call, { a: 1 }).failure;
}

export default function () {
  for (const path of (__ENV.PATHS ?? '').split(',')) {
    const wanted = path.split('-')[0];
    const failure = failureOf(`${__ENV.SERVER_URL}/${path}`);
    check(failure, {
      [`${path} is ${wanted}`]: () => (wanted === 'ok' ? failure === null : failure?.kind === wanted),
      [`${path} has a detail`]: () => wanted === 'ok' || (failure?.detail ?? '') !== '',
    });
    if ((failure?.kind ?? 'ok') !== wanted) console.error(`${path}: ${JSON.stringify(failure)}`);
  }
  check(failureOf(`${__ENV.SERVER_URL}/tool-error`), {
    "a server's text is one line without control characters": (failure) =>
      failure?.detail === '[31mno such place',
  });
  check(failureOf('http://127.0.0.1:1/mcp'), {
    'a closed port is connect': (failure) => failure?.kind === 'connect',
  });
}
