/**
 * `x-mcp-header`: tool parameters that a modern client repeats as `Mcp-Param-*` headers, so that a proxy can
 * route a call without reading its body. This file reads the annotations of a tool's schema;
 * `paramHeaderValues` makes the values.
 */

/** RFC 9110, `token`: valid header names. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES = ['string', 'integer', 'boolean'];

/** Headers per tool: each one costs a lookup in the arguments of every call, and is sent with it. */
const MAX_HEADERS = 50;
/** Maximum number of `properties` steps to an annotation. */
const MAX_DEPTH = 32;
/** Maximum length of a pointer, in characters. */
const MAX_POINTER = 1000;
/** Maximum length of a pointer in a message, in characters. */
const MAX_SHOWN = 100;

/**
 * Keywords whose schemas are not reachable by `properties` alone: an annotation there makes a tool invalid.
 */
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
 * The position of a schema. Pointers are made for annotations only: making one for each schema of a deep
 * chain would take quadratic time and memory.
 *
 * @typedef {object} Place
 * @property {Place} [parent] undefined at the root
 * @property {string} key the key in the parent's `properties`
 * @property {number} depth steps from the root; Infinity: not all steps are `properties`
 */

/**
 * @param {unknown} inputSchema a tool's input schema
 * @returns {{headers: Record<string, string>} | {invalid: string}} headers: what follows `Mcp-Param-` -> JSON
 *   pointer of the argument; invalid: why a client must ignore the tool
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

/** @param {Place} place @returns {string} its JSON pointer; '' if it has none or is deeper than MAX_DEPTH */
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
 * @param {Set<string>} taken names already used, in lower case
 * @returns {string | null} the fault of the annotation; null = it is valid
 */
function faultOf(name, type, { depth }, pointer, taken) {
  if (depth === 0 || depth === Number.POSITIVE_INFINITY) {
    return 'is not on a property reachable through `properties` alone';
  }
  if (depth > MAX_DEPTH) return `is deeper than ${MAX_DEPTH} properties`;
  if (pointer.length > MAX_POINTER) return `is at a pointer of more than ${MAX_POINTER} characters`;
  if (taken.size >= MAX_HEADERS) return `is used more than ${MAX_HEADERS} times`;
  if (typeof name !== 'string' || !TOKEN.test(name)) return 'is not a valid header name';
  if (typeof type !== 'string' || !TYPES.includes(type)) return `is on a type other than ${TYPES.join(', ')}`;
  if (taken.has(name.toLowerCase())) return `"${name}" is used twice`;
  return null;
}
