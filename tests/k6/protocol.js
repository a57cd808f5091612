/** The parts of the protocol, one a run (PART), against servers that check them; see protocol.test.js. */
import { check } from 'k6';
import exec from 'k6/execution';
import { LEGACY_VERSIONS } from '../../contract/protocols.js';
import { fixedAuth } from '../../lib/auth/fixed-auth.js';
import { readConfig } from '../../lib/config.js';
import { McpClient } from '../../lib/mcp/client.js';
import { connect } from '../../lib/mcp/connect.js';
import { paramHeaders } from '../../lib/mcp/param-headers.js';
import { TargetError } from '../../lib/mcp/target-error.js';

const { PART = '', TARGET_URL: url = '', WANT = '{}' } = __ENV;

/** @type {Record<string, string[]>} metric -> what must hold of it */
const want = JSON.parse(WANT);
export const options = { iterations: 1, thresholds: { checks: ['rate==1.0'], ...want } };

const NO_AUTH = fixedAuth('');
/** What is sent is the same in every phase. */
const NO_PHASE = /** @type {any} */ ({});

/** @param {Record<string, string>} variables @param {string} [path] */
const config = (variables, path = '') => readConfig({ ...__ENV, ...variables, TARGET_URL: url + path });

/** @param {Record<string, string>} [variables] @param {string} [path] */
const connected = (variables = {}, path = '') => connect(config(variables, path));

/**
 * A user's client, as a test makes it from what set-up found out.
 *
 * @param {Record<string, string>} [variables]
 * @param {string} [path]
 */
function user(variables = {}, path = '') {
  const settings = config(variables, path);
  const first = connect(settings);
  first.close();
  const client = new McpClient(first.connection, {
    auth: NO_AUTH,
    timeoutS: settings.TARGET_TIMEOUT,
    sessions: settings.SESSIONS_MODE,
  });
  client.enterPhase(true);
  return client;
}

/** @param {McpClient} client @param {string} name @param {Record<string, unknown>} [args] @param {any} [options] */
function toolCall(client, name, args, options) {
  const call = client.prepare('tools/call', { name }, { withArguments: true, operation: name, ...options });
  // As users do it.
  const send = client.sender(call, { next: () => args ?? {} });
  return () => send(0, NO_PHASE);
}

/** @param {() => unknown} action @returns {string} what a TargetError says */
function refusal(action) {
  try {
    action();
    return 'no error';
  } catch (error) {
    return error instanceof TargetError ? error.message : `not a TargetError: ${error}`;
  }
}

/** @param {string} what @param {boolean} holds */
const holds = (what, holds) => check(holds, { [what]: (value) => value });

/** @param {string} what @param {import('../../lib/mcp/answer.js').Answer} answer */
function answered(what, { failure }) {
  if (!holds(what, failure === null)) console.error(`${what}: ${failure?.kind} ${failure?.detail}`);
}

/** @param {import('../../lib/mcp/answer.js').Answer} answer */
const textOf = ({ result }) => result?.content?.[0]?.text;

