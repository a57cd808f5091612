/** Where the `$ref`s of a schema lead, within the schema: nothing is ever fetched. */
import { isObject, isSchema } from './json.js';
import { Impossible, LIMITS, LimitReached, quote } from './limits.js';

/** Keywords whose values are data, in which `$id` and `$anchor` mean nothing. */
const DATA = new Set(['const', 'default', 'enum', 'example', 'examples']);

/**
 * @typedef {import('./json.js').JsonObject} JsonObject
 *
 * @typedef {object} Resource a schema with an address of its own, embedded or the whole
 * @property {string} uri
 * @property {JsonObject | boolean} root
 * @property {Map<string, JsonObject>} anchors
 */

export class References {
  /**
   * @param {JsonObject | boolean} schema
   * @throws {LimitReached} where it is too large or too deep to work with
   */
  constructor(schema) {
    /** @type {Resource} */
    this.whole = { uri: '', root: schema, anchors: new Map() };
    /** @type {Map<string, Resource>} */
    this.resources = new Map();
    /** The resource that each schema of the document belongs to. @type {Map<object, Resource>} */
    this.resourceOf = new Map();
    /** Is it needed to keep account of what was evaluated? */
    this.unevaluated = false;
    this.read(schema);
  }

  /** @param {JsonObject | boolean} schema */
  read(schema) {
    let parts = 0;
    /** @type {{value: any, resource: Resource, depth: number, data: boolean}[]} */
    const rest = [{ value: schema, resource: this.whole, depth: 0, data: false }];
    for (let next = rest.pop(); next; next = rest.pop()) {
      const { value, depth } = next;
      let { resource } = next;
      if (typeof value !== 'object' || value === null) continue;
      if (depth > LIMITS.schemaDepth) {
        throw new LimitReached(`the schema is nested deeper than ${LIMITS.schemaDepth} levels`);
      }
      if (!next.data && isObject(value)) resource = this.register(value, resource);
      for (const [name, member] of Object.entries(value)) {
        parts += 1;
        if (parts > LIMITS.schemaParts) {
          throw new LimitReached(`the schema has more than ${LIMITS.schemaParts} parts`);
        }
        // A property may be called "default": then it holds a schema, and reading that one as data only means
        // that an anchor inside is not found.
        rest.push({ value: member, resource, depth: depth + 1, data: next.data || DATA.has(name) });
      }
    }
  }

  /**
   * @param {JsonObject} schema
   * @param {Resource} outer
   * @returns {Resource} the one that it and its members belong to
   */
  register(schema, outer) {
    let resource = outer;
    const { $id, $anchor, $dynamicAnchor } = schema;
    if (typeof $id === 'string') {
      const [uri = '', anchor = ''] = $id.split('#');
      if (uri !== '') {
        if (schema !== outer.root) resource = { uri: '', root: schema, anchors: new Map() };
        resource.uri = resolveUri(outer.uri, uri);
        this.resources.set(resource.uri, resource);
      }
      // Draft-07 writes an anchor as an $id.
      if (anchor !== '') resource.anchors.set(anchor, schema);
    }
    if (typeof $anchor === 'string') resource.anchors.set($anchor, schema);
    if (typeof $dynamicAnchor === 'string') resource.anchors.set($dynamicAnchor, schema);
    if ('unevaluatedProperties' in schema || 'unevaluatedItems' in schema) this.unevaluated = true;
    this.resourceOf.set(schema, resource);
    return resource;
  }

  /**
   * @param {string} reference
   * @param {JsonObject} schema that holds it
   * @returns {JsonObject | boolean}
   * @throws {Impossible} where it leads out of the document, or nowhere
   */
  resolve(reference, schema) {
    const from = this.resourceOf.get(schema) ?? this.whole;
    const at = reference.indexOf('#');
    const uri = at < 0 ? reference : reference.slice(0, at);
    const fragment = at < 0 ? '' : reference.slice(at + 1);
    const resource = uri === '' ? from : this.resources.get(resolveUri(from.uri, uri));
    if (!resource) throw new Impossible(`$ref to ${quote(reference)} is not local`);
    const target =
      fragment === '' || fragment.startsWith('/')
        ? follow(resource.root, fragment)
        : resource.anchors.get(fragment);
    if (!isSchema(target)) throw new Impossible(`$ref to ${quote(reference)} leads to no schema`);
    return target;
  }
}

/**
 * @param {any} root
 * @param {string} pointer a JSON pointer as it is written in a URI's fragment
 * @returns {unknown} undefined where there is nothing
 */
function follow(root, pointer) {
  let decoded;
  try {
    decoded = decodeURIComponent(pointer);
  } catch {
    return undefined;
  }
  let value = root;
  for (const token of decoded.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/**
 * @param {string} base
 * @param {string} uri
 * @returns {string} enough of RFC 3986 for addresses inside one document
 */
function resolveUri(base, uri) {
  if (/^[a-z][a-z0-9+.-]*:/i.test(uri)) return uri;
  const [, origin = '', path = ''] = /^([a-z][a-z0-9+.-]*:(?:\/\/[^/]*)?)?(.*)$/i.exec(base) ?? [];
  if (uri.startsWith('/')) return origin + uri;
  return origin + path.slice(0, path.lastIndexOf('/') + 1) + uri.replace(/^\.\//, '');
}
