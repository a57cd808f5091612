import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validator } from '../../../analysis/schemas.ts';
import { toDocument } from '../../../cli/discovery/document.ts';
import { ConfigError } from '../../../contract/config-error.js';
import { chooseOperations as choose } from '../../../lib/choose.js';

const CONFIG = { TOOLS: null, ALLOW_WRITES: false };
const none = () => [];
/** @type {(...given: [...Parameters<typeof choose>] | [any, any, any]) => import('../../../lib/choose.js').Choice} */
const chooseOperations = (offer, config, complete, holdsSecret = () => false) =>
  choose(offer, config, complete, holdsSecret);
const CONNECTION = { era: /** @type {const} */ ('legacy'), version: '2025-11-25', server: null };

/** @param {Partial<import('../../../lib/choose.js').Offer>} offer */
const offering = (offer) => ({
  era: /** @type {const} */ ('legacy'),
  capabilities: { tools: {} },
  tools: [],
  resources: [],
  templates: [],
  prompts: [],
  ...offer,
});

/** @param {string} name @param {object} [annotations] @param {object} [more] */
const tool = (name, annotations, more = {}) => ({
  name,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  ...(annotations && { annotations }),
  ...more,
});

const TOOLS = [
  tool('read', { readOnlyHint: true }),
  tool('bare'),
  tool('careful', { readOnlyHint: false, destructiveHint: false }),
  tool('drop', { readOnlyHint: false, destructiveHint: true }),
];

/** @param {import('../../../lib/choose.js').Choice} choice @param {string} operation */
const reason = ({ leftOut }, operation) =>
  leftOut.find((entry) => entry.operation === operation)?.reason ?? '';

test('only what is marked as read-only is called, and the others say what would allow them', () => {
  const choice = chooseOperations(offering({ tools: TOOLS }), CONFIG, none);
  assert.deepEqual(Object.keys(choice.operations), ['read', 'tools/list', 'ping']);
  assert.equal(choice.operations.read?.class, 'read');
  assert.match(reason(choice, 'bare'), /ALLOW_WRITES=1 .* TOOLS/);
  assert.match(reason(choice, 'careful'), /ALLOW_WRITES=1 .* TOOLS/);
  assert.match(reason(choice, 'drop'), /only when named in TOOLS/);
});

test('ALLOW_WRITES=1 allows all but what is marked as destructive', () => {
  const choice = chooseOperations(offering({ tools: TOOLS }), { ...CONFIG, ALLOW_WRITES: true }, none);
  assert.deepEqual(Object.keys(choice.operations), ['read', 'bare', 'careful', 'tools/list', 'ping']);
  assert.equal(choice.operations.bare?.class, 'write');
  assert.match(reason(choice, 'drop'), /only when named in TOOLS/);
});

test('TOOLS is just those tools, destructive ones too', () => {
  const offer = offering({ tools: TOOLS, resources: [{ uri: 'x:1', name: 'one' }] });
  const choice = chooseOperations(offer, { ...CONFIG, TOOLS: ['drop', 'read'] }, none);
  assert.deepEqual(Object.keys(choice.operations), ['drop', 'read']);
  assert.deepEqual(toDocument(CONNECTION, choice).mixes.default, { drop: 50, read: 50 });
});

test('an unknown name in TOOLS is refused with the valid ones, bounded', () => {
  const tools = Array.from({ length: 500 }, (_, index) => tool(`tool-${index}-${'x'.repeat(200)}`));
  assert.throws(
    () => chooseOperations(offering({ tools }), { ...CONFIG, TOOLS: ['nope'] }, none),
    (error) =>
      error instanceof ConfigError &&
      /no tool "nope"; it has: tool-0.* and 480 more$/.test(error.message) &&
      error.message.length < 4000,
  );
});

test('names become selectors: no two alike, none that k6 splits, the true one kept', () => {
  const names = [
    'a:b',
    'a,b',
    'a"b',
    'a{b}',
    "a'b",
    'a b',
    '__proto__',
    'constructor',
    '日本',
    'x'.repeat(300),
    'tools/list',
  ];
  const tools = names.map((name) => tool(name, { readOnlyHint: true }));
  const { operations } = chooseOperations(offering({ tools }), CONFIG, none);
  const given = Object.keys(operations);
  assert.equal(given.length, names.length + 2);
  for (const name of given) assert.match(name, /^[\w./-]{1,70}$/);
  assert.equal(Object.getPrototypeOf(operations), Object.prototype);
  assert.deepEqual(
    Object.values(operations)
      .filter(({ method }) => method === 'tools/call')
      .map(({ params }) => params.name),
    names,
  );
});

