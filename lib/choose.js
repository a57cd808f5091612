/**
 * Chooses the operations to load from a server's listings. This file has pure functions; offer.js queries the
 * server. The listings are untrusted: names may be hostile, lists endless and schemas invalid.
 */
import { asText } from '../contract/as-text.js';
import { ConfigError } from '../contract/config-error.js';
import { harmlessJson, oneLine } from '../contract/one-line.js';
import { namesOf } from './names-of.js';
import { paramHeaders } from './param-headers.js';
import { HOLDS_SECRET, withoutSecrets } from './without-secrets.js';

/**
 * A server's capabilities and listings. Items of the lists may be of any type.
 *
 * @typedef {object} Offer
 * @property {'modern' | 'legacy'} era
 * @property {Record<string, unknown>} capabilities
 * @property {any[]} tools
 * @property {any[]} resources
 * @property {any[]} templates resource templates
 * @property {any[]} prompts
 *
 * @typedef {(ref: Record<string, string>, argument: {name: string, value: string}, known: Record<string,
 *   string>) => string[]} Complete asks the server for completions of an argument of a prompt or a template;
 *   [] if it has none
 *
 * @typedef {import('./workload.js').DocumentOperation} DocumentOperation
 * @typedef {import('./workload.js').LeftOut} LeftOut
 *
 * @typedef {object} Wanted arguments to generate
 * @property {unknown} schema JSON Schema of the arguments
 * @property {number} count number of argument sets
 * @property {Record<string, string>[]} [known] arguments that the server completed, for each set in turn
 *
 * @typedef {object} Choice
 * @property {Record<string, DocumentOperation>} operations
 * @property {Record<string, Wanted>} wanted by operation
 * @property {LeftOut[]} leftOut
 */

/** Each operation adds a tag value and some twenty submetrics, which k6 goes through for each sample. */
const MAX_OPERATIONS = 50;
const MAX_RESOURCES = 20;
const MAX_TEMPLATES = 5;
const MAX_PROMPTS = 10;
export const MAX_NAME = 60;
const MAX_REASON = 200;
/** Maximum length of a line of a workload file that people have to edit. */
const MAX_LINE = 4000;
/** Argument sets for one operation, used in turn. */
const VARIANTS = 8;
const PROMPT_VARIANTS = 4;
/** In characters of JSON. */
const MAX_SCHEMA = 2 ** 20;

/**
 * @param {Offer} offered
 * @param {object} config
 * @param {string[] | null} config.TOOLS call only these
 * @param {boolean} config.ALLOW_WRITES
 * @param {Complete} complete
 * @param {import('./without-secrets.js').HoldsSecret} holdsSecret whether a text contains a secret that the
 *   run sends
 * @returns {Choice}
 * @throws {ConfigError} if TOOLS names a tool that the server does not have
 */
export function chooseOperations(offered, config, complete, holdsSecret) {
  const { offer, leftOut } = withoutSecrets(offered, holdsSecret);
  /** @type {Choice} */
  const choice = { operations: {}, wanted: {}, leftOut };
  /** @param {string} kind @param {string} name @param {Candidate} candidate */
  const take = (kind, name, candidate) => {
    const operation = uniqueName(kind, name, choice.operations);
    if (holdsSecret(JSON.stringify(candidate))) {
      return leaveOut(choice, operation, `its definition ${HOLDS_SECRET}`);
    }
    if ('reason' in candidate) return leaveOut(choice, operation, candidate.reason, candidate.edit);
    const { wanted, ...rest } = candidate;
    choice.operations[operation] = rest;
    if (wanted) choice.wanted[operation] = wanted;
  };

  if (config.TOOLS) {
    const tools = namedTools(offer.tools, config.TOOLS);
    for (const tool of few('tools', tools, MAX_OPERATIONS, choice)) {
      take('', tool.name, toolOperation(tool, offer.era, holdsSecret));
    }
    return choice;
  }

  const lists = protocolOperations(offer);
  const resources = few('resources', named(offer.resources, 'uri', choice), MAX_RESOURCES, choice);
  const templates = few('templates', named(offer.templates, 'uriTemplate', choice), MAX_TEMPLATES, choice);
  const prompts = few('prompts', named(offer.prompts, 'name', choice), MAX_PROMPTS, choice);
  const others = Object.keys(lists).length + resources.length + templates.length + prompts.length;
  const allowed = [];
  for (const tool of named(offer.tools, 'name', choice)) {
    const reason = refusal(tool, config.ALLOW_WRITES);
    if (reason) leaveOut(choice, uniqueName('', tool.name, choice.operations), reason);
    else allowed.push(tool);
  }
  for (const tool of few('tools', allowed, MAX_OPERATIONS - others, choice)) {
    take('', tool.name, toolOperation(tool, offer.era, holdsSecret));
  }
  for (const resource of resources) {
    const params = { uri: resource.uri };
    take('resource/', text(resource.name) || resource.uri, {
      class: 'read',
      method: 'resources/read',
      params,
    });
  }
  for (const template of templates) {
    take('template/', text(template.name) || template.uriTemplate, templateOperation(template, complete));
  }
  for (const prompt of prompts) {
    take('prompt/', prompt.name, promptOperation(prompt, complete));
  }
  for (const [method, operation] of Object.entries(lists)) take('', method, operation);
  return choice;
}

