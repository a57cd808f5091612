/**
 * `x-mcp-header`: tool parameters that a modern client repeats as `Mcp-Param-*` headers, so that a proxy can route
 * a call without reading its body. Here is what a tool's schema says of them; the values are made by
 * `paramHeaderValues`.
 */

/** RFC 9110's `token`: what a header's name may consist of. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES = ['string', 'integer', 'boolean'];

/** Keywords that hold schemas which no chain of `properties` leads to: an annotation there makes a tool invalid. */
const ONE_SCHEMA = [
  'items',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
];
const LIST_OF_SCHEMAS = ['prefixItems', 'oneOf', 'anyOf', 'allOf', 'items'];
const MAP_OF_SCHEMAS = ['patternProperties', 'dependentSchemas', '$defs', 'definitions'];

/**
 * @param {unknown} inputSchema of a tool
 * @returns {{headers: Record<string, string>} | {invalid: string}} headers: what follows `Mcp-Param-` -> JSON pointer
 *   of the argument; invalid: why a client must leave the tool out
 */
export function paramHeaders(inputSchema) {
  /** @type {Record<string, string>} */
  const headers = {};
  const taken = new Set();
  // Not recursive: how deep a schema nests is the server's choice.
  /** @type {{schema: any, pointer: string | null}[]} pointer: null where no chain of `properties` leads */
  const rest = [{ schema: inputSchema, pointer: '' }];
  for (let next = rest.pop(); next; next = rest.pop()) {
    const { schema, pointer } = next;
    if (typeof schema !== 'object' || schema === null) continue;
    const name = schema['x-mcp-header'];
    if (name !== undefined) {
      const fault = faultOf(name, schema.type, pointer, taken);
      if (fault) return { invalid: `${pointer || 'the schema'}: x-mcp-header ${fault}` };
      taken.add(name.toLowerCase());
      headers[name] = /** @type {string} */ (pointer);
    }
    for (const [key, child] of entries(schema.properties)) {
      const step = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      rest.push({ schema: child, pointer: pointer === null ? null : pointer + step });
    }
    for (const keyword of ONE_SCHEMA) rest.push({ schema: schema[keyword], pointer: null });
    for (const keyword of LIST_OF_SCHEMAS) {
      if (!Array.isArray(schema[keyword])) continue;
      for (const child of schema[keyword]) rest.push({ schema: child, pointer: null });
    }
    for (const keyword of MAP_OF_SCHEMAS) {
      for (const [, child] of entries(schema[keyword])) rest.push({ schema: child, pointer: null });
    }
  }
  return { headers };
}

/** @param {any} map */
const entries = (map) => (typeof map === 'object' && map !== null ? Object.entries(map) : []);

/**
 * @param {unknown} name
 * @param {unknown} type
 * @param {string | null} pointer
 * @param {Set<string>} taken names in lower case
 * @returns {string | null} what is wrong with one annotation
 */
function faultOf(name, type, pointer, taken) {
  if (pointer === null || pointer === '') return 'is not on a property that only `properties` lead to';
  if (typeof name !== 'string' || !TOKEN.test(name)) return 'is not a valid header name';
  if (typeof type !== 'string' || !TYPES.includes(type)) return `is on a type other than ${TYPES.join(', ')}`;
  if (taken.has(name.toLowerCase())) return `"${name}" is there twice`;
  return null;
}
