/**
 * Servers that others wrote, each spoken to and then loaded by what discovery alone finds out: no failure, and every
 * operation that it should have found.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { TOOLS } from '../../target/mcp.js';
import { REGIONS } from '../../target/seed.js';
import { assertMeasured, runTest } from '../lab.js';
import { startEverything } from '../servers/everything.js';
import { startGateway } from '../servers/gateway.js';
import { startGo } from '../servers/go.js';
import { startPython } from '../servers/python.js';
import { Services, TOKEN } from '../target/services.js';
import { passes } from './passes.js';

/**
 * @typedef {{url: string, token?: string, log: () => string, stop: () => Promise<void>}} Subject
 *
 * @typedef {object} Case
 * @property {() => Promise<Subject>} start
 * @property {'auto' | 'legacy'} [ask] MCP_ERA
 * @property {'modern' | 'legacy'} era
 * @property {boolean} session
 * @property {string} tool and arguments that it takes
 * @property {string} [args]
 * @property {string[]} operations without the era's own
 * @property {string} [rate] factor on the test's rate, for a slow one
 * @property {true} [few] so slow that there are fewer calls than operations; each was tried once before the load
 */

// Not the stack's: its weather service leaves some requests without an answer on purpose.
const services = new Services();

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
  args: '{"user_id":1}',
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
const CASES = {
  'TypeScript SDK 1.x (server-everything)': {
    start: startEverything,
    era: 'legacy',
    session: true,
    tool: 'echo',
    args: '{"message":"hi"}',
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
    args: '{"user_id":1}',
    operations: [
      ...TARGET_TOOLS.map((name) => `upstream-${name.replaceAll('_', '-')}`),
      ...['tools/list', 'resources/list', 'prompts/list'],
    ],
    // Each of its calls opens a session upstream, and twenty at a time take four seconds.
    rate: '0.03',
    few: true,
  },
};

// Two at a time: what is asked of them is no load.
describe('real servers', { concurrency: 2 }, () => {
  before(() => services.start());
  after(() => services.stop());
  for (const [name, subject] of Object.entries(CASES)) {
    test(name, async () => {
      const server = await subject.start();
      const { url, token = '' } = server;
      const common = { TARGET_URL: url, TARGET_TOKEN: token, MCP_ERA: subject.ask ?? 'auto' };
      try {
        await passes('client.js', {
          ...common,
          WANT_ERA: subject.era,
          WANT_SESSION: String(subject.session),
          TOOL: subject.tool,
          ARGS: subject.args ?? '{}',
          ...(subject.tool === 'echo' && { EVERYTHING: '1' }),
        });
        const run = await runTest('sustained', {
          ...common,
          PROFILE: 'smoke',
          DURATION: '2s',
          RATE_SCALE: subject.rate ?? '1',
          OBJECTIVES: 'off',
        });
        assertMeasured(run);
        const { document } = run;
        assert.equal(document.target.era, subject.era);
        const called = document.operations.map((/** @type {any} */ { operation }) => operation);
        const own = subject.era === 'modern' ? 'server/discover' : 'ping';
        assert.deepEqual(called.sort(), [...subject.operations, own].sort());
        for (const { operation, class: kind, requests, failures } of document.operations) {
          // Lists have a small share: of few calls it may be none.
          const mayBeNone = subject.few || (subject.rate && kind === 'protocol');
          assert.ok(requests > 0 || mayBeNone, `${operation} was not called`);
          assert.deepEqual(failures, {}, `${operation} failed`);
        }
      } catch (error) {
        console.error(server.log());
        throw error;
      } finally {
        await server.stop();
      }
    });
  }
});