test('a hostile listing: bounded, and nothing in it is taken for granted', () => {
  const nonsense = [null, 1, 'x', [], {}, { name: 1 }, { name: '' }, { name: 'n'.repeat(10_000) }];
  const many = Array.from({ length: 3000 }, (_, index) => ({ uri: `x:${index}`, name: '\u001b[31m\nevil' }));
  const tools = Array.from({ length: 3000 }, (_, index) => tool(`t${index}`, { readOnlyHint: true }));
  const twice = [tool('twin', { readOnlyHint: true }), tool('twin', { readOnlyHint: true })];
  const broken = tool(
    'broken',
    { readOnlyHint: true },
    { inputSchema: { type: 'object', required: 'text', properties: 7 } },
  );
  const choice = chooseOperations(
    offering({
      capabilities: { tools: {}, resources: {}, prompts: {} },
      tools: [...nonsense, ...twice, broken, ...tools],
      resources: [...nonsense, ...many],
      templates: nonsense,
      prompts: [...nonsense, { name: 'p', arguments: 'none' }, { name: 'q', arguments: nonsense }],
    }),
    CONFIG,
    none,
  );
  assert.ok(Object.keys(choice.operations).length <= 50);
  assert.match(reason(choice, 'twin'), /duplicate/);
  assert.match(reason(choice, '2980 more resources'), /20 of 3000 are loaded/);
  const document = toDocument(CONNECTION, choice);
  assert.ok((document.left_out ?? []).length <= 101);
  assert.doesNotMatch(JSON.stringify(document), /\\u00/);
  const problemOf = validator('../lib/workload-document.schema.json');
  assert.equal(problemOf(JSON.parse(JSON.stringify(document))), null);
});

test('resources are chosen evenly', () => {
  const resources = Array.from({ length: 100 }, (_, index) => ({ uri: `x:${index}`, name: `r${index}` }));
  const { operations } = chooseOperations(offering({ resources }), CONFIG, none);
  const chosen = Object.values(operations).flatMap(({ params }) =>
    params.uri ? [Number(String(params.uri).slice(2))] : [],
  );
  assert.equal(chosen.length, 20);
  assert.deepEqual(new Set(chosen.map((index) => Math.floor(index / 5))).size, 20);
});

test('templates are read where the server completes their variables', () => {
  const templates = [
    { uriTemplate: 'x://{kind}/{id}', name: 'both' },
    { uriTemplate: 'x://{?query*}', name: 'query' },
    { uriTemplate: 'y://{secret}', name: 'none' },
  ];
  /** @type {import('../../../lib/choose.js').Complete} */
  const complete = (ref, { name, value }, known) => {
    if (ref.uri !== 'x://{kind}/{id}') return [];
    if (name === 'kind') return ['a b'];
    return known.kind === 'a b' && value === '1' ? ['17'] : [];
  };
  const choice = chooseOperations(offering({ templates }), CONFIG, complete);
  assert.deepEqual(choice.operations['template/both'], {
    class: 'read',
    method: 'resources/read',
    params: { uri: 'x://a%20b/17' },
  });
  assert.match(reason(choice, 'template/query'), /more than plain/);
  assert.match(reason(choice, 'template/none'), /offers no completion for \{secret\}/);
  const { add } = choice.leftOut.find(({ operation }) => operation === 'template/none') ?? {};
  assert.deepEqual(JSON.parse(`{${add}}`), {
    'template/none': { class: 'read', method: 'resources/read', params: { uri: 'y://{secret}' } },
  });
});

test('prompts: without required arguments as they are, otherwise with what is completed, the rest still wanted', () => {
  const prompts = [
    { name: 'plain', arguments: [{ name: 'tone' }] },
    {
      name: 'asked',
      arguments: [
        { name: 'city', required: true },
        { name: 'note', required: true },
      ],
    },
  ];
  const { operations, wanted } = chooseOperations(offering({ prompts }), CONFIG, (_, { name }) =>
    name === 'city' ? ['Oslo', 'Lima'] : [],
  );
  const operation = { class: 'read', method: 'prompts/get' };
  assert.deepEqual(operations['prompt/plain'], { ...operation, params: { name: 'plain' } });
  assert.deepEqual(operations['prompt/asked'], { ...operation, params: { name: 'asked' } });
  assert.deepEqual(Object.keys(wanted), ['prompt/asked']);
  const { count, known, schema } = wanted['prompt/asked'] ?? {};
  assert.deepEqual(
    known?.map(({ city }) => city),
    ['Oslo', 'Lima', 'Oslo', 'Lima'],
  );
  assert.equal(count, 4);
  assert.deepEqual(/** @type {any} */ (schema).required, ['city', 'note']);
});

