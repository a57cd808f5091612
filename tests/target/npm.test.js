import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { callTool, readMetrics, useTool } from './client.js';
import { Services, until } from './services.js';

const services = new Services();
/** @type {Awaited<ReturnType<Services['startTarget']>>} */
let target;
/** @type {pg.Client} */
let database;

before(async () => {
  await services.start({ AUTHORITY_LATENCY_MS: '20', AUTHORITY_PER_MINUTE: '3' });
  target = await services.startTarget();
  database = new pg.Client({ connectionString: services.databaseUrl });
  await database.connect();
});
after(async () => {
  await database?.end();
  await services.stop();
});

/** @param {string} tool @param {object} input */
const use = (tool, input) => useTool(target, tool, input);

/** @param {string} owner */
async function rowsOf(owner) {
  const { rows } = await database.query('SELECT count(*)::int AS n FROM npm_resources WHERE owner = $1', [
    owner,
  ]);
  return rows[0].n;
}

/** @param {string} tool @param {object} input @param {RegExp} about */
async function refuses(tool, input, about) {
  const { message } = await callTool(target, tool, input);
  assert.equal(message.result.isError, true, JSON.stringify(message));
  assert.match(message.result.content[0].text, about);
}

/** What makes one of each kind, and what changes it. */
const KINDS = [
  {
    kind: 'proxy_host',
    plural: 'proxy_hosts',
    fields: (/** @type {number} */ n) => ({
      domain_names: [`host${n}.example.com`],
      forward_host: '10.0.0.1',
      forward_port: 8080,
      locations: [{ path: '/api', forward_scheme: 'http', forward_host: 'api', forward_port: 9000 }],
    }),
    defaults: { forward_scheme: 'http', enabled: true, certificate_id: null, advanced_config: '' },
    change: { forward_port: 8081, locations: [] },
    cascaded: 0,
  },
  {
    kind: 'certificate',
    plural: 'certificates',
    fields: (/** @type {number} */ n) => ({ nice_name: `cert ${n}`, domain_names: [`cert${n}.example.com`] }),
    defaults: { challenge: 'dns' },
    change: { nice_name: 'another name' },
    cascaded: 0,
  },
  {
    kind: 'access_list',
    plural: 'access_lists',
    fields: (/** @type {number} */ n) => ({
      name: `list ${n}`,
      clients: [
        { address: '10.0.0.0/8', directive: 'allow' },
        { address: '::1', directive: 'deny' },
      ],
    }),
    defaults: { satisfy_any: false, pass_auth: false },
    change: { pass_auth: true },
    cascaded: 2,
  },
  {
    kind: 'stream',
    plural: 'streams',
    fields: (/** @type {number} */ n) => ({
      incoming_port: 10_000 + n,
      forwarding_host: 'db',
      forwarding_port: 5432,
    }),
    defaults: { tcp_forwarding: true, udp_forwarding: false, enabled: true },
    change: { enabled: false },
    cascaded: 0,
  },
];

for (const { kind, plural, fields, defaults, change, cascaded } of KINDS) {
  test(`a ${kind} is made, shown, changed and removed`, async () => {
    const owner = `crud-${kind}`;
    const { [kind]: made } = await use(`create_${kind}`, { owner, ...fields(1) });
    const { id, created_on, modified_on, expires_on, ...rest } = made;
    assert.deepEqual(rest, { ...defaults, ...shownDefaults(kind), ...fields(1) });
    assert.deepEqual(await use(`get_${kind}`, { owner, id }), { [kind]: made });

    const { [kind]: changed } = await use(`update_${kind}`, { owner, id, ...change });
    assert.deepEqual(changed, { ...made, ...change, modified_on: changed.modified_on });
    assert.ok(changed.modified_on > modified_on);
    assert.deepEqual(await use(`list_${plural}`, { owner }), {
      count: 1,
      next_offset: null,
      [plural]: [changed],
    });

    await refuses(`get_${kind}`, { owner: 'somebody-else', id }, /there is no/);
    await refuses(`update_${kind}`, { owner: 'somebody-else', id, ...change }, /there is no/);
    await refuses(`delete_${kind}`, { owner: 'somebody-else', id }, /there is no/);
    assert.deepEqual(await use(`delete_${kind}`, { owner, id }), { deleted: 1, cascaded });
    await refuses(`delete_${kind}`, { owner, id }, /there is no/);
    assert.equal(await rowsOf(owner), 0);
  });
}

