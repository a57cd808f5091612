/** Whatever a server does, connecting to it ends soon: with a connection, or with one line that says what is wrong. */

import { check } from 'k6';
import exec from 'k6/execution';
import { readConfig } from '../../lib/config.js';
import { connect } from '../../lib/mcp/connect.js';
import { TargetError } from '../../lib/mcp/target-error.js';

const paths = (__ENV.PATHS ?? '').split(',');

export const options = {
  scenarios: {
    connect: {
      executor: 'per-vu-iterations',
      vus: paths.length,
      iterations: 1,
      maxDuration: '30s',
      gracefulStop: '0s',
    },
  },
  // One that hangs is cut off, and its iteration is missing.
  thresholds: { checks: ['rate==1.0'], iterations: [`count==${paths.length}`] },
};

export default function () {
  const path = paths[exec.scenario.iterationInTest] ?? '';
  /** @type {unknown} */
  let error = null;
  try {
    connect(readConfig({ TARGET_URL: `${__ENV.SERVER_URL}/${path}` }));
  } catch (thrown) {
    error = thrown;
  }
  const refused = error instanceof TargetError && /^http:.{1,400}$/.test(error.message);
  check(error, {
    [`${path} is refused in one line, or taken`]: () => refused || (error === null && path.startsWith('ok-')),
  });
  if (!refused) console.error(`${path}: ${error}`);
}
