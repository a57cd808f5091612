/** The statements of one kind of resource. Each accesses the rows of one owner only. */

/**
 * @typedef {import('../database.js').Statement} Statement
 * @typedef {Record<'list' | 'get' | 'lock' | 'insert' | 'update', Statement>} KindStatements
 */

const COLUMNS = 'r.id, r.enabled, r.settings, r.certificate_id, r.access_list_id, r.created_at, r.updated_at';

/**
 * SQL for the parts of each resource of the outer query, as a JSON array.
 * @param {boolean} hasParts without parts, the result is empty and no table is joined
 */
const withParts = (hasParts) =>
  hasParts
    ? `, coalesce((SELECT jsonb_agg(p.settings ORDER BY p.id) FROM npm_parts p WHERE p.resource_id = r.id), '[]') AS parts`
    : '';

/**
 * @param {import('./kinds.js').Kind} kind
 * @returns {KindStatements}
 */
export function statementsOf({ kind, plural, parts }) {
  const selected = `SELECT ${COLUMNS}${withParts(parts !== undefined)} FROM npm_resources r`;
  const one = `WHERE r.owner = $1 AND r.instance = $2 AND r.kind = '${kind}' AND r.id = $3`;
  return {
    list: {
      name: `list_${plural}`,
      type: 'select',
      // NULL means no limit. With the index on owner, instance, kind and id, the cost is proportional to offset +
      // limit.
      text: `${selected} WHERE r.owner = $1 AND r.instance = $2 AND r.kind = '${kind}' ORDER BY r.id LIMIT $3 OFFSET $4`,
    },
    get: { name: `get_${kind}`, type: 'select', text: `${selected} ${one}` },
    lock: { name: `lock_${kind}`, type: 'select', text: `${selected} ${one} FOR UPDATE OF r` },
    insert: {
      name: `insert_${plural}`,
      type: 'insert',
      // An existing name is left unchanged and not returned.
      text: `
        WITH given AS (
          SELECT * FROM jsonb_to_recordset($3::jsonb) AS
            g(name text, enabled boolean, settings jsonb, certificate_id int, access_list_id int, parts jsonb)
        ), r AS (
          INSERT INTO npm_resources (owner, instance, kind, name, enabled, settings, certificate_id, access_list_id)
          SELECT $1, $2, '${kind}', name, enabled, settings, certificate_id, access_list_id FROM given
          ON CONFLICT (owner, instance, kind, name) DO NOTHING
          RETURNING *
        ), made AS (
          INSERT INTO npm_parts (resource_id, settings)
          SELECT r.id, part FROM r JOIN given USING (name), jsonb_array_elements(given.parts) AS part
        )
        SELECT ${COLUMNS}, r.name, given.parts FROM r JOIN given USING (name) ORDER BY r.id`,
    },
    update: {
      name: `update_${kind}`,
      type: 'update',
      text: `
        UPDATE npm_resources r
           SET name = $4, enabled = $5, settings = $6, certificate_id = $7, access_list_id = $8, updated_at = now()
         ${one}
        RETURNING ${COLUMNS}`,
    },
  };
}

/** @type {Statement} Arguments: resource, new parts. */
export const INSERT_PARTS = {
  name: 'insert_parts',
  type: 'insert',
  text: 'INSERT INTO npm_parts (resource_id, settings) SELECT $1, part FROM jsonb_array_elements($2::jsonb) AS part',
};

/** @type {Statement} */
export const DELETE_PARTS = {
  name: 'delete_parts',
  type: 'delete',
  text: 'DELETE FROM npm_parts WHERE resource_id = $1',
};

/** @type {Statement} Ids by name, of the kinds that others reference: certificates and access lists. */
export const SELECT_NAMED = {
  name: 'select_named',
  type: 'select',
  text: `
    SELECT id, name FROM npm_resources
     WHERE owner = $1 AND instance = $2 AND kind = $3 AND name = ANY($4::text[])`,
};

/** @type {Statement} Finds a referenced resource. */
export const SELECT_REFERRED = {
  name: 'select_referred',
  type: 'select',
  text: `
    SELECT id, kind FROM npm_resources
     WHERE owner = $1 AND instance = $2 AND id = ANY($3::int[])
       FOR KEY SHARE`,
};

/** @type {Statement} NULL as instance, kind or ids matches all. */
export const SELECT_IDS = {
  name: 'select_ids',
  type: 'select',
  text: `
    SELECT id FROM npm_resources
     WHERE owner = $1 AND ($2::text IS NULL OR instance = $2) AND ($3::text IS NULL OR kind = $3)
       AND ($4::int[] IS NULL OR id = ANY($4))
     ORDER BY id`,
};

/** @type {Statement} */
export const SELECT_DOMAINS = {
  name: 'select_domains',
  type: 'select',
  text: `
    SELECT id, settings -> 'domain_names' AS domain_names FROM npm_resources
     WHERE owner = $1 AND instance = $2 AND kind = 'certificate' AND id = ANY($3::int[])
     ORDER BY id`,
};

/** @type {Statement} */
export const RENEW = {
  name: 'renew_certificates',
  type: 'update',
  text: `
    UPDATE npm_resources
       SET settings = settings || jsonb_build_object('expires_on', $3::text), updated_at = now()
     WHERE owner = $1 AND id = $2 AND kind = 'certificate'
    RETURNING id`,
};

/** @type {Statement} */
export const TOGGLE = {
  name: 'toggle_proxy_hosts',
  type: 'update',
  text: `
    UPDATE npm_resources
       SET enabled = $4, updated_at = now()
     WHERE owner = $1 AND instance = $2 AND kind = 'proxy_host' AND id = ANY($3::int[])
    RETURNING id`,
};

/** @type {Statement} Also counts the parts, which the foreign key deletes. */
export const DELETE = {
  name: 'delete_resources',
  type: 'delete',
  text: `
    WITH gone AS (DELETE FROM npm_resources WHERE owner = $1 AND id = ANY($2::int[]) RETURNING id)
    SELECT (SELECT count(*)::int FROM gone) AS deleted,
           (SELECT count(*)::int FROM npm_parts WHERE resource_id IN (SELECT id FROM gone)) AS cascaded`,
};

/** @type {Statement} Deletes rows older than any run that could use them. Argument: age in seconds. */
export const DELETE_OLD = {
  name: 'delete_old_resources',
  type: 'delete',
  text: 'DELETE FROM npm_resources WHERE created_at < now() - make_interval(secs => $1)',
};
