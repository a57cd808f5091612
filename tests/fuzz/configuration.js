import assert from 'node:assert/strict';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import fc from 'fast-check';
import { ConfigError } from '../../contract/config-error.js';
import { profiles } from '../../contract/profiles.js';
import { readVariables, validOf } from '../../contract/variable.js';
import { variables as ofTests, readConfig } from '../../lib/config.js';
import { planObjectives, readThresholds } from '../../lib/objectives.js';
import { planPhases, toScenarios } from '../../lib/phases.js';
import { planOperations } from '../../lib/workload.js';
import reference from '../../workloads/reference.js';
import { anyText, nearly } from './generated.js';
import { orRefused } from './oracles.js';
import { property } from './property.js';
import { textsOf, VARIABLES } from './variables.js';

/** What people type, some of it right for each kind of variable. */
const TYPED = [
  ...[
    'http://127.0.0.1:3001/mcp',
    'https://[::1]:8443/a/b?c=d#e',
    'http://localhost',
    'https://user:pass@host/mcp',
  ],
  ...['10s', '1h30m', '500ms', '2.5s', '1', '0', '0.5', '20000', '1 2 4', 'gzip, br', 'off', 'auto'],
  ...['{"message":"hi"}', '{"a":"b","c":"d"}', 'Name: value\nOther: thing', '{"X-Api-Key":"k"}', 'Bearer x'],
  ...[
    'baseline.p99_ms=120,all.failure_rate=0.01',
    'each.p99_vs_first=1.3',
    'workload.json',
    'get_user,update_user',
  ],
];

/** Longest and shortest time, and greatest number, that k6 can make something of. */
const [LEAST_S, MOST_S] = [0.001, 1e9];
const MOST = 1e9;

/** @param {string} text */
function isUrl(text) {
  if (text === '') return;
  const url = new URL(text);
  assert.match(url.protocol, /^https?:$/);
  assert.equal(url.username + url.password, '');
  assert.doesNotMatch(text, /[\p{Cc}\s]/u);
}

/** @param {Record<string, string>} headers */
function areHeaders(headers) {
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  }
}

/** @param {number} most */
const number = (most) => (/** @type {number | null} */ value) =>
  assert.ok(value === null || (Number.isFinite(value) && value > 0 && value <= most), `${value}`);

/** @param {any} value */
const isObject = (value) => assert.ok(value === null || (typeof value === 'object' && !Array.isArray(value)));

/** @param {number[] | null} counts */
const counts = (counts) =>
  assert.ok(counts === null || (counts.length > 0 && counts.every((n) => Number.isInteger(n) && n > 0)));

/**
 * What must be true of a value that was taken.
 *
 * @type {Record<string, (value: any) => void>}
 */
const TAKEN = {
  ...Object.fromEntries(
    ['TARGET_URL', 'OAUTH_TOKEN_URL', 'GATEWAY_URL', 'GATEWAY_RPC_URL'].map((name) => [name, isUrl]),
  ),
  ...Object.fromEntries(['TARGET_HEADERS', 'GATEWAY_HEADERS'].map((name) => [name, areHeaders])),
  ...Object.fromEntries(
    ['TARGET_TOKEN', 'GATEWAY_TOKEN'].map((name) => [
      name,
      (value) => validateHeaderValue('Authorization', `Bearer ${value}`),
    ]),
  ),
  DURATION: number(MOST_S),
  ...Object.fromEntries(
    [
      'RATE_SCALE',
      'MAX_VUS',
      'SEED',
      'REQUESTS',
      'CONCURRENCY',
      'MAX_RATE',
      'RUNS',
      'RATE',
      'RECOVERY_S',
      'SESSION_EXPIRY_S',
      'PRICE_PER_INSTANCE_HOUR',
    ].map((name) => [name, number(MOST)]),
  ),
  ...Object.fromEntries(['ARGS', 'TOOL_NAMES', 'GATEWAY_SETTINGS'].map((name) => [name, isObject])),
  ...Object.fromEntries(['INSTANCES', 'CONNECTIONS'].map((name) => [name, counts])),
  TARGET_TIMEOUT: (seconds) => assert.ok(seconds >= LEAST_S && seconds <= MOST_S, `${seconds}`),
  MAX_BACKGROUND_CPU: (share) => assert.ok(share >= 0 && share <= 1),
};

/** @param {string} name @returns {fc.Arbitrary<string>} */
function textFor(name) {
  const own = textsOf(name).filter((text) => text !== '');
  return fc.oneof(anyText, nearly(fc.constantFrom(...own, ...TYPED)), fc.constantFrom(...own, ...TYPED));
}

const oneVariable = fc
  .constantFrom(...Object.keys(VARIABLES))
  .chain((name) => fc.tuple(fc.constant(name), textFor(name)));