/**
 * @typedef {(DocumentOperation & {wanted?: Wanted}) | {reason: string, edit?: DocumentOperation}} Candidate
 *   edit: the operation that a person can complete
 */

/**
 * @param {any} tool
 * @param {boolean} writes
 * @returns {string | null} why a tool that TOOLS does not name is not called; null = it is called
 */
function refusal({ annotations }, writes) {
  if (annotations?.readOnlyHint === true) return null;
  if (annotations?.destructiveHint === true) return 'destructive; called only when named in TOOLS';
  return writes ? null : 'not marked as read-only; called with ALLOW_WRITES=1 or when named in TOOLS';
}

/**
 * @param {any} tool
 * @param {'modern' | 'legacy'} era
 * @param {import('./without-secrets.js').HoldsSecret} holdsSecret
 * @returns {Candidate}
 */
function toolOperation({ name, inputSchema: schema, annotations, execution }, era, holdsSecret) {
  if (execution?.taskSupport === 'required') return { reason: 'it can only be called as a task' };
  const definition = JSON.stringify(schema) ?? '';
  const size = definition.length;
  if (size > MAX_SCHEMA)
    return { reason: `its inputSchema has ${size} characters; at most ${MAX_SCHEMA} are read` };
  const marked = era === 'modern' ? paramHeaders(schema) : { headers: {} };
  if ('invalid' in marked) {
    // The reason quotes parts of names.
    if (holdsSecret(definition)) return { reason: `its definition ${HOLDS_SECRET}` };
    return { reason: `an invalid definition: ${marked.invalid}` };
  }
  return {
    class: annotations?.readOnlyHint === true ? 'read' : 'write',
    method: 'tools/call',
    params: { name },
    ...(Object.keys(marked.headers).length > 0 && { headers: marked.headers }),
    wanted: { schema, count: VARIANTS },
  };
}

/**
 * @param {any} template
 * @param {Complete} complete
 * @returns {Candidate}
 */
function templateOperation({ uriTemplate }, complete) {
  /** @param {string} uri @returns {DocumentOperation} */
  const read = (uri) => ({ class: 'read', method: 'resources/read', params: { uri } });
  const edit = read(uriTemplate);
  const names = templateVariables(uriTemplate);
  if (!names) return { reason: 'its URI template uses more than plain {names}', edit };
  /** @type {Record<string, string>} */
  const known = {};
  for (const name of names) {
    const value = suggest({ type: 'ref/resource', uri: uriTemplate }, name, known, complete)[0];
    if (value === undefined) return { reason: `the server offers no completion for {${name}}`, edit };
    known[name] = value;
  }
  return read(
    uriTemplate.replace(PLAIN_VARIABLE, (/** @type {string} */ _, /** @type {string} */ name) =>
      encodeURIComponent(known[name] ?? ''),
    ),
  );
}

const PLAIN_VARIABLE = /\{(\w+)\}/g;

/** @param {string} uriTemplate @returns {string[] | null} null: it has expressions other than `{name}` */
function templateVariables(uriTemplate) {
  if (/[{}]/.test(uriTemplate.replace(PLAIN_VARIABLE, ''))) return null;
  return [...new Set([...uriTemplate.matchAll(PLAIN_VARIABLE)].map(([, name = '']) => name))];
}

/**
 * @param {Record<string, string>} ref
 * @param {string} name
 * @param {Record<string, string>} known values of the other arguments so far
 * @param {Complete} complete
 * @returns {string[]} completions of an empty value, or else of "1": some servers complete numbers only
 */
function suggest(ref, name, known, complete) {
  const values = complete(ref, { name, value: '' }, known);
  return values.length > 0 ? values : complete(ref, { name, value: '1' }, known);
}

/**
 * @param {any} prompt
 * @param {Complete} complete
 * @returns {Candidate}
 */
