/**
 * Chooses what to call of what a server offers. Pure: discover.js asks the server, this file decides.
 * A server's listings are not to be trusted: names may be hostile, lists endless, schemas nonsense.
 */

import { asText } from '../contract/as-text.js';
import { ConfigError } from '../contract/config-error.js';
import { oneLine } from '../contract/one-line.js';
import { namesOf } from './names-of.js';
import { paramHeaders } from './param-headers.js';
import { generateArguments } from './schema/generate.js';

/**
 * What a server said of itself; members of lists may be anything.
 *
 * @typedef {object} Offer
 * @property {'modern' | 'legacy'} era
 * @property {Record<string, unknown>} capabilities
 * @property {any[]} tools
 * @property {any[]} resources
 * @property {any[]} templates of resources
 * @property {any[]} prompts
 *
 * @typedef {(ref: Record<string, string>, argument: {name: string, value: string}, known: Record<string, string>) => string[]} Complete
 *   asks the server for values of an argument of a prompt or a template; [] where it has none to offer
 *
 * @typedef {import('./workload-document.js').DocumentOperation} DocumentOperation
 * @typedef {{operation: string, reason: string}} LeftOut
 *
 * @typedef {object} Choice
 * @property {Record<string, DocumentOperation>} operations
 * @property {LeftOut[]} leftOut
 */

/** Every operation is a tag value and some twenty submetrics, which k6 looks through at each sample. */
const MAX_OPERATIONS = 50;
const MAX_RESOURCES = 20;
const MAX_TEMPLATES = 5;
const MAX_PROMPTS = 10;
const MAX_LEFT_OUT = 100;
const MAX_NAME = 60;
const MAX_REASON = 200;
/** Sets of arguments for one operation, used in turn. */
const VARIANTS = 8;
const PROMPT_VARIANTS = 4;
const MAX_ARGUMENTS_TEXT = 65_536;
/** Percent of the calls that go to lists and pings where there is something else to call. */
const PROTOCOL_SHARE = 5;

/**
 * @param {Offer} offer
 * @param {object} config
 * @param {string[] | null} config.TOOLS call just these
 * @param {boolean} config.ALLOW_WRITES
 * @param {number} config.SEED
 * @param {Complete} complete
 * @returns {Choice}
 * @throws {ConfigError} where TOOLS names a tool that is not there
 */
