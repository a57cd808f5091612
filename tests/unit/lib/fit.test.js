/** Which test loads which server, and what the test payload grows there. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '../../../contract/config-error.js';
import { fitTest } from '../../../lib/fit.js';
import npm from '../../../workloads/npm.js';
import { payloadOf } from '../../../workloads/payload-of.js';
import rbac from '../../../workloads/rbac.js';
import reference from '../../../workloads/reference.js';

const CONFIG = {
  TARGET_URL: 'http://127.0.0.1:3001/mcp',
  TOOL: '',
  ARGS: null,
  dialect: /** @type {any} */ (''),
};
const OBJECTIVES = { objectives: {} };

/** @param {Partial<import('../../../lib/workload.js').DocumentOperation>} [more] @returns {import('../../../lib/workload.js').DocumentOperation} */
const tool = ({ params = { name: 'say' }, ...more } = {}) => ({
  class: 'read',
  method: 'tools/call',
  params,
  ...more,
});

/** @param {Record<string, import('../../../lib/workload.js').DocumentOperation>} operations @returns {import('../../../lib/workload.js').WorkloadDocument} */
const documentOf = (operations) => ({
  schema: 'mcp-load-lab/workload/1',
  name: 'other',
  dialect: 'mcp',
  operations,
  mixes: { default: Object.fromEntries(Object.keys(operations).map((name) => [name, 1])) },
});

/** @param {RegExp} message @param {() => unknown} work */
const refused = (message, work) =>
  assert.throws(work, (error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(error.message, message);
    return true;
  });

test('a test of the reference target refuses every other server, and says what it does', () => {
  /** @type {import('../../../lib/test.js').TestDefinition} */
  const sweep = {
    ...{ name: 'sweep', title: '', workload: reference, mix: 'mixed', ...OBJECTIVES },
    ...{ servers: 'reference', does: 'restarts it' },
  };
  assert.equal(fitTest(sweep, reference, CONFIG, false).definition, sweep);
  refused(
    /^TARGET_URL is "http:.*"; the test sweep restarts it, so it loads the reference target only: unset/,
    () => fitTest(sweep, reference, CONFIG, true),
  );
});

test('a test of certain operations names those that a server does not have', () => {
  /** @type {import('../../../lib/test.js').TestDefinition} */
  const concurrency = {
    ...{ name: 'concurrency', title: '', workload: npm, servers: 'operations', ...OBJECTIVES },
    phases: [
      { name: 'a', operation: 'list_proxy_hosts', vus: 1, duration: '1s' },
      { name: 'b', operation: 'create_proxy_host', vus: 1, duration: '1s' },
    ],
  };
  refused(/^the test concurrency calls create_proxy_host, which other does not have; valid: .*npm\.js$/, () =>
    fitTest(concurrency, documentOf({ list_proxy_hosts: tool() }), CONFIG, true),
  );
  const has = documentOf({ list_proxy_hosts: tool(), create_proxy_host: tool() });
  assert.equal(fitTest(concurrency, has, CONFIG, true).workload, has);
});

test('rbac refuses what is not called over REST', () => {
  /** @type {import('../../../lib/test.js').TestDefinition} */
  const test = {
    name: 'rbac',
    title: '',
    workload: rbac,
    servers: 'operations',
    mix: 'guarded',
    ...OBJECTIVES,
  };
  const message = /^the test rbac calls a rest server, but \w+ speaks mcp; valid: /;
  refused(message, () => fitTest(test, documentOf({ look: tool() }), CONFIG, true));
  refused(message, () => fitTest(test, rbac, { ...CONFIG, dialect: 'mcp' }, true));
  assert.equal(fitTest(test, rbac, CONFIG, true).workload, rbac);
});

