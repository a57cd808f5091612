/**
 * The kinds of resources of a proxy manager, as data: tools, statements, export and import are made from this list.
 */
import { z } from 'zod';

/** A word that tells rows apart: whose they are, or of which of the owner's instances. */
export const Word = z.string().regex(/^[\w.:-]{1,100}$/);

export const ResourceId = z.int().min(1).max(2_147_483_647);

const Name = z.string().trim().min(1).max(100);
const Domain = z.string().regex(/^(\*\.)?([a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}$/);
const Domains = z.array(Domain).min(1).max(15);
const Host = z.string().regex(/^[A-Za-z0-9._-]{1,200}$/);
const Port = z.int().min(1).max(65_535);
const Scheme = z.enum(['http', 'https']);
const Flag = z.boolean();

/**
 * @typedef {object} Kind
 * @property {string} kind in the database and as the member of an answer
 * @property {string} plural
 * @property {string} title
 * @property {Record<string, z.ZodType>} fields what a client may give
 * @property {Record<string, unknown>} defaults of those that it need not give
 * @property {string[]} [fixed] fields that never change once the resource is made
 * @property {Record<string, z.ZodType>} [made] fields that the server sets
 * @property {Record<string, string>} [references] fields that hold the id of a resource of another kind; it may be gone
 *   one day: then they are null
 * @property {string} [parts] the field whose entries are rows of their own, and go with the resource
 * @property {(fields: any) => string} nameOf no two resources of a kind have the same in one instance
 * @property {boolean} [certified] an authority is asked before one is made
 */

/** @type {Kind[]} */
export const KINDS = [
  {
    kind: 'proxy_host',
    plural: 'proxy_hosts',
    title: 'proxy host',
    fields: {
      domain_names: Domains,
      forward_scheme: Scheme,
      forward_host: Host,
      forward_port: Port,
      certificate_id: ResourceId.nullable(),
      access_list_id: ResourceId.nullable(),
      ssl_forced: Flag,
      hsts_enabled: Flag,
      http2_support: Flag,
      caching_enabled: Flag,
      block_exploits: Flag,
      allow_websocket_upgrade: Flag,
      advanced_config: z.string().max(4000),
      enabled: Flag,
      locations: z
        .array(
          z.object({
            path: z.string().regex(/^\/[\w./-]{0,200}$/),
            forward_scheme: Scheme,
            forward_host: Host,
            forward_port: Port,
          }),
        )
        .max(50),
    },
    defaults: {
      forward_scheme: 'http',
      certificate_id: null,
      access_list_id: null,
      ssl_forced: false,
      hsts_enabled: false,
      http2_support: false,
      caching_enabled: false,
      block_exploits: false,
      allow_websocket_upgrade: false,
      advanced_config: '',
      enabled: true,
      locations: [],
    },
    references: { certificate_id: 'certificate', access_list_id: 'access_list' },
    parts: 'locations',
    nameOf: ({ domain_names }) => domain_names[0],
  },
  {
    kind: 'certificate',
    plural: 'certificates',
    title: 'certificate',
    fields: {
      nice_name: Name,
      domain_names: Domains,
      challenge: z.enum(['dns', 'http']),
    },
    defaults: { challenge: 'dns' },
    fixed: ['domain_names', 'challenge'],
    made: { expires_on: z.iso.datetime().nullable() },
    nameOf: ({ nice_name }) => nice_name,
    certified: true,
  },
  {
    kind: 'access_list',
    plural: 'access_lists',
    title: 'access list',
    fields: {
      name: Name,
      satisfy_any: Flag,
      pass_auth: Flag,
      clients: z
        .array(
          z.object({
            address: z.string().regex(/^[0-9a-fA-F.:/]{2,50}$/),
            directive: z.enum(['allow', 'deny']),
          }),
        )
        .max(100),
    },
    defaults: { satisfy_any: false, pass_auth: false, clients: [] },
    parts: 'clients',
    nameOf: ({ name }) => name,
  },
  {
    kind: 'stream',
    plural: 'streams',
    title: 'stream',
    fields: {
      incoming_port: Port,
      forwarding_host: Host,
      forwarding_port: Port,
      tcp_forwarding: Flag,
      udp_forwarding: Flag,
      enabled: Flag,
    },
    defaults: { tcp_forwarding: true, udp_forwarding: false, enabled: true },
    nameOf: ({ incoming_port }) => String(incoming_port),
  },
];

/** The names that bulk tools know the kinds by. */
export const KIND_NAMES = KINDS.map(({ kind }) => kind);

/**
 * @param {string} name
 * @returns {Kind}
 */
export function kindOf(name) {
  const found = KINDS.find(({ kind }) => kind === name);
  if (!found) throw new Error(`no kind of resources ${name}`);
  return found;
}

/**
 * The fields as a client gives them when it makes a resource.
 * @param {Kind} kind
 */
export function whole({ fields, defaults }) {
  return Object.fromEntries(
    Object.entries(fields).map(([field, schema]) => [
      field,
      // `default` makes a field optional; without one it must be given.
      Object.hasOwn(defaults, field) ? schema.default(defaults[field]) : schema,
    ]),
  );
}

/**
 * The fields as a client gives them when it changes a resource: each may be left out.
 * @param {Kind} kind
 */
export function partial({ fields, fixed = [] }) {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([field]) => !fixed.includes(field))
      .map(([field, schema]) => [field, schema.optional()]),
  );
}

/**
 * A resource as tools show it.
 * @param {Kind} kind
 */
export function shown({ fields, made }) {
  return z.object({
    id: ResourceId,
    ...fields,
    ...made,
    created_on: z.iso.datetime(),
    modified_on: z.iso.datetime(),
  });
}
