/** The proxy manager's resources in the database. Every function accesses the rows of one owner only. */
import { BEGIN_SNAPSHOT } from '../database.js';
import { ToolError } from '../tool-error.js';
import { KINDS, kindOf } from './kinds.js';
import {
  DELETE,
  DELETE_PARTS,
  INSERT_PARTS,
  RENEW,
  SELECT_DOMAINS,
  SELECT_IDS,
  SELECT_NAMED,
  SELECT_REFERRED,
  statementsOf,
  TOGGLE,
} from './statements.js';

/**
 * @typedef {import('./kinds.js').Kind} Kind
 * @typedef {import('../database.js').Queries} Queries
 * @typedef {import('../database.js').Run} Run
 * @typedef {{owner: string, instance: string}} Scope the rows to access
 */

const STATEMENTS = new Map(KINDS.map((kind) => [kind, statementsOf(kind)]));

/** @param {Kind} kind */
const statements = (kind) => /** @type {import('./statements.js').KindStatements} */ (STATEMENTS.get(kind));

const UNIQUE_VIOLATION = '23505';

/** @param {Kind} kind @param {number} id */
const missing = (kind, id) => new ToolError(`there is no ${kind.title} ${id}`);

/** @param {Kind} kind @param {string} name */
const taken = (kind, name) => new ToolError(`there is a ${kind.title} ${name} already`);

/**
 * @param {Queries} database
 * @param {Kind} kind
 * @param {Scope & {limit?: number, offset: number}} page without a limit, all resources are returned
 * @returns {Promise<{resources: object[], next: number | null}>} next: the offset of the next page
 */
export async function list(database, kind, { owner, instance, limit, offset }) {
  // Fetching one row more shows whether there is another page; its cost does not grow with the number of resources.
  const rows = await database.query(statements(kind).list, [
    owner,
    instance,
    limit ? limit + 1 : null,
    offset,
  ]);
  const more = limit !== undefined && rows.length > limit;
  if (more) rows.pop();
  return { resources: rows.map((row) => toResource(kind, row)), next: more ? offset + rows.length : null };
}

/**
 * @param {Queries} database
 * @param {Kind} kind
 * @param {Scope & {id: number}} which
 * @returns {Promise<object>}
 */
export async function get(database, kind, { owner, instance, id }) {
  const [row] = await database.query(statements(kind).get, [owner, instance, id]);
  if (!row) throw missing(kind, id);
  return toResource(kind, row);
}

/**
 * @param {Queries} database
 * @param {Kind} kind
 * @param {Scope} scope
 * @param {Record<string, any>} fields
 * @returns {Promise<object>}
 */
export function create(database, kind, scope, fields) {
  return database.transaction(async (run) => {
    await checkReferences(run, kind, scope, fields);
    const [row] = await insert(run, kind, scope, [fields]);
    if (!row) throw taken(kind, kind.nameOf(fields));
    return toResource(kind, row);
  });
}

/**
 * @param {Queries} database
 * @param {Kind} kind
 * @param {Scope & {id: number}} which
 * @param {Record<string, any>} changes
 * @returns {Promise<object>}
 */
export function update(database, kind, { id, ...scope }, changes) {
  const { lock, update } = statements(kind);
  const key = [scope.owner, scope.instance, id];
  return database.transaction(async (run) => {
    const [before] = await run(lock, key);
    if (!before) throw missing(kind, id);
    await checkReferences(run, kind, scope, changes);
    const fields = { ...toResource(kind, before), ...changes };
    const { name, enabled, settings, certificate_id, access_list_id, parts } = toRow(kind, fields);
    const values = [...key, name, enabled, settings, certificate_id, access_list_id];
    const [after] = await run(update, values).catch((error) => {
      throw error.cause?.code === UNIQUE_VIOLATION ? taken(kind, name) : error;
    });
    if (kind.parts && Object.hasOwn(changes, kind.parts)) {
      await run(DELETE_PARTS, [id]);
      await run(INSERT_PARTS, [id, JSON.stringify(parts)]);
    }
    return toResource(kind, { ...after, parts });
  });
}

