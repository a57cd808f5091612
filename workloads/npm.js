/**
 * The reference target's proxy manager tools (target/npm/). The owner of a resource is the run that creates it.
 * `remove_all` removes the run's resources. A VU stores the ids that it receives.
 */

/** @typedef {import('../lib/phases.js').Labels} Labels */

const owner = () => __ENV.TESTID || 'by-hand';

/**
 * Default number of resources of an instance by kind, as in the benchmark document. Labels of a phase
 * override it.
 */
const CONFIGURED = { proxy_hosts: 100, certificates: 50, access_lists: 20, streams: 30 };

/** @type {Record<string, (n: number) => Record<string, unknown>>} */
const FIELDS = {
  proxy_hosts: (n) => ({
    domain_names: [`host-${n}.example.com`, `www.host-${n}.example.com`],
    forward_scheme: 'http',
    forward_host: `10.0.${(n >> 8) % 256}.${n % 256}`,
    forward_port: 8000 + (n % 1000),
    ssl_forced: true,
    http2_support: true,
    block_exploits: true,
    advanced_config: `client_max_body_size ${1 + (n % 64)}m;`,
    locations: [
      { path: '/api', forward_scheme: 'http', forward_host: `api-${n}.internal`, forward_port: 9000 },
    ],
  }),
  // All domains are unique, even across instances: the authority limits certificates per domain.
  certificates: (n) => ({ nice_name: `certificate ${n}`, domain_names: [domain(n)] }),
  access_lists: (n) => ({
    name: `list ${n}`,
    satisfy_any: n % 2 === 0,
    clients: [
      { address: `10.${n % 256}.0.0/16`, directive: 'allow' },
      { address: '0.0.0.0/0', directive: 'deny' },
    ],
  }),
  streams: (n) => ({ incoming_port: 1000 + n, forwarding_host: 'database.internal', forwarding_port: 5432 }),
};

let domains = 0;
const domain = (/** @type {number} */ n) =>
  `c${n}-${(domains++).toString(36)}-${token()}.${owner()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')}.example`;

const token = () => Math.floor(Math.random() * 2 ** 40).toString(36);

/** Numbers of resources that the VU creates start above those of existing resources. */
let made = 20_000;

/** @type {Record<string, number[]>} ids by instance and kind, or by kind for resources that the VU created */
const ids = {};
/** @type {Record<string, number>} number of resources created in an instance, or of ids used from a list */
const counts = {};

/** @param {string} of */
const next = (of) => {
  const count = counts[of] ?? 0;
  counts[of] = count + 1;
  return count;
};

/** @param {Labels} labels */
const scope = ({ instance = 'default' }) => ({ owner: owner(), instance });

/**
 * The next ids of an instance, cyclically.
 *
 * @param {Labels} labels
 * @param {string} plural
 * @param {number} count
 */
const someIds = (labels, plural, count) => {
  const key = `${labels.instance ?? 'default'}/${plural}`;
  const known = ids[key] ?? [1];
  return Array.from({ length: Math.min(count, known.length) }, () => known[next(key) % known.length]);
};

/** @param {any} result */
const contentOf = ({ structuredContent, content }) => structuredContent ?? JSON.parse(content[0].text);

/**
 * @param {string} plural
 * @returns {import('../lib/workload.js').OperationSpec}
 */
const list = (plural) => ({
  class: 'read',
  args: scope,
  // In text content the quotes are escaped.
  expect: ({ text }) => text.includes(`"${plural}":[`) || text.includes(`\\"${plural}\\":[`),
  received: (reply, { instance }) => {
    const key = `${instance}/${plural}`;
    // Only once: parsing long answers would cost the load generator CPU.
    if (!ids[key]) ids[key] = contentOf(reply.result)[plural].map((/** @type {{id: number}} */ { id }) => id);
  },
});

/** @param {string} plural */
const get = (plural) => ({
  class: /** @type {const} */ ('read'),
  args: (/** @type {Labels} */ labels) => ({ ...scope(labels), id: someIds(labels, plural, 1)[0] }),
});

/**
 * @param {string} kind
 * @param {string} plural
 * @returns {import('../lib/workload.js').OperationSpec}
 */
const create = (kind, plural) => ({
  class: 'write',
  args: (labels) => {
    const fields = FIELDS[plural]?.(made++) ?? {};
    // Other VUs of the same run use the same numbers.
    if (kind === 'proxy_host') fields.domain_names = [`${token()}-${made}.example.com`];
    return { ...scope(labels), ...fields };
  },
  received: ({ result }) => {
    const mine = ids[kind] ?? [];
    mine.push(contentOf(result)[kind].id);
    ids[kind] = mine;
  },
});

/**
 * @param {string} plural
 * @param {() => Record<string, unknown>} changes
 */
const update = (plural, changes) => ({
  class: /** @type {const} */ ('write'),
  args: (/** @type {Labels} */ labels) => ({ ...get(plural).args(labels), ...changes() }),
});

/** Removes resources that the VU created, the oldest first. @param {string} kind */
const remove = (kind) => ({
  class: /** @type {const} */ ('write'),
  args: (/** @type {Labels} */ labels) => ({ ...scope(labels), id: ids[kind]?.shift() ?? 1 }),
});