/** @param {string} kind */
function shownDefaults(kind) {
  if (kind !== 'proxy_host') return {};
  const off = ['ssl_forced', 'hsts_enabled', 'http2_support', 'caching_enabled', 'block_exploits'];
  return {
    ...Object.fromEntries([...off, 'allow_websocket_upgrade'].map((name) => [name, false])),
    access_list_id: null,
  };
}

describe('input', () => {
  const host = KINDS[0]?.fields(1);
  const WRONG = [
    { tool: 'create_proxy_host', input: { ...host, forward_port: 0 }, about: /forward_port/ },
    {
      tool: 'create_proxy_host',
      input: { ...host, domain_names: ['not a domain'] },
      about: /domain_names.0/,
    },
    { tool: 'create_proxy_host', input: { ...host, certificate_id: 9 }, about: /there is no certificate 9/ },
    { tool: 'create_proxy_host', input: { forward_port: 1 }, about: /domain_names.*forward_host/ },
    { tool: 'update_stream', input: { id: 1 }, about: /give at least one of incoming_port, / },
    { tool: 'list_streams', input: { limit: 0 }, about: /limit/ },
    { tool: 'list_streams', input: { owner: "x' OR 1=1" }, about: /owner/ },
    { tool: 'bulk_toggle_hosts', input: { enabled: true, batch_size: 0 }, about: /batch_size/ },
    { tool: 'bulk_delete_resources', input: { kind: 'users' }, about: /kind/ },
    { tool: 'renew_certificate', input: { id: 1 }, about: /there is no certificate 1/ },
  ];
  for (const { tool, input, about } of WRONG) {
    test(`${tool} refuses ${JSON.stringify(input).slice(0, 60)}`, () => refuses(tool, input, about));
  }
});

test('two of a kind can not have the same name in one instance, and can in two', async () => {
  const owner = 'names';
  const [hosts] = KINDS;
  const fields = hosts?.fields(1);
  const first = await use('create_proxy_host', { owner, ...fields });
  await refuses('create_proxy_host', { owner, ...fields }, /there is a proxy host host1.example.com already/);
  await use('create_proxy_host', { owner, instance: 'second', ...fields });
  await use('create_proxy_host', { owner, ...hosts?.fields(2) });
  await refuses(
    'update_proxy_host',
    { owner, id: first.proxy_host.id, domain_names: ['host2.example.com'] },
    /there is a proxy host host2.example.com already/,
  );
  assert.equal((await use('list_proxy_hosts', { owner })).count, 2);
});

test('pages hold all resources once, in order', async () => {
  const owner = 'pages';
  await importHosts(owner, 25);
  const { proxy_hosts: all } = await use('list_proxy_hosts', { owner });
  assert.equal(all.length, 25);
  const pages = [];
  for (let offset = 0; offset !== null; ) {
    const page = await use('list_proxy_hosts', { owner, limit: 10, offset });
    pages.push(...page.proxy_hosts);
    offset = page.next_offset;
  }
  assert.deepEqual(pages, all);
});