function promptOperation(prompt, complete) {
  const { name } = prompt;
  const listed = Array.isArray(prompt.arguments) ? prompt.arguments : [];
  const required = listed
    .filter((/** @type {any} */ argument) => argument?.required === true && text(argument.name))
    .map((/** @type {any} */ argument) => argument.name);
  const operation = { class: /** @type {const} */ ('read'), method: 'prompts/get', params: { name } };
  if (required.length === 0) return operation;

  // A prompt has no schema: its arguments are strings, and only the server knows their valid values.
  const properties = Object.fromEntries(
    required.map((/** @type {string} */ key) => [key, { type: 'string', minLength: 1, maxLength: 20 }]),
  );
  const known = Array.from({ length: PROMPT_VARIANTS }, (_, index) => {
    /** @type {Record<string, string>} */
    const args = {};
    for (const key of required) {
      const values = suggest({ type: 'ref/prompt', name }, key, args, complete);
      if (values.length > 0) args[key] = values[index % values.length] ?? '';
    }
    return args;
  });
  const schema = { type: 'object', properties, required };
  return { ...operation, wanted: { schema, count: PROMPT_VARIANTS, known } };
}

/** @param {Offer} offer @returns {Record<string, DocumentOperation>} always safe to call */
function protocolOperations({ era, capabilities }) {
  const methods = [
    ...['tools', 'resources', 'prompts'].filter((name) => capabilities[name]).map((name) => `${name}/list`),
    era === 'modern' ? 'server/discover' : 'ping',
  ];
  return Object.fromEntries(methods.map((method) => [method, { class: 'protocol', method, params: {} }]));
}

/**
 * @param {any[]} tools
 * @param {string[]} names
 * @returns {any[]} in the order of the names
 */
function namedTools(tools, names) {
  return names.map((name) => {
    const found = tools.find((tool) => tool?.name === name);
    if (found) return found;
    const valid = namesOf(tools.map((tool) => asText(tool?.name)));
    throw new ConfigError(`the target has no tool "${namesOf([name])}"; it has: ${valid || 'none'}`);
  });
}

/**
 * @param {any[]} list
 * @param {string} key the member that identifies an item
 * @param {Choice} choice receives the items without a usable key
 * @returns {any[]} items with a usable key, without duplicates
 */
function named(list, key, choice) {
  const seen = new Set();
  return list.filter((item) => {
    const name = text(item?.[key]);
    const usable = name !== '' && name.length <= 2000 && !seen.has(name);
    if (!usable) {
      leaveOut(choice, safeName(name), seen.has(name) ? `duplicate ${key}` : `no usable ${key}`);
    }
    seen.add(name);
    return usable;
  });
}

/**
 * @template T
 * @param {string} what
 * @param {T[]} list
 * @param {number} most
 * @param {Choice} choice
 * @returns {T[]} at most that many items, evenly chosen
 */
function few(what, list, most, choice) {
  if (list.length <= most) return list;
  leaveOut(
    choice,
    `${list.length - most} more ${what}`,
    `${most} of ${list.length} are loaded, evenly spaced`,
  );
  return list.filter(
    (_, index) => Math.floor(((index + 1) * most) / list.length) > Math.floor((index * most) / list.length),
  );
}

/**
 * @param {Choice} choice
 * @param {string} operation
 * @param {string} reason
 * @param {DocumentOperation} [edit]
 */
function leaveOut({ leftOut }, operation, reason, edit) {
  leftOut.push({
    operation,
    reason: oneLine(reason, MAX_REASON),
    ...(edit && { add: lineToAdd(operation, edit) }),
  });
}

/**
 * @param {string} name
 * @param {DocumentOperation} operation to complete by hand
 * @returns {string} a member of the operations of a workload file
 */
export function lineToAdd(name, operation) {
  const asLine = (/** @type {DocumentOperation} */ one) => harmlessJson({ [name]: one }).slice(1, -1);
  const line = asLine(operation);
  return line.length <= MAX_LINE ? line : asLine({ ...operation, arguments: [{}] });
}

/** @param {unknown} value */
const text = (value) => (typeof value === 'string' ? value : '');

/**
 * Makes a name safe as a tag value and in a selector, `{operation:...}`: k6 splits selectors at commas,
 * braces, colons and quotes. Leading underscores are removed, so that no name is `__proto__`.
 *
 * @param {string} name
 */
export function safeName(name) {
  return (
    name
      .slice(0, 4 * MAX_NAME)
      .replace(/[^\w./-]+/g, '_')
      .replace(/^_+/, '')
      .slice(0, MAX_NAME) || 'unnamed'
  );
}

/**
 * @param {string} kind
 * @param {string} name
 * @param {Record<string, unknown>} existing
 */
function uniqueName(kind, name, existing) {
  const wanted = kind + safeName(name);
  let unique = wanted;
  for (let count = 2; Object.hasOwn(existing, unique); count += 1) unique = `${wanted}-${count}`;
  return unique;
}
