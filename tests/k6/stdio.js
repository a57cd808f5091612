/** Calls a tool of a server that is a program: COMMAND, as JSON. */
import mcp from 'k6/x/mcp';

const [path, ...args] = JSON.parse(String(__ENV.COMMAND));
const client = new mcp.StdioClient({
  path,
  args,
  env: { STDIO_MARK: String(__ENV.MARK) },
  processes: Number(__ENV.PROCESSES) || 'per-vu',
});

export const options = {
  vus: 4,
  duration: __ENV.DURATION,
  thresholds: { mcp_request_failed: ['rate==0'], mcp_process_starts: [`count==${__ENV.PROCESSES || 4}`] },
};

export default function () {
  const message = `${__VU} ${__ITER}`;
  client.callTool({ name: 'echo', arguments: { message } }, { expect: ({ text }) => text.includes(message) });
}
