/**
 * The k6 script that finds out what a server offers: it connects, lists, chooses, tries every chosen operation once
 * and writes a workload document to WORKLOAD_FILE. It starts no load. Lines that begin with `discovery: ` are
 * progress, for cli/run/discovery.ts.
 */

import { ConfigError } from '../contract/config-error.js';
import { harmlessJson, oneLine } from '../contract/one-line.js';
import { abort, TARGET, USAGE } from './abort.js';
import { readConfig } from './config.js';
import { clientOptions, connect } from './connect.js';
import { checkCredentials } from './credentials.js';
import { chooseOperations, toDocument } from './discovery.js';
import { listAll } from './list-all.js';
import { withSecrets } from './secret-source.js';
import { TargetError } from './target-error.js';
import { dialOptions } from './target-host.js';
import { clientCertificates } from './tls.js';
import { USER_AGENT } from './user-agent.js';

const SETUP_S = 300;
/** All probes together; what was not tried until then is left out. */
const PROBES_S = 120;
/** An operation that no one named and that takes longer is not one to load by default. */
const PROBE_TIMEOUT_S = 5;
/** After this long an operation's remaining arguments are not tried: one set that works must do. */
const OPERATION_S = 2;
const PROGRESS_S = 3;
const MAX_COMPLETIONS = 20;
/** All questions for values together; after it there are none. */
const COMPLETIONS_S = 30;

/** @param {unknown} error @returns {never} */
function end(error) {
  if (error instanceof ConfigError) abort(USAGE, error.message);
  if (error instanceof TargetError) abort(TARGET, error.message);
  throw error;
}

/** In k6's init: without what its secret source holds, which only set-up can ask for. */
function begin() {
  try {
    const config = readConfig(__ENV);
    if (config.dialect && config.dialect !== 'mcp') {
      throw new ConfigError(
        `TARGET_PROTOCOL is "${config.dialect}", which does not say what it offers; valid: with WORKLOAD=path, or TOOL and ARGS`,
      );
    }
    return { config, tlsAuth: clientCertificates(config, open) };
  } catch (error) {
    return end(error);
  }
}

const { config, tlsAuth } = begin();
// TOOL without ARGS: discovery of that one tool.
const named = config.TOOLS ?? (config.TOOL ? [config.TOOL] : null);
const timeoutS = named ? config.TARGET_TIMEOUT : Math.min(config.TARGET_TIMEOUT, PROBE_TIMEOUT_S);

export const options = {
  scenarios: { discovery: { executor: 'per-vu-iterations', vus: 1, iterations: 1, exec: 'nothing' } },
  setupTimeout: `${SETUP_S}s`,
  userAgent: USER_AGENT,
  ...dialOptions(config),
  ...(tlsAuth && { tlsAuth }),
};

export function nothing() {}

export async function setup() {
  try {
    const env = await withSecrets(__ENV);
    const complete = readConfig(env);
    checkCredentials(complete);
    return discover(connect(clientOptions(complete, 'mcp'), env));
  } catch (error) {
    return end(error);
  }
}

/** @param {any} data @returns {Record<string, string>} */
export function handleSummary({ setup_data: text }) {
  return text ? { [__ENV.WORKLOAD_FILE || 'workload.json']: text } : {};
}

/**
 * @param {ReturnType<typeof connect>} connected
 * @returns {string} the document as text: k6 hands an object on with its members in any order
 */
function discover({ client, url, connection }) {
  const { capabilities } = connection;
  const era = connection.era ?? 'legacy';
  const has = (/** @type {string} */ name) => Boolean(capabilities[name]);
  /** @type {{operation: string, reason: string}[]} */
  const unreadLists = [];
  /** @param {string} capability @param {string} method @param {string} member */
  const all = (capability, method, member) => {
    if (!has(capability)) return [];
    const { found, unread } = listAll({ client, url }, method, member);
    if (unread) {
      const reason = `${unread}; what it had till then is looked at`;
      unreadLists.unshift({ operation: `the rest of ${method}`, reason });
    }
    return found;
  };
  const offer = {
    era,
    capabilities,
    tools: all('tools', 'tools/list', 'tools'),
    resources: all('resources', 'resources/list', 'resources'),
    templates: all('resources', 'resources/templates/list', 'resourceTemplates'),
    prompts: all('prompts', 'prompts/list', 'prompts'),
  };
  say(`${offer.tools.length} tools, ${offer.resources.length} resources, ${offer.prompts.length} prompts`);
  const choice = chooseOperations(
    offer,
    { ...config, TOOLS: named },
    has('completions') ? completeBy(client) : () => [],
  );
  choice.leftOut.unshift(...unreadLists);
  if (!config.DRY_RUN) probeAll(client, choice);
  client.close();
  if (Object.keys(choice.operations).length === 0) {
    const reasons = choice.leftOut.map(({ operation, reason }) => `${operation}: ${reason}`).slice(0, 5);
    throw new TargetError(`${url} offers nothing that can be called (${reasons.join('; ')})`);
  }
  return `${harmlessJson(toDocument({ ...connection, era }, choice), 2)}\n`;
}