test('tools with x-mcp-header: the headers in the modern era, left out where the mark is invalid', () => {
  /** @param {any} region */
  const marked = (region) => ({
    ...tool('marked', { readOnlyHint: true }),
    inputSchema: { type: 'object', properties: { region }, required: ['region'] },
  });
  const good = marked({ type: 'string', 'x-mcp-header': 'Region' });
  const modern = { era: /** @type {const} */ ('modern') };
  assert.deepEqual(
    chooseOperations(offering({ ...modern, tools: [good] }), CONFIG, none).operations.marked?.headers,
    {
      Region: '/region',
    },
  );
  assert.equal(
    chooseOperations(offering({ tools: [good] }), CONFIG, none).operations.marked?.headers,
    undefined,
  );
  const bad = marked({ type: 'object', 'x-mcp-header': 'Region' });
  const choice = chooseOperations(offering({ ...modern, tools: [bad] }), CONFIG, none);
  assert.match(reason(choice, 'marked'), /x-mcp-header/);
});

test('a tool that runs as a task only is left out, and one whose schema is larger than any that is read', () => {
  const tools = [
    tool('task', { readOnlyHint: true }, { execution: { taskSupport: 'required' } }),
    // Its size is looked at before what is in it.
    tool(
      'large',
      { readOnlyHint: true },
      { inputSchema: { 'x-mcp-header': '', description: 'x'.repeat(2 ** 20) } },
    ),
    tool('fine', { readOnlyHint: true }),
  ];
  const choice = chooseOperations(offering({ era: 'modern', tools }), CONFIG, none);
  assert.match(reason(choice, 'task'), /only be called as a task/);
  assert.match(reason(choice, 'large'), /its inputSchema has 1048\d{3} characters; at most 1048576 are read/);
  assert.deepEqual(Object.keys(choice.wanted), ['fine']);
});

test('lists and pings: 5% next to calls, everything without any', () => {
  const modern = offering({ era: 'modern', capabilities: { tools: {}, prompts: {} }, tools: TOOLS });
  const { mixes } = toDocument(CONNECTION, chooseOperations(modern, CONFIG, none));
  assert.equal(mixes.default?.read, 95);
  const alone = offering({ era: 'modern', capabilities: { tools: {}, prompts: {} } });
  const document = toDocument(CONNECTION, chooseOperations(alone, CONFIG, none));
  assert.deepEqual(Object.keys(document.operations), ['tools/list', 'prompts/list', 'server/discover']);
  const weights = Object.values(document.mixes.default ?? {});
  assert.equal(Math.round(weights.reduce((sum, weight) => sum + weight, 0) * 100), 10_000);
});

test('what has a secret in a name or a definition is left out, and nothing of the secret is shown', () => {
  const secret = `secret-${'x'.repeat(80)}`;
  const fine = { readOnlyHint: true };
  const marked = { type: 'object', properties: { [secret]: { type: 'array', 'x-mcp-header': 'A' } } };
  const offer = offering({
    era: 'modern',
    capabilities: { tools: {}, resources: {}, prompts: {} },
    tools: [
      tool('good', fine),
      tool(secret, fine),
      tool(`write-${secret}`),
      tool(`${secret}${'y'.repeat(3000)}`, fine),
      tool('schema', fine, { inputSchema: { type: 'object', properties: { a: { default: secret } } } }),
      tool('header', fine, { inputSchema: marked }),
    ],
    resources: [{ uri: 'a:1', name: secret }, { uri: `a:${secret}` }, { uri: 'a:2', name: 'two' }],
    templates: [{ uriTemplate: `a:${secret}/{b}`, name: 'c' }],
    prompts: [{ name: secret }, { name: 'argument', arguments: [{ name: secret, required: true }] }],
  });
  const holdsSecret = (/** @type {string} */ text) => text.includes(secret);
  for (const TOOLS of [null, ['good']]) {
    const choice = chooseOperations(offer, { ...CONFIG, TOOLS }, none, holdsSecret);
    assert.ok(!JSON.stringify(choice).includes('xxx'), JSON.stringify(choice));
    assert.match(reason(choice, '3 tools'), /^a name contains a secret of this run/);
    assert.ok(choice.operations.good);
    if (TOOLS) continue;
    for (const name of ['schema', 'header', 'prompt/argument']) {
      assert.match(reason(choice, name), /^its definition contains a secret/, name);
    }
    for (const name of ['2 resources', '1 templates', '1 prompts']) assert.ok(reason(choice, name), name);
    assert.ok(choice.operations['resource/two']);
  }
  assert.throws(
    () => chooseOperations(offer, { ...CONFIG, TOOLS: ['nope'] }, none, holdsSecret),
    (error) => error instanceof ConfigError && !error.message.includes('xxx'),
  );
});
