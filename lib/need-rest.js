/** Set-up's check of a REST server: one call before any load. */
import { ConfigError } from '../contract/config-error.js';

/** Statuses of a server that does not have the path. */
const NO_PATH = [404, 405, 501];

/**
 * @param {ReturnType<typeof import('./connect.js').connect>} server
 * @param {import('./workload.js').Operation[]} operations the first one is called
 * @param {string} test
 * @throws {ConfigError} if the answer shows that the server does not offer these tools over REST
 */
export function needRest({ client, url }, [first], test) {
  if (!first) return;
  const { operation, class: kind, method, params, args, request_headers: headers, expect_status } = first;
  const call = client.prepare(method, params, {
    tags: { operation, class: kind },
    ...(headers && { headers }),
    ...(expect_status && { expectStatus: expect_status }),
  });
  const { failure, status } = call.send(args?.({}));
  if (!failure || !(NO_PATH.includes(status) || failure.kind === 'protocol')) return;
  const said = NO_PATH.includes(status) ? `HTTP ${status}` : failure.detail;
  throw new ConfigError(
    `TARGET_URL is "${url.slice(0, 80)}", but POST ${url.slice(0, 80)}/tools/${params.name}/call answers ${said}; ` +
      `valid: the URL of a REST server with the tools of the test ${test} at /tools/{tool}/call, or no TARGET_URL to load the reference target`,
  );
}