/** @type {import('../../lib/phases.js').Phase[]} */
const SHAPE = [
  { name: 'baseline', rate: 100, duration: '5m' },
  { name: 'spike', rate: 2000, duration: '2m', overload: true },
  { name: 'recovery', rate: 100, duration: '5m' },
];

/** @param {fc.Arbitrary<string>} wild @param {...string} right */
const mostly = (wild, ...right) => fc.oneof(wild, { weight: 9, arbitrary: fc.constantFrom(...right) });

/** @type {import('./property.js').Area} */
const area = {
  name: 'configuration',
  properties: [
    property({
      name: 'a variable is taken as what it stands for, or refused in one line',
      runs: 6000,
      input: oneVariable,
      holds: ([name, text]) => {
        const definition = /** @type {import('../../contract/variable.js').Variable<any>} */ (
          VARIABLES[name]
        );
        const read = orRefused(() => readVariables({ [name]: definition }, { [name]: text }), ConfigError);
        if ('value' in read) {
          TAKEN[name]?.(read.value[name]);
          return;
        }
        assert.ok(read.refused.startsWith(`${name} is `) && read.refused.includes('; valid: '), read.refused);
        if (definition.secret)
          assert.equal(read.refused, `${name} is a value that is not shown; valid: ${validOf(definition)}`);
      },
    }),
    property({
      name: 'a configuration is taken or refused in one line',
      runs: 1500,
      input: fc.array(oneVariable, { maxLength: 6 }),
      holds: (pairs) => {
        const env = { TARGET_URL: 'http://127.0.0.1:3001/mcp', ...Object.fromEntries(pairs) };
        const read = orRefused(() => readConfig(env), ConfigError);
        if ('value' in read)
          assert.deepEqual(Object.keys(read.value), [...Object.keys(ofTests), 'dialect', 'era', 'version']);
      },
    }),
    property({
      name: 'what a test is planned with is what k6 can run',
      runs: 1500,
      input: fc.record({
        DURATION: mostly(textFor('DURATION'), '', '6s', '999999h', '0.0001ms'),
        RATE_SCALE: mostly(textFor('RATE_SCALE'), '1', '0.001', '0.000000001', '999999999'),
        MAX_VUS: mostly(textFor('MAX_VUS'), '', '1', '999999999'),
        TARGET_TIMEOUT: mostly(textFor('TARGET_TIMEOUT'), '', '1ms', '0.1ms', '9999h'),
        PROFILE: fc.constantFrom(...Object.keys(profiles)),
        TOOL: fc.oneof(fc.constant(''), fc.constantFrom(...Object.keys(reference.operations)), anyText),
        ARGS: fc.oneof(fc.constant(''), fc.constant('{"a":1}')),
        THRESHOLDS: fc.oneof(
          nearly(
            fc.constantFrom(
              'off',
              'documents',
              'documents,baseline.p99_ms=120',
              'baseline.p99_ms=120,all.failure_rate=0.01',
              'each.p99_vs_first=1.3',
              'class:read.p95_ms=5',
            ),
          ),
          anyText,
        ),
      }),
      holds: (env) => {
        const planned = orRefused(() => {
          const config = readConfig({ ...env, TARGET_URL: 'http://127.0.0.1:1/mcp' });
          const profile = /** @type {import('../../contract/profiles.js').Profile} */ (
            profiles[/** @type {keyof typeof profiles} */ (config.PROFILE)]
          );
          const phases = planPhases(SHAPE, profile, config);
          const operations = planOperations(reference, 'mixed', config);
          const { off, changes } = readThresholds(config.THRESHOLDS);
          const defaults = { all: { failure_rate: 0.01 } };
          const objectives = planObjectives(defaults, off ? '' : changes, phases, operations);
          return { phases, operations, objectives, scenarios: toScenarios(phases, config.TARGET_TIMEOUT) };
        }, ConfigError);
        if (!('value' in planned)) return;
        const { phases, operations, objectives, scenarios } = planned.value;
        for (const { offered_rps, duration_s } of phases)
          assert.ok(Number(offered_rps) > 0 && duration_s >= 1);
        // A name that k6 takes for a part of a selector is a threshold on something else, which never fails.
        for (const { operation } of operations)
          assert.match(operation, /^[^,:{}"'\s](?:[^,:{}"'\n]*[^,:{}"'\s])?$/);
        for (const { limit } of objectives) assert.ok(Number.isFinite(limit));
        for (const scenario of Object.values(scenarios)) {
          const { rate, startTime, duration } = /** @type {any} */ (scenario);
          assert.ok(Number.isSafeInteger(rate) && rate > 0, `rate ${rate}`);
          for (const time of [startTime, duration, scenario.gracefulStop])
            assert.match(time, /^(\d{1,13}ms|\d{1,16}us)$/);
        }
      },
    }),
  ],
};
export default area;