/** @param {string} text */
function say(text) {
  console.info(`discovery: ${text}`);
}

/**
 * @param {import('k6/x/mcp').StreamableHTTPClient} client
 * @returns {import('./discovery.js').Complete}
 */
function completeBy(client) {
  /** @type {Map<string, string[]>} */
  const asked = new Map();
  let spentMs = 0;
  return (ref, argument, known) => {
    const params = { ref, argument, ...(Object.keys(known).length > 0 && { context: { arguments: known } }) };
    const key = JSON.stringify(params);
    let values = asked.get(key);
    if (!values) {
      if (spentMs > COMPLETIONS_S * 1000) return [];
      const started = Date.now();
      const found = client.complete(params).result?.completion?.values;
      values = (Array.isArray(found) ? found : [])
        .filter((value) => typeof value === 'string' && value !== '' && value.length <= 200)
        .slice(0, MAX_COMPLETIONS);
      asked.set(key, values);
      spentMs += Date.now() - started;
    }
    return values;
  };
}

/**
 * Tries every operation, with each of its arguments once. Arguments that fail go; so does an operation with none left.
 *
 * @param {import('k6/x/mcp').StreamableHTTPClient} client
 * @param {import('./discovery.js').Choice} choice is changed
 */
function probeAll(client, { operations, leftOut }) {
  const started = Date.now();
  const names = Object.keys(operations);
  say(`trying ${names.length} operations ...`);
  let saidMs = started;
  names.forEach((name, index) => {
    const operation = /** @type {import('./workload-document.js').DocumentOperation} */ (operations[name]);
    if (Date.now() - saidMs > PROGRESS_S * 1000) {
      saidMs = Date.now();
      say(`trying ${index + 1} of ${names.length}: ${name}`);
    }
    const late = Date.now() - started > PROBES_S * 1000;
    const { works, reason } = late
      ? { works: [], reason: `not tried: the ones before it took ${PROBES_S} s` }
      : probe(client, name, operation);
    if (works.length === 0) {
      delete operations[name];
      leftOut.push({ operation: name, reason: oneLine(reason, 200) });
    } else if (operation.arguments) {
      operation.arguments = works;
    }
  });
}

/**
 * @param {import('k6/x/mcp').StreamableHTTPClient} client
 * @param {string} name
 * @param {import('./workload-document.js').DocumentOperation} operation
 * @returns {{works: Record<string, unknown>[], reason: string}} the arguments that may be used ([{}] for an operation
 *   without any), and what the first failure said, '' = none
 */
function probe(client, name, { class: kind, method, params, arguments: variants, headers }) {
  const call = client.prepare(method, params, {
    tags: { operation: name, class: kind },
    timeout: timeoutS * 1000,
    ...(headers && { paramHeaders: headers }),
  });
  const started = Date.now();
  /** @type {Record<string, unknown>[]} */
  const works = [];
  let reason = '';
  for (const args of variants ?? [{}]) {
    if (Date.now() - started > OPERATION_S * 1000) {
      if (works.length === 0) break;
      // Kept untried, or a slow moment of the server would change what the next run sends.
      works.push(args);
      continue;
    }
    const { failure } = call.send(variants && args);
    if (!failure) works.push(args);
    else reason ||= whyItFailed(failure);
    if (failure?.kind === 'timeout' || failure?.kind === 'connect') break;
  }
  return { works, reason };
}

/** @param {NonNullable<import('k6/x/mcp').Answer['failure']>} failure */
function whyItFailed({ kind, detail }) {
  if (kind === 'timeout') return `no answer within ${timeoutS} s`;
  return kind === 'tool' ? `it failed: ${detail}` : `it failed (${kind}): ${detail}`;
}