/**
 * @param {Queries} database
 * @param {Kind} kind
 * @param {Scope & {id: number}} which
 * @returns {Promise<{deleted: number, cascaded: number}>}
 */
export async function remove(database, kind, { owner, instance, id }) {
  const ids = await selectIds(database, { owner, instance, kind: kind.kind, ids: [id] });
  if (ids.length === 0) throw missing(kind, id);
  return deleteIds(database, owner, ids);
}

/**
 * @param {Queries} database
 * @param {{owner: string, instance?: string, kind?: string, ids?: number[]}} which omitted properties match all values
 * @returns {Promise<number[]>}
 */
export async function selectIds(database, { owner, instance, kind, ids }) {
  const rows = await database.query(SELECT_IDS, [owner, instance ?? null, kind ?? null, ids ?? null]);
  return rows.map(({ id }) => id);
}

/**
 * @param {Queries} database
 * @param {string} owner
 * @param {number[]} ids
 * @returns {Promise<{deleted: number, cascaded: number}>} cascaded: the number of parts deleted with them
 */
export async function deleteIds(database, owner, ids) {
  const [counts] = await database.query(DELETE, [owner, ids]);
  return counts;
}

/**
 * @param {Queries} database
 * @param {Scope} scope
 * @param {number[]} ids ids of proxy hosts
 * @param {boolean} enabled
 * @returns {Promise<number>} the number of hosts found
 */
export async function toggle(database, { owner, instance }, ids, enabled) {
  return (await database.query(TOGGLE, [owner, instance, ids, enabled])).length;
}

/**
 * @param {Queries} database
 * @param {Scope} scope
 * @param {number[]} ids ids of certificates
 * @returns {Promise<{id: number, domain_names: string[]}[]>}
 */
export function domainsOf(database, { owner, instance }, ids) {
  return database.query(SELECT_DOMAINS, [owner, instance, ids]);
}

/**
 * @param {Queries} database
 * @param {string} owner
 * @param {number} id id of a certificate
 * @param {string} expires ISO 8601
 */
export async function renewed(database, owner, id, expires) {
  const rows = await database.query(RENEW, [owner, id, expires]);
  if (rows.length === 0) throw missing(kindOf('certificate'), id);
}

/**
 * @param {Queries} database
 * @param {Scope} scope
 * @returns {Promise<Record<string, object[]>>} all resources in one snapshot, by the plural of their kind
 */
export function exportAll(database, { owner, instance }) {
  return database.transaction(async (run) => {
    /** @type {Record<string, object[]>} */
    const all = {};
    for (const kind of KINDS) {
      const rows = await run(statements(kind).list, [owner, instance, null, 0]);
      all[kind.plural] = rows.map((row) => toResource(kind, row));
    }
    return all;
  }, BEGIN_SNAPSHOT);
}

/**
 * Creates the resources that do not exist yet. The ids in a document are local to it; references are mapped to new ids.
 * @param {Queries} database
 * @param {Scope} scope
 * @param {Record<string, Record<string, any>[]>} document see {@link exportAll}
 * @returns {Promise<Record<string, number>>} the number of resources created, by kind
 */
export function importAll(database, scope, document) {
  return database.transaction(async (run) => {
    /** @type {Record<string, Map<number, number>>} kind -> id in the document -> id here */
    const ids = {};
    /** @type {Record<string, number>} */
    const made = {};
    // Referenced resources are created first.
    for (const kind of KINDS.toSorted((a, b) => referencesOf(a).length - referencesOf(b).length)) {
      const given = document[kind.plural] ?? [];
      if (given.length === 0) continue;
      const rows = await insert(
        run,
        kind,
        scope,
        given.map((fields) => referTo(kind, fields, ids)),
      );
      made[kind.plural] = rows.length;
      if (KINDS.some((other) => Object.values(other.references ?? {}).includes(kind.kind)))
        ids[kind.kind] = await idsByDocument(run, kind, scope, given);
    }
    return made;
  });
}

