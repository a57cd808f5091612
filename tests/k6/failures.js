/**
 * Every way in which a server can fail ends as the right kind of failure, over a real socket: at the first answer, and
 * after answers that were right.
 */
import { check } from 'k6';
import exec from 'k6/execution';
import { fixedAuth } from '../../lib/auth/fixed-auth.js';
import { McpClient } from '../../lib/mcp/client.js';

const paths = (__ENV.PATHS ?? '').split(',');
const fineLater = (__ENV.FINE_LATER ?? '').split(',');

export const options = {
  scenarios: {
    // One user a path: the slow ones wait at the same time.
    paths: { executor: 'per-vu-iterations', vus: paths.length, iterations: 1 },
    others: { executor: 'shared-iterations', vus: 1, iterations: 1, exec: 'others' },
  },
  thresholds: { checks: ['rate==1.0'], mcp_failures: ['count>0'] },
};

/** Nothing that is to be answered is cut off, on however slow a machine. */
const PATIENCE_S = 60;

/** What is sent is the same in every phase. */
const NO_PHASE = /** @type {any} */ ({});

/** @param {string} path */
function startClient(path) {
  /** @type {import('../../lib/mcp/client.js').Connection} */
  const connection = {
    url: path.startsWith('http:') ? path : `${__ENV.SERVER_URL}/${path}`,
    era: 'modern',
    version: '2026-07-28',
    server: null,
    capabilities: {},
  };
  const client = new McpClient(connection, { auth: fixedAuth('sesame'), timeoutS: PATIENCE_S });
  client.measured = true;
  const call = client.prepare('tools/call', { name: 'x' }, { withArguments: true });
  const send = client.sender(call, { text: '{"a":1}' });
  return (timeoutS = PATIENCE_S) => {
    call.http.timeout = timeoutS * 1000;
    return send(0, NO_PHASE).failure;
  };
}

export default function () {
  const path = paths[exec.scenario.iterationInTest] ?? '';
  const wanted = path.split('-')[0] ?? '';
  const timeoutS = wanted === 'timeout' ? 0.5 : PATIENCE_S;
  judge(path, wanted, startClient(path)(timeoutS));

  const send = startClient(`later/${path}`);
  const before = [send(), send()];
  check(before, {
    [`${path} comes after two successes`]: () => before.every((failure) => failure === null),
  });
  judge(`${path}, later,`, fineLater.includes(path) ? 'ok' : wanted, send(timeoutS));
}

/** @param {string} what @param {string} wanted @param {import('../../lib/mcp/answer.js').Failure | null} failure */
function judge(what, wanted, failure) {
  const kind = failure?.kind ?? 'ok';
  check(failure, {
    [`${what} is ${wanted}`]: () => kind === wanted,
    [`${what} has a detail of one line`]: () =>
      failure === null || /^[\x20-\x7e\u00a0-\u2027\u202a-\uffff]{1,200}$/.test(failure.detail),
  });
  if (kind !== wanted) console.error(`${what} wants ${wanted}: ${JSON.stringify(failure)}`);
}

export function others() {
  check(startClient('tool-error')(), {
    "a server's text is one line without control characters": (failure) =>
      failure?.detail === '[31mno such place',
  });
  check(startClient('http://127.0.0.1:1/mcp')(), {
    'a closed port is connect': (failure) => failure?.kind === 'connect',
  });
}
