/** Calls by k6/x/mcp that have to be let in first. CLIENT: its options, as JSON; SECRET: a name in k6's secret source */
import { sleep } from 'k6';
import secrets from 'k6/secrets';
import mcp from 'k6/x/mcp';

const { CLIENT = '{}', SECRET, CERT, KEY, PASSWORD: password, DURATION } = __ENV;

export const options = {
  vus: 5,
  ...(DURATION ? { duration: DURATION } : { iterations: 5 }),
  ...(CERT && { tlsAuth: [{ cert: open(CERT), key: open(KEY ?? ''), ...(password && { password }) }] }),
  thresholds: { mcp_request_failed: ['rate==0'] },
};

/** Secrets can be had in VU code only: so a client is made there. */
async function makeClient() {
  const client = JSON.parse(CLIENT);
  if (SECRET) client.oauth.clientSecret = await secrets.get(SECRET);
  return new mcp.StreamableHTTPClient(client);
}

export async function setup() {
  (await makeClient()).connect();
}

/** @type {InstanceType<typeof mcp.StreamableHTTPClient>} */
let client;
export default async function () {
  client ??= await makeClient();
  client.callTool({ name: 'whoami' });
  if (DURATION) sleep(0.1);
}