/** @param {Kind} kind */
const referencesOf = ({ references = {} }) => Object.entries(references);

/**
 * @param {Run} run
 * @param {Kind} kind
 * @param {Scope} scope
 * @param {Record<string, any>[]} given
 */
async function idsByDocument(run, kind, { owner, instance }, given) {
  const names = given.map((fields) => kind.nameOf(fields));
  const rows = await run(SELECT_NAMED, [owner, instance, kind.kind, names]);
  const byName = new Map(rows.map(({ id, name }) => [name, id]));
  return new Map(given.map((fields) => [fields.id, byName.get(kind.nameOf(fields))]));
}

/**
 * @param {Kind} kind
 * @param {Record<string, any>} fields
 * @param {Record<string, Map<number, number>>} ids
 * @returns {Record<string, any>} the fields with ids of this database instead of the document's
 */
function referTo(kind, fields, ids) {
  const references = referencesOf(kind).map(([field, other]) => {
    const id = fields[field] ?? null;
    const here = id === null ? null : ids[other]?.get(id);
    if (here === undefined)
      throw new ToolError(`${kind.title} ${kind.nameOf(fields)}: the document has no ${other} ${id}`);
    return [field, here];
  });
  return { ...fields, ...Object.fromEntries(references) };
}

/**
 * @param {Run} run
 * @param {Kind} kind
 * @param {Scope} scope
 * @param {Record<string, any>} fields
 */
async function checkReferences(run, kind, { owner, instance }, fields) {
  const wanted = referencesOf(kind).filter(([field]) => fields[field]);
  if (wanted.length === 0) return;
  const rows = await run(SELECT_REFERRED, [owner, instance, wanted.map(([field]) => fields[field])]);
  for (const [field, other] of wanted) {
    if (!rows.some(({ id, kind }) => id === fields[field] && kind === other))
      throw missing(kindOf(other), fields[field]);
  }
}

/**
 * @param {Run} run
 * @param {Kind} kind
 * @param {Scope} scope
 * @param {Record<string, any>[]} all
 * @returns {Promise<any[]>} the rows that were created
 */
function insert(run, kind, { owner, instance }, all) {
  const rows = JSON.stringify(all.map((fields) => toRow(kind, fields)));
  return run(statements(kind).insert, [owner, instance, rows]);
}

/**
 * Fields with their own column are left out of the settings.
 * @param {Kind} kind
 * @param {Record<string, any>} fields
 */
function toRow(kind, fields) {
  const columns = ['enabled', 'certificate_id', 'access_list_id', kind.parts];
  const kept = [...Object.keys(kind.fields), ...Object.keys(kind.made ?? {})];
  const settings = kept
    .filter((field) => !columns.includes(field))
    .map((field) => [field, fields[field] ?? null]);
  return {
    name: kind.nameOf(fields),
    enabled: fields.enabled ?? true,
    settings: Object.fromEntries(settings),
    certificate_id: fields.certificate_id ?? null,
    access_list_id: fields.access_list_id ?? null,
    parts: kind.parts ? fields[kind.parts] : [],
  };
}

/**
 * @param {Kind} kind
 * @param {any} row
 * @returns {{id: number} & Record<string, any>}
 */
function toResource({ fields, references = {}, parts }, row) {
  const resource = { id: row.id, ...row.settings };
  if (fields.enabled) resource.enabled = row.enabled;
  for (const field of Object.keys(references)) resource[field] = row[field];
  if (parts) resource[parts] = row.parts;
  resource.created_on = row.created_at.toISOString();
  resource.modified_on = row.updated_at.toISOString();
  return resource;
}