/** @param {Labels} labels */
const configurationOf = (labels) => {
  const { instance = 'default' } = labels;
  const given = Object.keys(CONFIGURED).some((plural) => labels[plural]) ? labels : CONFIGURED;
  /** @type {Record<string, object[]>} */
  const configuration = {};
  for (const plural of Object.keys(CONFIGURED)) {
    const length = Number(given[/** @type {keyof typeof CONFIGURED} */ (plural)] ?? 0);
    const fields = FIELDS[plural];
    if (length > 0 && fields)
      configuration[plural] = Array.from({ length }, () => fields(next(`${instance}/filled/${plural}`)));
  }
  return configuration;
};

/** @type {Record<string, Record<string, object[]>>} documents that are imported repeatedly, built once */
const documents = {};

/** @param {Labels} labels */
const batchOf = ({ items = 10 }) => items;
let enabled = false;

/** @type {import('../lib/workload.js').Workload} */
export default {
  name: 'npm',
  operations: {
    list_proxy_hosts: list('proxy_hosts'),
    list_certificates: list('certificates'),
    list_access_lists: list('access_lists'),
    list_streams: list('streams'),
    page_proxy_hosts: {
      ...list('proxy_hosts'),
      tool: 'list_proxy_hosts',
      args: (labels) => {
        const { limit = 50, resources = 100 } = labels;
        const pages = Math.max(1, Math.floor(resources / limit));
        return { ...scope(labels), limit, offset: limit * Math.floor(Math.random() * pages) };
      },
      received: () => {},
    },
    get_proxy_host: get('proxy_hosts'),
    get_certificate: get('certificates'),
    create_proxy_host: create('proxy_host', 'proxy_hosts'),
    create_certificate: create('certificate', 'certificates'),
    create_access_list: create('access_list', 'access_lists'),
    create_stream: create('stream', 'streams'),
    update_proxy_host: update('proxy_hosts', () => ({
      forward_port: 8000 + Math.floor(Math.random() * 1000),
      caching_enabled: Math.random() < 0.5,
    })),
    update_access_list: update('access_lists', () => ({ satisfy_any: Math.random() < 0.5 })),
    renew_certificate: { ...get('certificates'), class: 'complex' },
    delete_proxy_host: remove('proxy_host'),
    delete_certificate: remove('certificate'),
    delete_access_list: remove('access_list'),
    delete_stream: remove('stream'),
    bulk_toggle_hosts: {
      class: 'write',
      args: (labels) => {
        const { all, batch = batchOf(labels) } = labels;
        enabled = labels.what === 'enable' || (labels.what !== 'disable' && !enabled);
        const which = all ? {} : { ids: someIds(labels, 'proxy_hosts', batchOf(labels)) };
        return { ...scope(labels), ...which, enabled, batch_size: batch };
      },
      items: batchOf,
      expect: ({ result }, { ids: given }) => {
        const { matched, changed } = contentOf(result);
        return changed === matched && changed === (given?.length ?? changed) && changed > 0;
      },
    },
    bulk_renew_certificates: {
      class: 'complex',
      args: (labels) => ({
        ...scope(labels),
        ids: someIds(labels, 'certificates', batchOf(labels)),
        batch_size: batchOf(labels),
      }),
      items: batchOf,
      expect: ({ result }, { ids: given }) => contentOf(result).renewed === given.length,
    },
    bulk_delete_resources: {
      class: 'write',
      args: (labels) => ({
        owner: owner(),
        instance: `batch-${next('batches removed')}`,
        batch_size: batchOf(labels),
      }),
      items: batchOf,
      expect: ({ result }) => contentOf(result).deleted > 0,
    },
    export_configuration: { class: 'complex', args: scope, items: ({ resources = 500 }) => resources },
    import_configuration: {
      class: 'complex',
      args: (labels) => {
        const { instance = 'import' } = labels;
        documents[instance] ??= configurationOf(labels);
        const configuration = documents[instance];
        return { owner: owner(), instance: `${instance}-${next('imports')}`, configuration };
      },
      items: ({ resources = 500 }) => resources,
      expect: ({ result }) => contentOf(result).imported === contentOf(result).given,
    },
    // Preparation and clean-up of a test.
    fill: {
      class: 'write',
      tool: 'import_configuration',
      args: (labels) => ({ ...scope(labels), configuration: configurationOf(labels) }),
      expect: ({ result }) => contentOf(result).imported === contentOf(result).given,
    },
    fill_batch: {
      class: 'write',
      tool: 'import_configuration',
      args: () => {
        const instance = `batch-${next('batches made')}`;
        return { owner: owner(), instance, configuration: configurationOf({ instance, proxy_hosts: 10 }) };
      },
    },
    remove_imports: {
      class: 'write',
      tool: 'bulk_delete_resources',
      args: ({ instance = 'import' }) => ({
        owner: owner(),
        instance: `${instance}-${next('imports removed')}`,
        batch_size: 1000,
      }),
    },
    remove_all: {
      class: 'write',
      tool: 'bulk_delete_resources',
      args: () => ({ owner: owner(), batch_size: 1000 }),
    },
  },
  mixes: {},
};
