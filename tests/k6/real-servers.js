/** MCP servers that others wrote, and the reference target: how each is started, and what the client is to find there. */
import { TOOLS } from '../../target/mcp.js';
import { REGIONS } from '../../target/seed.js';
import { startEverything } from '../servers/everything.js';
import { startGateway } from '../servers/gateway.js';
import { startGo } from '../servers/go.js';
import { startPython } from '../servers/python.js';
import { Services, TOKEN } from '../target/services.js';

/**
 * @typedef {{url: string, token?: string, log: () => string, stop: () => Promise<void>}} Subject
 *
 * @typedef {object} Case
 * @property {() => Promise<Subject>} start
 * @property {'auto' | 'legacy'} [ask] TARGET_PROTOCOL
 * @property {'modern' | 'legacy'} era
 * @property {boolean} session
 * @property {string} tool one of its tools
 * @property {string[]} operations without the era's own
 * @property {string} [rate] factor on the test's rate, for a slow one
 * @property {true} [few] so slow that there are fewer calls than operations; each was tried once before the load
 */

// Not the stack's: its weather service leaves some requests without an answer on purpose.
export const services = new Services();

/** @returns {Promise<Subject>} the reference target, on the TypeScript SDK 2.x */
const startTarget = async () => {
  const { url, output, stop } = await services.startTarget({ WORKERS: '2' });
  return { url, token: TOKEN, log: output, stop: async () => void (await stop()) };
};

/** Those that can be called without knowing more: what is to be got by an id is not there yet, users aside. */
const TARGET_TOOLS = TOOLS.filter(
  ({ name, annotations }) => annotations.readOnlyHint && (name === 'get_user' || !name.startsWith('get_')),
).map(({ name }) => name);

const TARGET = {
  start: startTarget,
  session: false,
  tool: 'get_user',
  operations: [
    ...TARGET_TOOLS,
    ...REGIONS.map((name) => `resource/${name}`),
    ...['template/user', 'template/region', 'template/report'],
    ...['prompt/describe_data', 'prompt/greet_user', 'prompt/compare_regions'],
    ...['tools/list', 'resources/list', 'prompts/list'],
  ],
  // A report takes much of a processor.
  rate: '0.3',
};
const PYTHON = {
  tool: 'status',
  operations: [
    ...['status', 'search', 'quote', 'area', 'convert', 'lookup', 'schedule', 'count_folders', 'slow_count'],
    ...['resource/count', 'template/greeting', 'prompt/summarise', 'prompt/review'],
    ...['tools/list', 'resources/list', 'prompts/list'],
  ],
};
const GO = {
  tool: 'status',
  operations: [
    ...['status', 'search', 'path', 'plan', 'slow_count'],
    ...['resource/about', 'template/user', 'prompt/review'],
    ...['tools/list', 'resources/list', 'prompts/list'],
  ],
};

/** @type {Record<string, Case>} */
export const CASES = {
  'TypeScript SDK 1.x (server-everything)': {
    start: startEverything,
    era: 'legacy',
    session: true,
    tool: 'echo',
    operations: [
      ...['echo', 'get-annotated-message', 'get-env', 'get-resource-links', 'get-resource-reference'],
      ...['get-structured-content', 'get-sum', 'get-tiny-image'],
      ...[
        'architecture',
        'extension',
        'features',
        'how-it-works',
        'instructions',
        'startup',
        'structure',
      ].map((name) => `resource/${name}.md`),
      ...['template/Dynamic_Blob_Resource', 'template/Dynamic_Text_Resource'],
      ...['args-prompt', 'completable-prompt', 'resource-prompt', 'simple-prompt'].map(
        (name) => `prompt/${name}`,
      ),
      ...['tools/list', 'resources/list', 'prompts/list'],
    ],
  },
  'TypeScript SDK 2.x (reference target)': { ...TARGET, era: 'modern' },
  'TypeScript SDK 2.x, legacy': { ...TARGET, ask: 'legacy', era: 'legacy' },
  'Python SDK': { ...PYTHON, start: startPython, era: 'modern', session: false },
  'Python SDK, legacy': { ...PYTHON, start: startPython, ask: 'legacy', era: 'legacy', session: true },
  'Python SDK, legacy, stateless, JSON': {
    ...PYTHON,
    start: () => startPython({ stateless: true, json: true }),
    ask: 'legacy',
    era: 'legacy',
    session: false,
  },
  // With sessions it speaks the legacy era alone.
  'Go SDK': { ...GO, start: startGo, era: 'legacy', session: true },
  'Go SDK, JSON': { ...GO, start: () => startGo({ json: true }), era: 'legacy', session: true },
  'Go SDK, stateless': { ...GO, start: () => startGo({ stateless: true }), era: 'modern', session: false },
  'Go SDK, stateless, JSON': {
    ...GO,
    start: () => startGo({ stateless: true, json: true }),
    era: 'modern',
    session: false,
  },
  'ContextForge in front of the reference target': {
    start: async () => {
      const upstream = await startTarget();
      const gateway = await startGateway({ token: TOKEN, url: upstream.url });
      return { ...gateway, stop: () => gateway.stop().then(upstream.stop) };
    },
    era: 'legacy',
    session: false,
    tool: 'upstream-get-user',
    operations: [
      ...TARGET_TOOLS.map((name) => `upstream-${name.replaceAll('_', '-')}`),
      ...['tools/list', 'resources/list', 'prompts/list'],
    ],
    // Each of its calls opens a session upstream, and twenty at a time take four seconds.
    rate: '0.03',
    few: true,
  },
};

/** @param {Case} subject @param {Subject} server @returns {Record<string, string>} variables that reach the server */
export const reach = ({ ask = 'auto' }, { url, token = '' }) => ({
  TARGET_URL: url,
  TARGET_TOKEN: token,
  TARGET_PROTOCOL: ask,
});

/**
 * Starts a server for as long as a test uses it; where the test fails, the server's log is shown.
 *
 * @param {Case} subject
 * @param {(server: Subject) => Promise<void>} use
 */
export async function withServer(subject, use) {
  const server = await subject.start();
  try {
    await use(server);
  } catch (error) {
    console.error(server.log());
    throw error;
  } finally {
    await server.stop();
  }
}