test('what refers to a removed resource refers to nothing, and its parts go with it', async () => {
  const owner = 'cascade';
  const { certificate } = await use('create_certificate', {
    owner,
    nice_name: 'c',
    domain_names: ['c.example.com'],
  });
  const { access_list } = await use('create_access_list', { owner, ...KINDS[2]?.fields(1) });
  const { proxy_host } = await use('create_proxy_host', {
    owner,
    ...KINDS[0]?.fields(1),
    certificate_id: certificate.id,
    access_list_id: access_list.id,
  });
  await refuses(
    'update_proxy_host',
    { owner, id: proxy_host.id, access_list_id: certificate.id },
    /there is no access list/,
  );
  assert.deepEqual(await use('delete_certificate', { owner, id: certificate.id }), {
    deleted: 1,
    cascaded: 0,
  });
  assert.deepEqual(await use('delete_access_list', { owner, id: access_list.id }), {
    deleted: 1,
    cascaded: 2,
  });
  const left = (await use('get_proxy_host', { owner, id: proxy_host.id })).proxy_host;
  assert.deepEqual([left.certificate_id, left.access_list_id], [null, null]);
  assert.deepEqual(await use('delete_proxy_host', { owner, id: proxy_host.id }), { deleted: 1, cascaded: 1 });
});

test('many hosts are enabled and removed in batches, or only counted', async () => {
  const owner = 'bulk';
  await importHosts(owner, 25);
  const ids = (await use('list_proxy_hosts', { owner })).proxy_hosts.map((/** @type {any} */ { id }) => id);
  const enabled = async () =>
    (await use('list_proxy_hosts', { owner })).proxy_hosts.filter((/** @type {any} */ host) => host.enabled)
      .length;

  const off = { owner, enabled: false };
  assert.deepEqual(await use('bulk_toggle_hosts', { ...off, dry_run: true }), {
    matched: 25,
    changed: 0,
    batches: 3,
    dry_run: true,
  });
  assert.equal(await enabled(), 25);
  const some = { ...off, ids: ids.slice(0, 7), batch_size: 5 };
  assert.deepEqual(await use('bulk_toggle_hosts', some), {
    matched: 7,
    changed: 7,
    batches: 2,
    dry_run: false,
  });
  assert.equal(await enabled(), 18);

  const which = { owner, kind: 'proxy_host', ids: ids.slice(0, 5) };
  assert.deepEqual(await use('bulk_delete_resources', { ...which, dry_run: true }), {
    matched: 5,
    deleted: 0,
    cascaded: 0,
    batches: 1,
    dry_run: true,
  });
  assert.deepEqual(await use('bulk_delete_resources', { ...which, batch_size: 2 }), {
    matched: 5,
    deleted: 5,
    cascaded: 5,
    batches: 3,
    dry_run: false,
  });
  assert.equal(await rowsOf(owner), 20);
});

test('an owner removes all that is its own and nothing else', async () => {
  await importHosts('mine', 3);
  await importHosts('yours', 2);
  await use('create_stream', { owner: 'mine', instance: 'another', ...KINDS[3]?.fields(1) });
  assert.equal((await use('bulk_delete_resources', { owner: 'mine', batch_size: 1000 })).deleted, 4);
  assert.deepEqual([await rowsOf('mine'), await rowsOf('yours')], [0, 2]);
});

test('an exported configuration can be imported elsewhere, with what refers to what', async () => {
  const owner = 'export';
  const { certificate } = await use('create_certificate', {
    owner,
    nice_name: 'c',
    domain_names: ['d.example.com'],
  });
  const { access_list } = await use('create_access_list', { owner, ...KINDS[2]?.fields(1) });
  const references = { certificate_id: certificate.id, access_list_id: access_list.id };
  await use('create_proxy_host', { owner, ...KINDS[0]?.fields(1), ...references });
  await use('create_stream', { owner, ...KINDS[3]?.fields(1) });

  const { count, configuration } = await use('export_configuration', { owner });
  assert.equal(count, 4);
  const into = { owner, instance: 'copy', configuration };
  assert.deepEqual(await use('import_configuration', { ...into, dry_run: true }), {
    given: 4,
    imported: 0,
    by_kind: { proxy_hosts: 0, certificates: 0, access_lists: 0, streams: 0 },
    dry_run: true,
  });
  assert.equal((await use('import_configuration', into)).imported, 4);
  assert.equal((await use('import_configuration', into)).imported, 0, 'what is there already stays');

  const copy = (await use('export_configuration', { owner, instance: 'copy' })).configuration;
  assert.deepEqual(plain(copy), plain(configuration));
  const [host] = copy.proxy_hosts;
  assert.equal(host.certificate_id, copy.certificates[0].id);
  assert.notEqual(host.certificate_id, certificate.id);
  const dangling = { proxy_hosts: [{ ...KINDS[0]?.fields(9), certificate_id: 77 }] };
  await refuses(
    'import_configuration',
    { owner, configuration: dangling },
    /the document has no certificate 77/,
  );
});