export function chooseOperations(offer, config, complete) {
  /** @type {Choice} */
  const choice = { operations: {}, leftOut: [] };
  /** @param {string} kind @param {string} name @param {Candidate} candidate */
  const take = (kind, name, candidate) => {
    const operation = uniqueName(kind, name, choice.operations);
    if ('reason' in candidate) leaveOut(choice, operation, candidate.reason);
    else choice.operations[operation] = candidate;
  };

  if (config.TOOLS) {
    const tools = namedTools(offer.tools, config.TOOLS);
    for (const tool of few('tools', tools, MAX_OPERATIONS, choice)) {
      take('', tool.name, toolOperation(tool, offer.era, config.SEED));
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
    take('', tool.name, toolOperation(tool, offer.era, config.SEED));
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
    take('prompt/', prompt.name, promptOperation(prompt, config.SEED, complete));
  }
  for (const [method, operation] of Object.entries(lists)) take('', method, operation);
  return choice;
}

/** @typedef {DocumentOperation | {reason: string}} Candidate */

/**
 * @param {any} tool
 * @param {boolean} writes
 * @returns {string | null} why a tool that no one named is not called
 */
function refusal({ annotations }, writes) {
  if (annotations?.readOnlyHint === true) return null;
  if (annotations?.destructiveHint === true) return 'destructive; called only when named in TOOLS';
  return writes ? null : 'not marked as read-only; called with ALLOW_WRITES=1 or when named in TOOLS';
}

/**
 * @param {any} tool
 * @param {'modern' | 'legacy'} era
 * @param {number} seed
 * @returns {Candidate}
 */
function toolOperation(tool, era, seed) {
  if (tool.execution?.taskSupport === 'required') return { reason: 'it can be called as a task only' };
  const marked = era === 'modern' ? paramHeaders(tool.inputSchema) : { headers: {} };
  if ('invalid' in marked) return { reason: `an invalid definition: ${marked.invalid}` };
  const made = variants(tool.inputSchema, tool.name, seed, VARIANTS);
  if ('reason' in made) return made;
  return {
    class: tool.annotations?.readOnlyHint === true ? 'read' : 'write',
    method: 'tools/call',
    params: { name: tool.name },
    arguments: made.arguments,
    ...(Object.keys(marked.headers).length > 0 && { headers: marked.headers }),
  };
}

/**
 * @param {unknown} schema
 * @param {string} name decides the arguments, too: another tool beside it does not change them
 * @param {number} seed
 * @param {number} count
 * @returns {{arguments: Record<string, unknown>[]} | {reason: string}}
 */
function variants(schema, name, seed, count) {
  let made;
  try {
    made = generateArguments(schema, { seed: (seed * 65_537 + hash(name)) % 2 ** 31, count });
  } catch (error) {
    // A schema that no one foresaw must not cost the other operations their run.
    return { reason: `its inputSchema can't be read: ${String(error)}` };
  }
  if ('impossible' in made) return { reason: `no valid arguments: ${made.impossible}` };
  const byText = new Map(made.arguments.map((args) => [JSON.stringify(args), args]));
  const longest = Math.max(...[...byText.keys()].map((each) => each.length));
  if (longest > MAX_ARGUMENTS_TEXT) return { reason: `its arguments have ${longest} characters` };
  return { arguments: /** @type {Record<string, unknown>[]} */ ([...byText.values()]) };
}

/** @param {string} text @returns {number} FNV-1a, 32 bits */
function hash(text) {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value >>> 0;
}

/**
 * @param {any} template
 * @param {Complete} complete
 * @returns {Candidate}
 */
function templateOperation({ uriTemplate }, complete) {
  const names = templateVariables(uriTemplate);
  if (!names) return { reason: 'its URI template has more than plain {names}' };
  /** @type {Record<string, string>} */
  const known = {};
  for (const name of names) {
    const value = suggest({ type: 'ref/resource', uri: uriTemplate }, name, known, complete)[0];
    if (value === undefined) return { reason: `the server completes no value for {${name}}` };
    known[name] = value;
  }
  const uri = uriTemplate.replace(PLAIN_VARIABLE, (/** @type {string} */ _, /** @type {string} */ name) =>
    encodeURIComponent(known[name] ?? ''),
  );
  return { class: 'read', method: 'resources/read', params: { uri } };
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
 * @param {Record<string, string>} known arguments that have their value already
 * @param {Complete} complete
 * @returns {string[]} what the server completes of nothing, or else of "1": some complete numbers only
 */
function suggest(ref, name, known, complete) {
  const values = complete(ref, { name, value: '' }, known);
  return values.length > 0 ? values : complete(ref, { name, value: '1' }, known);
}

/**
 * @param {any} prompt
 * @param {number} seed
 * @param {Complete} complete
 * @returns {Candidate}
 */
function promptOperation(prompt, seed, complete) {
  const { name } = prompt;
  const listed = Array.isArray(prompt.arguments) ? prompt.arguments : [];
  const required = listed
    .filter((/** @type {any} */ argument) => argument?.required === true && text(argument.name))
    .map((/** @type {any} */ argument) => argument.name);
  const operation = { class: /** @type {const} */ ('read'), method: 'prompts/get', params: { name } };
  if (required.length === 0) return operation;

  // A prompt has no schema: its arguments are texts, and only the server can say which.
  const properties = Object.fromEntries(
    required.map((/** @type {string} */ key) => [key, { type: 'string', minLength: 1, maxLength: 20 }]),
  );
  const made = variants({ type: 'object', properties, required }, name, seed, PROMPT_VARIANTS);
  if ('reason' in made) return made;
  /** @type {Map<string, Record<string, unknown>>} */
  const byText = new Map();
  made.arguments.forEach((generated, index) => {
    /** @type {Record<string, string>} */
    const args = {};
    for (const key of required) {
      const values = suggest({ type: 'ref/prompt', name }, key, args, complete);
      args[key] = values.length > 0 ? (values[index % values.length] ?? '') : asText(generated[key]);
    }
    byText.set(JSON.stringify(args), args);
  });
  return { ...operation, arguments: [...byText.values()] };
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
 * @param {string} key the member that calls it by its name
 * @param {Choice} choice gets those without a usable one
 * @returns {any[]} each name once
 */
function named(list, key, choice) {
  const seen = new Set();
  return list.filter((item) => {
    const name = text(item?.[key]);
    const usable = name !== '' && name.length <= 2000 && !seen.has(name);
    if (!usable) {
      leaveOut(choice, safeName(name), seen.has(name) ? `the ${key} is there twice` : `no usable ${key}`);
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
 * @returns {T[]} not more than that many, evenly chosen
 */
function few(what, list, most, choice) {
  if (list.length <= most) return list;
  leaveOut(
    choice,
    `${list.length - most} more ${what}`,
    `of the ${list.length}, ${most} are loaded, evenly chosen`,
  );
  return list.filter(
    (_, index) => Math.floor(((index + 1) * most) / list.length) > Math.floor((index * most) / list.length),
  );
}

/** @param {Choice} choice @param {string} operation @param {string} reason */
function leaveOut({ leftOut }, operation, reason) {
  leftOut.push({ operation, reason: oneLine(reason, MAX_REASON) });
}

/** @param {unknown} value */
const text = (value) => (typeof value === 'string' ? value : '');

/**
 * A name as a tag value and in a selector, `{operation:...}`: k6 splits that at commas, braces, colons and quotes.
 * A leading underscore goes, so that no name is `__proto__`.
 *
 * @param {string} name
 */
function safeName(name) {
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
 * @param {Record<string, unknown>} taken
 */
function uniqueName(kind, name, taken) {
  const wanted = kind + safeName(name);
  let unique = wanted;
  for (let count = 2; Object.hasOwn(taken, unique); count += 1) unique = `${wanted}-${count}`;
  return unique;
}

/**
 * @param {{era: 'modern' | 'legacy', version: string, server: {name: string, version: string} | null,
 *   capabilities?: Record<string, any>}} connection
 * @param {Choice} choice
 * @returns {import('./workload-document.js').WorkloadDocument}
 */
export function toDocument({ era, version, server, capabilities }, { operations, leftOut }) {
  const rest = leftOut.length - MAX_LEFT_OUT;
  return {
    schema: 'mcp-load-lab/workload/1',
    name: safeName(server?.name || 'server'),
    dialect: 'mcp',
    connection: {
      era,
      version,
      server: server && { name: oneLine(server.name, MAX_NAME), version: oneLine(server.version, MAX_NAME) },
      ...(capabilities?.resources?.subscribe === true && { subscribe: /** @type {const} */ (true) }),
    },
    operations,
    mixes: { default: evenMix(operations) },
    left_out: [
      ...leftOut.slice(0, MAX_LEFT_OUT),
      ...(rest > 0 ? [{ operation: `${rest} more`, reason: 'not listed here' }] : []),
    ],
  };
}

/**
 * @param {Record<string, DocumentOperation>} operations
 * @returns {Record<string, number>} all calls alike, and a small share for the protocol's own operations
 */
function evenMix(operations) {
  const names = Object.keys(operations);
  const lists = names.filter((name) => operations[name]?.class === 'protocol');
  const calls = names.filter((name) => operations[name]?.class !== 'protocol');
  const share = calls.length === 0 ? 100 : PROTOCOL_SHARE;
  return Object.fromEntries([
    ...evenWeights(calls, lists.length === 0 ? 100 : 100 - share),
    ...evenWeights(lists, share),
  ]);
}

/**
 * @param {string[]} names
 * @param {number} total
 * @returns {[string, number][]} with two decimals, so that people can read them; they add up exactly
 */
function evenWeights(names, total) {
  const upTo = (/** @type {number} */ index) => Math.round((total * 100 * index) / names.length);
  return names.map((name, index) => [name, (upTo(index + 1) - upTo(index)) / 100]);
}
