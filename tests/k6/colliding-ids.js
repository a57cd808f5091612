/**
 * Ten VUs call METHOD with PARAMS in one session. IDS: each request has an id of its own ("unique"), or all have the same ("same"). The
 * answer contains the argument NONCE. It prints how the calls end.
 */
import mcp from 'k6/x/mcp';

const { failureKinds } = JSON.parse(open('../../xk6-mcp/names.json'));
const { URL = '', IDS, METHOD = '', PARAMS = '{}', NONCE = '', TIMEOUT = '60s' } = __ENV;

const kinds = Object.values(failureKinds);

export const options = {
  scenarios: { calls: { executor: 'constant-vus', vus: 10, duration: '3s' } },
  // The summary has a metric by tag only where a threshold names it.
  thresholds: Object.fromEntries(kinds.map((kind) => [`mcp_failures{kind:${kind}}`, []])),
};

const client = new mcp.StreamableHTTPClient({
  base_url: URL,
  sessions: 'shared',
  ids: /** @type {'same'} */ (IDS),
  protocolVersion: '2025-11-25',
  timeout: TIMEOUT,
});
const call = client.prepare(METHOD, JSON.parse(PARAMS), { nonce: NONCE });

export default () => call.send();

/** @param {any} data */
export function handleSummary({ metrics }) {
  const calls = metrics.iterations.values.count;
  const failures = kinds.map((kind) => [kind, metrics[`mcp_failures{kind:${kind}}`].values.count]);
  const ok = failures.reduce((rest, [, count]) => rest - count, calls);
  return { stdout: JSON.stringify({ calls, ok, ...Object.fromEntries(failures) }) };
}
