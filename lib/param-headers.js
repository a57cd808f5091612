/**
 * `x-mcp-header`: tool parameters that a modern client repeats as `Mcp-Param-*` headers, so that a proxy can route
 * a call without reading its body. Here is what a tool's schema says of them; the values are made by
 * `paramHeaderValues`.
 */

/** RFC 9110's `token`: what a header's name may consist of. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES = ['string', 'integer', 'boolean'];

/** Of one tool. Each header is looked up in every call's arguments, and is sent with it. */
const MAX_HEADERS = 50;
/** Steps of `properties` to an annotation. */
const MAX_DEPTH = 32;
/** Characters of a pointer. */
const MAX_POINTER = 1000;
/** Characters of a pointer in a message. */
const MAX_SHOWN = 100;

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
 * Where a schema is. Its pointer is made for an annotation alone: one for each schema of a deep chain takes time and memory in the
 * square of the chain's length.
 *
 * @typedef {object} Place
 * @property {Place} [parent] undefined at the root
 * @property {string} key of the parent's `properties`
 * @property {number} depth steps from the root; Infinity: a step on the way is none of `properties`
 */

/**
 * @param {unknown} inputSchema of a tool
 * @returns {{headers: Record<string, string>} | {invalid: string}} headers: what follows `Mcp-Param-` -> JSON pointer
 *   of the argument; invalid: why a client must leave the tool out
 */
export function paramHeaders(inputSchema) {
  /** @type {Record<string, string>} */
  const headers = {};
  const taken = new Set();
  /** @type {Place} */
  const root = { key: '', depth: 0 };
  const elsewhere = { key: '', depth: Number.POSITIVE_INFINITY };
  // Not recursive: how deep a schema nests is the server's choice.
  /** @type {{schema: any, place: Place}[]} */
  const rest = [{ schema: inputSchema, place: root }];
  for (let next = rest.pop(); next; next = rest.pop()) {
    const { schema, place } = next;
    if (typeof schema !== 'object' || schema === null) continue;
    const name = schema['x-mcp-header'];
    if (name !== undefined) {
      const pointer = pointerTo(place);
      const fault = faultOf(name, schema.type, place, pointer, taken);
      if (fault) {
        return { invalid: `${pointer.slice(0, MAX_SHOWN) || 'the schema'}: x-mcp-header ${fault}` };
      }
      taken.add(name.toLowerCase());
      headers[name] = pointer;
    }
    for (const [key, child] of entries(schema.properties)) {
      rest.push({ schema: child, place: { parent: place, key, depth: place.depth + 1 } });
    }
    for (const keyword of ONE_SCHEMA) rest.push({ schema: schema[keyword], place: elsewhere });
    for (const keyword of LIST_OF_SCHEMAS) {
      if (!Array.isArray(schema[keyword])) continue;
      for (const child of schema[keyword]) rest.push({ schema: child, place: elsewhere });
    }
    for (const keyword of MAP_OF_SCHEMAS) {
      for (const [, child] of entries(schema[keyword])) rest.push({ schema: child, place: elsewhere });
    }
  }
  return { headers };
}

/** @param {Place} place @returns {string} its JSON pointer; '' if it has none, or is deeper than MAX_DEPTH */
function pointerTo(place) {
  if (place.depth > MAX_DEPTH) return '';
  const steps = [];
  for (let at = place; at.parent; at = at.parent) {
    steps.push(`/${at.key.slice(0, MAX_POINTER).replaceAll('~', '~0').replaceAll('/', '~1')}`);
  }
  return steps.reverse().join('');
}

/** @param {any} map */
const entries = (map) => (typeof map === 'object' && map !== null ? Object.entries(map) : []);

/**
 * @param {unknown} name
 * @param {unknown} type
 * @param {Place} place
 * @param {string} pointer
 * @param {Set<string>} taken names in lower case
 * @returns {string | null} what is wrong with one annotation
 */
function faultOf(name, type, { depth }, pointer, taken) {
  if (depth === 0 || depth === Number.POSITIVE_INFINITY) {
    return 'is not on a property that only `properties` lead to';
  }
  if (depth > MAX_DEPTH) return `is deeper than ${MAX_DEPTH} properties`;
  if (pointer.length > MAX_POINTER) return `is at a pointer of more than ${MAX_POINTER} characters`;
  if (taken.size >= MAX_HEADERS) return `is there more than ${MAX_HEADERS} times`;
  if (typeof name !== 'string' || !TOKEN.test(name)) return 'is not a valid header name';
  if (typeof type !== 'string' || !TYPES.includes(type)) return `is on a type other than ${TYPES.join(', ')}`;
  if (taken.has(name.toLowerCase())) return `"${name}" is there twice`;
  return null;
}
