/**
 * The module k6/x/mcp against a real server: each method, for everything that the server lists. It prints the version, the number of items in
 * each list, the number of successes of each method, and what
 * became of a stream that it held. ARGUMENTS: of each tool; without them it prints the tools.
 */
import { check } from 'k6';
import mcp from 'k6/x/mcp';

export const options = { iterations: 1, thresholds: { checks: ['rate==1.0'] } };

const { URL = '', TOKEN = '', VERSION = 'auto', ARGUMENTS = '' } = __ENV;
const argumentsOf = ARGUMENTS && JSON.parse(ARGUMENTS);
const VARIABLE = /\{(\w+)\}/g;

const client = new mcp.StreamableHTTPClient({
  base_url: URL,
  token: TOKEN,
  protocolVersion: /** @type {'auto'} */ (VERSION),
});

/** Items by list. @type {Record<string, number>} */
const listed = {};
/** Successes by method. @type {Record<string, number>} */
const counts = {};
/** Tools that can be called as a task only. @type {string[]} */
const tasks = [];
/** What tools say of their arguments; for the protocol such an answer is a success. @type {Record<string, string>} */
const toolErrors = {};

/**
 * @param {string} method
 * @param {string} name of what is called
 * @param {import('k6/x/mcp').Answer} answer
 * @returns {any} its result
 */
function succeeds(method, name, { failure, result }) {
  if (failure?.kind === 'tool') toolErrors[name] = failure.detail;
  else if (failure) console.error(`${method} ${name}: ${failure.kind}: ${failure.detail}`);
  const success = failure === null || failure.kind === 'tool';
  check(success, { [`${method} succeeds`]: (isSuccess) => isSuccess });
  if (success) counts[method] = (counts[method] ?? 0) + 1;
  return result;
}

/** @param {string} list @param {() => any[]} listAll which throws where a page fails */
function itemsOf(list, listAll) {
  const items = listAll();
  counts[`${list}/list`] = 1;
  listed[list] = items.length;
  return items;
}

/** @param {Record<string, any>} capabilities @param {object} ref @param {string[]} names of arguments */
function valuesOf({ completions }, ref, names) {
  /** @type {Record<string, string>} */
  const known = {};
  for (const name of names) {
    // Some servers complete numbers only, and nothing for an empty value.
    for (const value of completions ? ['', '1'] : []) {
      if (known[name]) break;
      const params = { ref, argument: { name, value }, context: { arguments: { ...known } } };
      known[name] = succeeds('completion/complete', name, client.complete(params)).completion.values[0];
    }
    known[name] ||= '1';
  }
  return known;
}

export default async function () {
  const { protocolVersion, serverInfo, capabilities } = client.connect();
  const isLegacy = protocolVersion !== '2026-07-28';
  check(serverInfo, { 'the server says its name': ({ name }) => name !== '' });

  const tools = itemsOf('tools', () => client.listAllTools());
  if (!argumentsOf) return console.log(JSON.stringify({ tools }));
  for (const { name, execution } of tools) {
    if (execution?.taskSupport === 'required') tasks.push(name);
    else succeeds('tools/call', name, client.callTool({ name, arguments: argumentsOf[name] }));
  }

  const uris = itemsOf('resources', () => client.listAllResources()).map(({ uri }) => uri);
  for (const { uriTemplate: uri } of itemsOf('resources/templates', () =>
    client.listAllResourceTemplates(),
  )) {
    const names = [...uri.matchAll(VARIABLE)].map(([, name]) => name);
    const values = valuesOf(capabilities, { type: 'ref/resource', uri }, names);
    uris.push(uri.replace(VARIABLE, (/** @type {string} */ _, /** @type {string} */ name) => values[name]));
  }
  for (const uri of uris) {
    succeeds('resources/read', uri, client.readResource({ uri }));
    // In 2026-07-28 a subscription is the stream below.
    if (!isLegacy || !capabilities.resources.subscribe) continue;
    succeeds('resources/subscribe', uri, client.request('resources/subscribe', { uri }));
    succeeds('resources/unsubscribe', uri, client.request('resources/unsubscribe', { uri }));
  }

  for (const { name, arguments: args = [] } of itemsOf('prompts', () => client.listAllPrompts())) {
    const names = args.map((/** @type {{name: string}} */ argument) => argument.name);
    const values = valuesOf(capabilities, { type: 'ref/prompt', name }, names);
    succeeds('prompts/get', name, client.getPrompt({ name, arguments: values }));
  }

  if (isLegacy && capabilities.logging) {
    succeeds('logging/setLevel', '', client.request('logging/setLevel', { level: 'error' }));
  }
  if (isLegacy) succeeds('ping', '', client.ping());
  const stream = await client.listen({ notifications: { toolsListChanged: true } }, { abandonAfter: '0.5s' });
  client.close();
  const listens = stream.failure?.kind ?? 'ok';
  console.log(JSON.stringify({ protocolVersion, listed, counts, tasks, toolErrors, listens }));
}
