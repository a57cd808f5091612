/**
 * The kinds of resources of the proxy manager, as data. Tools, statements, export and import are generated from this
 * list.
 */
import { z } from 'zod';

/** An identifier of an owner, or of one of the owner's instances. */
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
 * @property {string} kind name in the database and in answers
 * @property {string} plural
 * @property {string} title
 * @property {Record<string, z.ZodType>} fields fields that a client may set
 * @property {Record<string, unknown>} defaults values of the fields that a client may omit
 * @property {string[]} [fixed] fields that can't be changed after creation
 * @property {Record<string, z.ZodType>} [made] fields that the server sets
 * @property {Record<string, string>} [references] fields with the id of a resource of another kind; null after that
 * resource
 *   is deleted
 * @property {string} [parts] the field whose entries are stored as separate rows, and deleted with the resource
 * @property {(fields: any) => string} nameOf the name, which is unique per kind and instance
 * @property {boolean} [certified] the authority must issue a certificate before the resource is created
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

/** The kinds' names, as bulk tools take them. */
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
 * The input schema for creating a resource.
 * @param {Kind} kind
 */
export function whole({ fields, defaults }) {
  return Object.fromEntries(
    Object.entries(fields).map(([field, schema]) => [
      field,
      // `default` makes a field optional; fields without one are required.
      Object.hasOwn(defaults, field) ? schema.default(defaults[field]) : schema,
    ]),
  );
}

/**
 * The input schema for changing a resource: every field is optional.
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
 * The output schema of a resource.
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
