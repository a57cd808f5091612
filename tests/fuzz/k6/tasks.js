/**
 * Does in k6 what wire.js asks for, one task after the other: a k6 that starts anew for each would be most of the time.
 */
import http from 'k6/http';
import { ConfigError } from '../../../contract/config-error.js';
import { readVariables } from '../../../contract/variable.js';
import { fixedAuth } from '../../../lib/auth/fixed-auth.js';
import { readConfig, variables } from '../../../lib/config.js';
import { chooseOperations, toDocument } from '../../../lib/discovery.js';
import { McpClient } from '../../../lib/mcp/client.js';
import { connect } from '../../../lib/mcp/connect.js';
import { TargetError } from '../../../lib/mcp/target-error.js';
import { checkDocument } from '../../../lib/workload-document.js';

const { CONTROL_URL, ANSWER_URL } = __ENV;

export const options = {
  scenarios: { tasks: { executor: 'per-vu-iterations', vus: 1, iterations: 1, maxDuration: '12h' } },
};

/** @type {any} */
const NO_PHASE = {};

/** @type {Record<string, (task: any) => unknown>} */
const TASKS = {
  /** A call that is answered so: the first of a user, or one that comes after others that went well. */
  call({ era, after, timeoutS }) {
    const client = new McpClient(
      { url: `${ANSWER_URL}/call`, era, version: '2025-11-25', server: null, capabilities: {} },
      { auth: fixedAuth('sesame'), timeoutS },
    );
    client.measured = true;
    client.opened = true;
    const call = client.prepare('tools/call', { name: 'x' }, { withArguments: true });
    const send = client.sender(call, { text: '{"a":1}' });
    for (let n = 0; n < after; n += 1) {
      const { failure } = send(0, NO_PHASE);
      if (failure) return { before: failure };
    }
    return { failure: send(0, NO_PHASE).failure };
  },

  /** Finds out what a server is that answers so, and what it has. */
  connect({ version }) {
    const config = readConfig({ TARGET_URL: `${ANSWER_URL}/connect`, TARGET_PROTOCOL: version });
    const client = connect(config);
    const { capabilities } = client.connection;
    const offer = {
      era: client.connection.era ?? 'legacy',
      capabilities,
      tools: client.listTools(),
      resources: client.listResources(),
      templates: client.listResourceTemplates(),
      prompts: client.listPrompts(),
    };
    const choice = chooseOperations(/** @type {any} */ (offer), { ...config, TOOLS: null }, () => []);
    client.close();
    const { operations } = choice;
    if (Object.keys(operations).length === 0) return { document: null };
    return { document: toDocument(/** @type {any} */ (client.connection), choice) };
  },

  /** @param {{text: string}} task */
  workload({ text }) {
    return { document: checkDocument(JSON.parse(text)) };
  },

  /** @param {{name: keyof typeof variables, text: string}} task */
  variable({ name, text }) {
    return { value: readVariables({ [name]: variables[name] }, { [name]: text })[name] };
  },
};

/** @param {any} task */
function done(task) {
  try {
    return TASKS[task.kind]?.(task);
  } catch (error) {
    const { message, stack } = /** @type {Error} */ (error);
    if (error instanceof ConfigError || error instanceof TargetError) return { refused: message };
    if (error instanceof SyntaxError) return { notJson: true };
    return { thrown: `${error}\n${stack}` };
  }
}

export default function () {
  for (;;) {
    const { body } = http.get(`${CONTROL_URL}/next`, { timeout: '1h' });
    const task = JSON.parse(String(body));
    if (task.kind === 'end') return;
    const answer = JSON.stringify({ number: task.number, answer: done(task) });
    http.post(`${CONTROL_URL}/done`, answer, { timeout: '60s' });
  }
}
