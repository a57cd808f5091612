/**
 * What a request to Prometheus says about who asks: basic authentication, where the environment has a user name.
 *
 * @param {{PROMETHEUS_USERNAME?: string, PROMETHEUS_PASSWORD?: string}} [env]
 * @returns {Record<string, string>}
 */
export function prometheusHeaders(
  { PROMETHEUS_USERNAME = '', PROMETHEUS_PASSWORD = '' } = /** @type {any} */ (process.env),
) {
  if (PROMETHEUS_USERNAME === '') return {};
  const credentials = Buffer.from(`${PROMETHEUS_USERNAME}:${PROMETHEUS_PASSWORD}`).toString('base64');
  return { authorization: `Basic ${credentials}` };
}
