/** @returns headers for requests to Prometheus: basic authentication, if the environment has a user name */
export function prometheusHeaders(
  {
    PROMETHEUS_USERNAME = '',
    PROMETHEUS_PASSWORD = '',
  }: {
    PROMETHEUS_USERNAME?: string;
    PROMETHEUS_PASSWORD?: string;
  } = process.env,
): Record<string, string> {
  if (PROMETHEUS_USERNAME === '') return {};
  const credentials = Buffer.from(`${PROMETHEUS_USERNAME}:${PROMETHEUS_PASSWORD}`).toString('base64');
  return { authorization: `Basic ${credentials}` };
}
