/** The client against a real server: detection, sessions, every method, failures of tools. */

import { check } from 'k6';
import { readConfig } from '../../lib/config.js';
import { connect } from '../../lib/mcp/connect.js';
import { TargetError } from '../../lib/mcp/target-error.js';

export const options = { iterations: 1, thresholds: { checks: ['rate==1.0'] } };

const {
  TARGET_URL = '',
  TARGET_TOKEN = '',
  TARGET_PROTOCOL = 'auto',
  WANT_ERA,
  TOOL = '',
  ARGS = '{}',
} = __ENV;

export default function () {
  const client = connect(readConfig({ TARGET_URL, TARGET_TOKEN, TARGET_PROTOCOL }));
  const { era, server } = client.connection;
  check(client, {
    [`the era is ${WANT_ERA}`]: () => era === WANT_ERA,
    'the server says its name': () => (server?.name ?? '') !== '',
    [`a session: ${__ENV.WANT_SESSION}`]: () => String(client.session !== '') === __ENV.WANT_SESSION,
  });

  const tools = client.listTools();
  check(tools, { [`lists the tool ${TOOL}`]: () => tools.some((tool) => tool.name === TOOL) });
  const called = client.callTool(TOOL, JSON.parse(ARGS));
  check(called, { 'the tool answers': () => called.failure === null && called.result.content.length > 0 });
  const unknown = client.callTool('there-is-no-such-tool', {});
  check(unknown, {
    // The Go SDK answers a modern request for it with HTTP 400.
    'an unknown tool is a failure': () =>
      ['http_4xx', 'jsonrpc', 'tool'].includes(unknown.failure?.kind ?? ''),
  });

  if (__ENV.EVERYTHING) {
    const resources = client.listResources();
    check(resources, { 'lists resources': () => resources.length > 0 });
    const read = client.readResource(resources[0].uri);
    check(read, { 'reads a resource': () => read.failure === null && read.result.contents.length > 0 });
    const prompts = client.listPrompts();
    const plain = prompts.find((prompt) => !prompt.arguments?.length);
    const prompt = client.getPrompt(plain.name);
    check(prompt, { 'gets a prompt': () => prompt.failure === null && prompt.result.messages.length > 0 });
    check(client.ping(), { 'answers a ping': ({ failure }) => failure === null });
  }

  if (client.session) {
    // The server forgets the session; the client opens another and makes the call again.
    const old = client.session;
    client.close();
    client.session = old;
    client.opened = true;
    const again = client.callTool(TOOL, JSON.parse(ARGS));
    check(again, {
      'a call in an ended session is made again in a new one': () =>
        again.failure === null && client.session !== old && client.session !== '',
    });
  }
  client.close();

  if (__ENV.EVERYTHING) {
    let message = '';
    try {
      connect(readConfig({ TARGET_URL, TARGET_TOKEN, TARGET_PROTOCOL: 'modern' }));
    } catch (error) {
      message = error instanceof TargetError ? error.message : '';
    }
    check(message, {
      'a forced era that the server has not is refused with the way out': (text) =>
        text.includes('TARGET_PROTOCOL='),
    });
  }
}
