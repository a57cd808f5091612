/**
 * Every way in which a server can fail ends as the right kind of failure: at the first answer, and after answers that were right. Connecting to
 * such a server ends soon, with one line.
 */
import { check } from 'k6';
import exec from 'k6/execution';
import { StreamableHTTPClient } from 'k6/x/mcp';
import { readConfig } from '../../lib/config.js';
import { clientOptions, connect } from '../../lib/connect.js';
import { TargetError } from '../../lib/target-error.js';

const paths = (__ENV.PATHS ?? '').split(',');

const aVuEach = { executor: /** @type {const} */ ('per-vu-iterations'), vus: paths.length, iterations: 1 };
export const options = {
  scenarios: {
    // The slow ones wait at the same time.
    calls: aVuEach,
    connect: { ...aVuEach, exec: 'connects', maxDuration: '30s', gracefulStop: '0s' },
  },
  // One that hangs is cut off, and its iteration is missing.
  thresholds: {
    checks: ['rate==1.0'],
    mcp_failures: ['count>0'],
    'iterations{scenario:connect}': [`count==${paths.length}`],
  },
};

/** Nothing that is to be answered is cut off, on however slow a machine. */
const PATIENCE = '60s';
/** Of the kinds that come of it. */
const TIMEOUTS = /** @type {Record<string, string>} */ ({ timeout: '5s', stalled: '5s' });

/** @param {string} path @param {string} kind */
function callOf(path, kind) {
  const client = new StreamableHTTPClient({
    base_url: `${__ENV.SERVER_URL}/${path}`,
    protocolVersion: '2026-07-28',
    timeout: TIMEOUTS[kind] ?? PATIENCE,
  });
  return client.prepare('tools/call', { name: 'x' });
}

const kindOf = (/** @type {string} */ path) => path.split('-')[0] ?? '';
const pathOfVU = () => paths[exec.scenario.iterationInTest] ?? '';

export default function () {
  const path = pathOfVU();
  judge(path, callOf(path, kindOf(path)).send());

  const call = callOf(`later/${path}`, kindOf(path));
  const before = [call.send(), call.send()];
  check(before, { [`${path} comes after two successes`]: () => before.every(({ ok }) => ok) });
  judge(path, call.send());
}

/** @param {string} path @param {import('k6/x/mcp').Answer} answer */
function judge(path, { failure }) {
  const kind = failure?.kind ?? 'ok';
  const asExpected = check(failure, {
    [`${path}: its kind`]: () => kind === kindOf(path),
    [`${path}: a detail of one line`]: () =>
      failure === null || /^[\x20-\x7e\u00a0-\u2027\u202a-\uffff]{1,300}$/.test(failure.detail),
  });
  if (!asExpected) console.error(`${path}: ${JSON.stringify(failure)}`);
}

export function connects() {
  const path = pathOfVU();
  /** @type {unknown} */
  let error = null;
  try {
    const env = { TARGET_URL: `${__ENV.SERVER_URL}/${path}` };
    connect(clientOptions(readConfig(env), 'mcp'), env);
  } catch (thrown) {
    error = thrown;
  }
  const refused = error instanceof TargetError && /^http:.{1,500}$/.test(error.message);
  const asExpected = check(error, {
    [`${path} is refused in one line, or taken`]: () => refused || (error === null && path.startsWith('ok-')),
  });
  if (!asExpected) console.error(`${path}: ${error}`);
}
