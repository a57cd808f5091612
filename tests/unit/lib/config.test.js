import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '../../../contract/config-error.js';
import { k6Duration, parseDuration } from '../../../contract/duration.js';
import { groups } from '../../../contract/variables.js';
import { readConfig } from '../../../lib/config.js';
import { command } from '../../lab.js';

const URL_ONLY = { TARGET_URL: 'http://127.0.0.1:8000/mcp' };

/** @param {Record<string, string>} env @param {RegExp} message */
function refuses(env, message) {
  assert.throws(
    () => readConfig({ ...URL_ONLY, ...env }),
    (error) => error instanceof ConfigError && message.test(error.message),
  );
}

test('every variable has its documented default', () => {
  const config = readConfig(URL_ONLY);
  assert.equal(config.PROFILE, 'quick');
  assert.equal(config.TARGET_TIMEOUT, 10);
  assert.equal(config.MAX_VUS, 1000);
  assert.equal(config.ARGS, null);
  assert.equal(config.DURATION, null);
  for (const [name, variable] of groups.flatMap(([, variables]) => Object.entries(variables)))
    assert.notEqual(variable.type.parse(variable.default ?? ''), undefined, `${name}'s own default is valid`);
});

test('a message is one line, whatever was given', () => {
  refuses({ PROFILE: 'a\r\nb\u001b[31m\u202e' }, /^PROFILE is "a b \[31m "; valid: smoke, quick, full$/);
});

test('numbers and times that k6 can not count with are refused', () => {
  refuses({ RATE_SCALE: '9'.repeat(400) }, /^RATE_SCALE/);
  refuses({ RATE_SCALE: '1000000001' }, /^RATE_SCALE/);
  refuses({ TARGET_TIMEOUT: '0.1ms' }, /^TARGET_TIMEOUT/);
  refuses({ DURATION: '999999999h' }, /^DURATION/);
});

test('a URL that no one can call is refused', () => {
  for (const url of [
    'http://127.0.0.1:65536/mcp',
    'http://1270.0.1/mcp',
    'http://127.0.0.256/mcp',
    'http://[:::1]/mcp',
    'http://x/\u0000',
  ])
    refuses({ TARGET_URL: url }, /^TARGET_URL/);
  for (const url of ['http://[::1]:8443/mcp', 'http://10.0.0.1/mcp', 'http://a-b.example:65535/x?y=z#w'])
    assert.equal(readConfig({ TARGET_URL: url, TARGET_CONFIRM: '10.0.0.1,a-b.example' }).TARGET_URL, url);
});

test('an empty variable is an unset one', () => {
  assert.equal(readConfig({ ...URL_ONLY, PROFILE: '', TOOL: '' }).PROFILE, 'quick');
});

test('a wrong value names the variable, what it got and what is valid', () => {
  refuses({ PROFILE: 'nope' }, /^PROFILE is "nope"; valid: smoke, quick, full$/);
  refuses({ TARGET_URL: 'ftp://x' }, /^TARGET_URL is "ftp:\/\/x"; valid: an http/);
  refuses({ TARGET_URL: '' }, /^TARGET_URL is empty/);
  refuses({ RATE_SCALE: '0' }, /^RATE_SCALE/);
  refuses({ RATE_SCALE: '1e9' }, /^RATE_SCALE/);
  refuses({ DURATION: '5 min' }, /^DURATION is "5 min"; valid: a duration such as/);
  refuses({ TOOL: 'x', ARGS: '[1]' }, /^ARGS is "\[1\]"; valid: one JSON object/);
  refuses({ ARGS: '{}' }, /^ARGS needs TOOL/);
  refuses(
    { TARGET_PROTOCOL: 'old' },
    /^TARGET_PROTOCOL is "old"; valid: auto, modern, legacy, 2026-07-28, .*, jsonrpc, rest$/,
  );
  refuses({ MAX_VUS: '-1' }, /^MAX_VUS/);
  refuses({ SESSIONS_MODE: 'none' }, /^SESSIONS_MODE is "none"; valid: per-vu, per-call, abandon$/);
  refuses({ CLIENT_CACHE: 'yes' }, /^CLIENT_CACHE is "yes"; valid: 0, 1$/);
  refuses(
    { ACCEPT_ENCODING: 'gzip, zip' },
    /^ACCEPT_ENCODING is "gzip, zip"; valid: one or more of gzip, deflate, br, zstd/,
  );
});

test('what TARGET_PROTOCOL means: the dialect, and of MCP the era and the only version', () => {
  for (const [protocol, dialect, era, version] of [
    ['', '', 'auto', ''],
    ['auto', 'mcp', 'auto', ''],
    ['modern', 'mcp', 'modern', ''],
    ['legacy', 'mcp', 'legacy', ''],
    ['2026-07-28', 'mcp', 'modern', '2026-07-28'],
    ['2024-11-05', 'mcp', 'legacy', '2024-11-05'],
    ['jsonrpc', 'jsonrpc', 'auto', ''],
    ['rest', 'rest', 'auto', ''],
  ]) {
    const config = readConfig({ ...URL_ONLY, TARGET_PROTOCOL: protocol });
    assert.deepEqual([config.dialect, config.era, config.version], [dialect, era, version], protocol);
  }
});

test('a secret is not repeated in the message', () => {
  refuses({ TARGET_TOKEN: 'top secret' }, /^TARGET_TOKEN is a value that is not shown/);
  assert.throws(
    () => readConfig({ ...URL_ONLY, TARGET_TOKEN: 'top secret' }),
    (/** @type {Error} */ error) => !error.message.includes('top'),
  );
});

test('credentials in the URL are refused, a host in brackets is not', () => {
  refuses({ TARGET_URL: 'http://user:pass@host/mcp' }, /without credentials/);
  assert.equal(readConfig({ TARGET_URL: 'http://[::1]:3001/mcp' }).TARGET_URL, 'http://[::1]:3001/mcp');
});

test('durations are k6 durations', () => {
  assert.equal(parseDuration('1h30m'), 5400);
  assert.equal(parseDuration('500ms'), 0.5);
  assert.equal(parseDuration('2.5s'), 2.5);
  for (const wrong of ['', '5', 's', '5x', '-5s', '0s', '5s ', '1h 30m'])
    assert.equal(parseDuration(wrong), null, wrong);
  assert.equal(k6Duration(6.0416), '6042ms');
});

test('the scripts take one name at a time, and say what they got in one line', async () => {
  for (const argument of ['PROFILE TARGET_URL=x', '\r\nPROFILE=smoke', ' =x', '*=x', 'PATH=/x']) {
    const { code, output } = await command('./scripts/run', ['spike', argument]);
    assert.equal(code, 2);
    assert.match(output, /^error: got "[ -~]*"; valid: NAME=value with a NAME of [ -~]*\n$/);
  }
  const { code, output } = await command('./scripts/run', ['soak spike']);
  assert.equal(code, 2);
  assert.match(output, /^error: the test is "soak spike"; valid: /);
});