/** @type {Record<string, () => void>} */
const PARTS = {
  /** Each version, forced; the tool `echo` answers in all of them. */
  versions() {
    for (const version of __ENV.VERSIONS ? __ENV.VERSIONS.split(',') : LEGACY_VERSIONS) {
      const client = connected({ TARGET_PROTOCOL: version });
      holds(`${version} is settled on`, client.connection.version === version);
      answered(`${version}: echo`, client.callTool('echo', { message: version }));
      answered(`${version}: once more`, client.callTool('echo', { message: version }));
      client.close();
    }
  },

  negotiation() {
    const known = connected({}, '/2025-03-26');
    holds('the version that a server settles on is spoken', known.connection.version === '2025-03-26');
    const forced = refusal(() => connected({ TARGET_PROTOCOL: '2025-11-25' }, '/2025-03-26'));
    holds(`both versions are named: ${forced}`, /2025-11-25.*2025-03-26/.test(forced));
    const unknown = refusal(() => connected({}, '/2099-01-01'));
    holds(`an unknown version is refused: ${unknown}`, /"2099-01-01".*2026-07-28, 2025-11-25/.test(unknown));
    const listed = connected({}, '/lists-legacy').connection;
    holds('-32022: the newest common version', listed.era === 'legacy' && listed.version === '2025-11-25');
    const older = connected({ TARGET_PROTOCOL: '2025-06-18' }, '/lists-legacy').connection;
    holds('an older one where it is forced', older.version === '2025-06-18');
    const modern = refusal(() => connected({ TARGET_PROTOCOL: '2026-07-28' }, '/lists-legacy'));
    holds(
      `a forced version that is not listed: ${modern}`,
      /2026-07-28.*2025-11-25, 2025-06-18/.test(modern),
    );
    const none = refusal(() => connected({}, '/lists-unknown'));
    holds(`no common version: ${none}`, /2099-01-01.*2026-07-28, 2025-11-25/.test(none));
    const old = refusal(() => connected({}, '/http-sse'));
    holds(`the transport of 2024-11-05 is named: ${old}`, /HTTP\+SSE/.test(old));
    const vague = connected({}, '/vague').connection;
    holds('an empty answer to server/discover is none', vague.era === 'legacy');
  },

  /** Everything that a server can be asked, in the era of TARGET_PROTOCOL. */
  methods() {
    const client = connected();
    const legacy = client.connection.era === 'legacy';
    const { capabilities } = client.connection;
    holds(
      'the capabilities are kept',
      ['tools', 'resources', 'prompts', 'completions'].every((name) => name in capabilities),
    );
    holds(
      'tools',
      client.listTools().some(({ name }) => name === 'echo'),
    );
    holds(
      'resources',
      client.listResources().some(({ uri }) => uri === 'note://one'),
    );
    holds(
      'templates',
      client.listResourceTemplates().some(({ uriTemplate }) => uriTemplate === 'greeting://{name}'),
    );
    holds(
      'prompts',
      client.listPrompts().some(({ name }) => name === 'greet'),
    );
    answered('resources/read', client.readResource('greeting://ann'));
    answered('prompts/get', client.getPrompt('greet', { name: 'ann' }));
    const completed = client.once('completion/complete', {
      ref: { type: 'ref/prompt', name: 'greet' },
      argument: { name: 'name', value: 'b' },
    });
    holds('completion/complete', completed.result?.completion.values.join() === 'bob');
    if (legacy) {
      answered('ping', client.ping());
      answered('logging/setLevel', client.once('logging/setLevel', { level: 'error' }));
      answered('resources/subscribe', client.once('resources/subscribe', { uri: 'note://one' }));
      answered('resources/unsubscribe', client.once('resources/unsubscribe', { uri: 'note://one' }));
    }
    client.close();
  },

  pages() {
    const client = connected({}, '/pages');
    holds(
      'every page',
      client
        .listTools()
        .map(({ name }) => name)
        .join() === 'tool-0,tool-1,tool-2',
    );
    holds(
      'pages that never end',
      /goes on after/.test(refusal(() => connected({}, '/endless-pages').listTools())),
    );
  },

  /** The server refuses a modern call whose headers and arguments differ. */
  headers() {
    for (const era of ['modern', 'legacy']) {
      const client = connected({ TARGET_PROTOCOL: era });
      const tool = client.listTools().find(({ name }) => name === 'routed');
      const marked = paramHeaders(tool.inputSchema);
      const options = 'headers' in marked && { headers: marked.headers };
      const variants = [
        { region: 'us-west1', place: { floor: 3 } },
        { region: 'größe\n' },
        { region: '' },
        {},
      ];
      for (const args of variants) {
        answered(`${era}: ${JSON.stringify(args)}`, toolCall(client, 'routed', args, options)());
      }
      const same = client.prepare('tools/call', { name: 'routed' }, { withArguments: true, ...options });
      const both = [{ region: 'a' }, '{"region":"b"}'];
      const send = client.sender(same, { next: (iteration) => both[iteration] ?? {} });
      answered(`${era}: a call sent twice`, send(0, NO_PHASE));
      answered(`${era}: has the headers of its own arguments`, send(1, NO_PHASE));
      client.close();
    }
    const bare = toolCall(connected({ TARGET_PROTOCOL: 'modern' }), 'routed', { region: 'a' })();
    holds('without the headers it is refused', /-32020|disagree/.test(bare.failure?.detail ?? ''));
  },

  input() {
    const client = user({ TARGET_PROTOCOL: 'modern' });
    const confirm = toolCall(client, 'confirm');
    holds('a form is filled in', textOf(confirm()) === 'true true');
    holds('each time anew', textOf(confirm()) === 'true true');
  },

  'input-refused'() {
    for (const path of ['/asks', '/samples']) {
      const { failure } = toolCall(user({}, path), 'any')();
      holds(`${path} is never a success`, failure?.kind === 'unexpected');
    }
  },

  /** CALLS calls in SESSIONS_MODE; the test counts what the server saw. */
  sessions() {
    const client = user();
    const echo = toolCall(client, 'echo', { message: 'hi' });
    for (let count = 0; count < Number(__ENV.CALLS); count += 1) answered(`call ${count}`, echo());
  },

  /** The server forgets the session; the call in it is made again in a new one, at once. */
  expiry() {
    const client = user({ TARGET_PROTOCOL: 'legacy' });
    const echo = toolCall(client, 'echo', { message: 'hi' });
    answered('a call', echo());
    const old = client.session;
    const ended = connected({ TARGET_PROTOCOL: 'legacy' });
    const { session } = ended;
    ended.close();
    Object.assign(ended, { session, opened: true });
    answered('a call that was not prepared', ended.callTool('echo', { message: 'hi' }));
    ended.close();
    const other = new McpClient(client.connection, { auth: NO_AUTH, timeoutS: 5 });
    other.session = old;
    other.close();
    answered('a call in a session that has ended', echo());
    holds('a new session', client.session !== old && client.session !== '');
    answered('a call in the new one', echo());
  },

  /** A server without memory: one more try a call, and then it is a failure. */
  amnesia() {
    const echo = toolCall(user({}, '/amnesia'), 'echo');
    for (let count = 0; count < 2; count += 1) holds('a failure', echo().failure?.kind === 'http_4xx');
  },

  resumption() {
    const client = user({ TARGET_PROTOCOL: 'legacy' });
    const late = toolCall(client, 'slow');
    holds('the reply comes on the resumed stream', textOf(late()) === 'late');
    holds('and once more', textOf(late()) === 'late');
    client.close();
  },

  'open-resumption'() {
    const open = user({}, '/stays-open');
    answered('a resumed stream that stays open', toolCall(open, 'any')());
  },

  'odd-sse'() {
    answered('the reply among everything else', toolCall(user({}, '/odd-sse'), 'any')());
  },

  cache() {
    const client = user({ TARGET_PROTOCOL: 'modern' });
    const one = client.sender(client.prepare('resources/read', { uri: 'note://one' }));
    const tools = client.sender(client.prepare('tools/list', {}));
    for (let count = 0; count < 3; count += 1) {
      const { failure, result } = one(0, NO_PHASE);
      const text = result?.contents[0].text;
      // Without the cache a success need not have been read.
      holds('the resource', failure === null && (text === 'one' || __ENV.CLIENT_CACHE !== '1'));
      answered('a list that may not be kept', tools(0, NO_PHASE));
    }
  },
};

export default function () {
  try {
    /** @type {() => void} */ (PARTS[PART])();
  } catch (error) {
    // k6 would go on, and end well.
    exec.test.abort(`${PART}: ${error}`);
  }
}
