/** Each method of real servers, called by the module k6/x/mcp. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { makeArguments } from '../../cli/discovery/arguments.ts';
import { command } from '../lab.js';
import { toolPath } from '../tool.js';
import { CASES, services, withServer } from './real-servers.js';

const [MODERN, LEGACY, ...OLDER] = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

const LISTS = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'];
const METHODS = [...LISTS, 'tools/call', 'resources/read', 'prompts/get', 'completion/complete'];
/** @type {Record<string, string[]>} */
const FURTHER_METHODS = {
  'TypeScript SDK 1.x (server-everything)': [
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
  ],
  'Go SDK': ['logging/setLevel'],
  'Go SDK, JSON': ['logging/setLevel'],
};
/** Those that refuse to be listened to. */
const WITHOUT_STREAM = ['TypeScript SDK 2.x, legacy', 'ContextForge in front of the reference target'];
/** The gateway's virtual server has tools only. */
const GATEWAY_METHODS = [...LISTS, 'tools/call', 'logging/setLevel'];

/** Of tools for which generated ones are not suitable. @type {Record<string, object>} */
const ARGUMENTS = {
  // Its default takes ten seconds.
  'trigger-long-running-operation': { duration: 0.1, steps: 2 },
  // Its default is a page on the internet.
  'gzip-file-as-resource': { data: 'data:text/plain,a' },
};

/** What the target's tools say where the generated id or name does not fit the data, or no optional argument is given. */
const TARGET_ERROR =
  /^(upstream-)?(create|get|update|delete|renew)[-_]\S+: (there is (no|a|an) |.* give at least one of )/;

/**
 * @param {import('./real-servers.js').Subject} server
 * @returns {Promise<Record<string, object>>} of each of its tools
 */
async function argumentsFor(server) {
  /** @type {{tools: {name: string, inputSchema: unknown}[]}} */
  const { tools } = await runScript(server, {});
  const made = await makeArguments(tools.map(({ inputSchema: schema }) => ({ schema, count: 1, seed: 1 })));
  return Object.fromEntries(
    tools.map(({ name }, index) => {
      const one = made[index];
      const generated = one && 'arguments' in one ? one.arguments[0] : undefined;
      return [name, ARGUMENTS[name] ?? generated ?? {}];
    }),
  );
}

/**
 * @param {import('./real-servers.js').Subject} server
 * @param {Record<string, string>} env
 * @returns {Promise<any>} what the script prints
 */
async function runScript({ url, token = '' }, env) {
  const { code, output } = await command(
    toolPath('k6'),
    ['run', '--quiet', '--address', '', '--log-format', 'raw', 'tests/k6/every-method.js'],
    { URL: url, TOKEN: token, ...env },
  );
  assert.equal(code, 0, output);
  // k6 takes a script that throws for a success where no check has failed.
  const line = output.split('\n').find((line) => line.startsWith('{'));
  assert.ok(line, output);
  return JSON.parse(line);
}

// Two at a time: the servers get one request after another.
describe('every method', { concurrency: 2 }, () => {
  before(() => services.start());
  after(() => services.stop());
  for (const [name, subject] of Object.entries(CASES)) {
    const isLegacy = subject.era === 'legacy';
    const expected = subject.few ? GATEWAY_METHODS : [...METHODS, ...(FURTHER_METHODS[name] ?? [])];
    if (isLegacy) expected.push('ping');
    const versions = [subject.ask === 'legacy' ? LEGACY : 'auto', ...(subject.session ? OLDER : [])];
    test(name, () =>
      withServer(subject, async (server) => {
        const ARGUMENTS = JSON.stringify(await argumentsFor(server));
        for (const version of versions) {
          const found = await runScript(server, { VERSION: version, ARGUMENTS });
          const { protocolVersion, listed, counts, tasks, toolErrors, listens } = found;
          assert.equal(listens, WITHOUT_STREAM.includes(name) ? 'http_4xx' : 'ok');
          const newest = isLegacy ? LEGACY : MODERN;
          assert.equal(protocolVersion, version === 'auto' ? newest : version);
          assert.deepEqual(tasks, subject.tool === 'echo' ? ['simulate-research-query'] : []);
          assert.deepEqual(Object.keys(counts).sort(), [...expected].sort());
          assert.ok(listed.tools > 0);
          assert.equal(counts['tools/call'], listed.tools - tasks.length);
          assert.equal(counts['resources/read'] ?? 0, listed.resources + listed['resources/templates']);
          assert.equal(counts['prompts/get'] ?? 0, listed.prompts);
          for (const [tool, error] of Object.entries(toolErrors)) {
            assert.match(`${tool}: ${error}`, TARGET_ERROR);
          }
        }
      }),
    );
  }
});