test('certificates come from the authority, which has a limit for each domain', async () => {
  const owner = 'authority';
  const fields = { owner, nice_name: 'a', domain_names: ['limited.example.com'] };
  const { certificate } = await use('create_certificate', fields);
  assert.ok(Date.parse(certificate.expires_on) > Date.now() + 80 * 24 * 3600 * 1000);
  const renewed = await use('renew_certificate', { owner, id: certificate.id });
  assert.ok(renewed.expires_on > certificate.expires_on);
  await use('renew_certificate', { owner, id: certificate.id });
  const before = (await readMetrics(target))('authority_refusals_total');
  await refuses(
    'renew_certificate',
    { owner, id: certificate.id },
    /too many certificates .*, retry after \d+ s/,
  );
  assert.equal((await readMetrics(target))('authority_refusals_total'), before + 1);

  const other = await use('create_certificate', {
    owner,
    nice_name: 'b',
    domain_names: ['free.example.com'],
  });
  const { failed, ...counts } = await use('bulk_renew_certificates', { owner, batch_size: 2 });
  assert.deepEqual(counts, { matched: 2, renewed: 1, batches: 1, dry_run: false });
  assert.deepEqual(
    failed.map((/** @type {any} */ { id }) => id),
    [certificate.id],
  );
  const { certificate: after } = await use('get_certificate', { owner, id: other.certificate.id });
  assert.ok(after.expires_on > other.certificate.expires_on);
});

test('without the authority no certificate is made, and everything else goes on', async () => {
  const own = await services.startTarget({ UPSTREAM_URL: 'http://127.0.0.1:9' });
  const input = { owner: 'alone', nice_name: 'x', domain_names: ['x.example.com'] };
  const { message } = await callTool(own, 'create_certificate', input);
  assert.equal(message.result.isError, true);
  assert.match(message.result.content[0].text, /^certificate authority: /);
  assert.equal(await rowsOf('alone'), 0);
  assert.equal((await useTool(own, 'list_certificates', { owner: 'alone' })).count, 0);
  await own.stop();
});

test('what nobody removes goes by itself', async () => {
  const own = await services.startTarget({ RESOURCE_LIFETIME: '1' });
  await useTool(own, 'create_stream', { owner: 'forgotten', ...KINDS[3]?.fields(1) });
  assert.equal(await rowsOf('forgotten'), 1);
  await until(async () => (await rowsOf('forgotten')) === 0, own);
  await own.stop();
});

/** @param {string} owner @param {number} count */
async function importHosts(owner, count) {
  const proxy_hosts = Array.from({ length: count }, (_, n) => KINDS[0]?.fields(n));
  assert.equal(
    (await use('import_configuration', { owner, configuration: { proxy_hosts } })).imported,
    count,
  );
}

/** @param {Record<string, any[]>} configuration @returns {object} without what is new in a copy */
function plain(configuration) {
  const fresh = ['id', 'created_on', 'modified_on', 'certificate_id', 'access_list_id'];
  return Object.fromEntries(
    Object.entries(configuration).map(([plural, resources]) => [
      plural,
      resources.map((resource) =>
        Object.fromEntries(Object.entries(resource).filter(([field]) => !fresh.includes(field))),
      ),
    ]),
  );
}