test('a test of calls that take as long as an argument says needs TOOL and ARGS on another server', () => {
  /** @type {import('../../../lib/test.js').TestDefinition} */
  const timed = {
    ...{ name: 'long-calls', title: '', workload: reference, servers: 'any', mix: 'mixed', timed: true },
    ...OBJECTIVES,
  };
  const needed = /^the test long-calls calls one tool .* valid: TOOL=name ARGS='\{"duration": "SECONDS"\}'/;
  const ARGS = { ms: 'MILLISECONDS' };
  for (const foreign of [true, false]) {
    const fitted = fitTest(timed, reference, { ...CONFIG, TOOL: 'job', ARGS }, foreign);
    assert.deepEqual([fitted.workload, fitted.TOOL], [reference, '']);
    refused(needed, () => fitTest(timed, reference, { ...CONFIG, TOOL: 'job' }, foreign));
    refused(needed, () =>
      fitTest(timed, documentOf({ look: tool() }), { ...CONFIG, TOOL: 'job', ARGS }, foreign),
    );
  }
  refused(needed, () => fitTest(timed, reference, CONFIG, true));
  assert.equal(fitTest(timed, reference, CONFIG, false).workload, reference);
});

/** @type {import('../../../lib/test.js').TestDefinition} */
const payload = {
  ...{ name: 'payload', title: '', workload: reference, servers: 'any', mix: 'payload', ...OBJECTIVES },
  ...{
    fit: payloadOf,
    phases: [
      { name: '1-kb', vus: 1, duration: '1s' },
      { name: '32-kb', vus: 1, duration: '1s' },
    ],
  },
};

/** @param {Record<string, import('../../../lib/workload.js').DocumentOperation>} operations @param {string} [TOOL] */
const grown = (operations, TOOL = '') => fitTest(payload, documentOf(operations), { ...CONFIG, TOOL }, true);

test('payload grows one argument of one tool, and its title says which', () => {
  const { definition, workload } = grown({
    city: tool({ arguments: [{ city: 'Oslo' }], long_text: '/city' }),
    save: tool({ class: 'write', arguments: [{ text: 'a' }], long_text: '/text' }),
    echo: tool({ arguments: [{ message: 'a', loud: true }], long_text: '/message' }),
    list: { class: 'protocol', method: 'tools/list', params: {} },
  });
  assert.match(definition.title, /^requests with 1 to 32 KB of text: echo with a growing message$/);
  assert.deepEqual(
    definition.phases?.map(({ operation }) => operation),
    ['echo/1-kb', 'echo/32-kb'],
  );
  assert.equal(definition.mix, undefined);
  const [args] = /** @type {any} */ (workload.operations)['echo/32-kb'].arguments;
  assert.deepEqual([args.message.length, args.loud], [32 * 1024, true]);
});

test('payload takes the tool that TOOL names', () => {
  const operations = {
    echo: tool({ arguments: [{ message: 'a' }], long_text: '/message' }),
    city: tool({ params: { name: 'city.of' }, arguments: [{ city: 'Oslo' }], long_text: '/city' }),
    sum: tool({ params: { name: 'sum' }, arguments: [{ a: 1 }] }),
  };
  assert.match(grown(operations, 'city.of').definition.title, /: city with a growing city$/);
  refused(/^TOOL is "nope", which is not in the workload other; valid: echo, city, sum$/, () =>
    grown(operations, 'nope'),
  );
  refused(/which no operation of other accepts; set TOOLS to/, () => grown(operations, 'sum'));
});

test('payload grows what is nested, optional, or has a hostile name', () => {
  for (const [long_text, args, read] of /** @type {[string, any, (grown: any) => string][]} */ ([
    ['/options/texts/0', { options: { texts: ['a'] } }, ({ options }) => options.texts[0]],
    ['/note', {}, ({ note }) => note],
    ['/a~1b~0c', { 'a/b~c': '' }, (made) => made['a/b~c']],
    ['/__proto__', {}, (made) => Object.getOwnPropertyDescriptor(made, '__proto__')?.value],
  ])) {
    const { workload } = grown({ one: tool({ arguments: [args], long_text }) });
    const [made] = /** @type {any} */ (workload.operations)['one/1-kb'].arguments;
    assert.equal(read(made)?.length, 1024, long_text);
  }
  // A file that somebody edited.
  const edited = { one: tool({ arguments: [{}, { options: 1 }], long_text: '/options/text' }) };
  refused(/no operation of other accepts/, () => grown(edited));
});
