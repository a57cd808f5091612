import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig, variables } from '../../../lib/config.js';
import { ConfigError } from '../../../lib/config-error.js';
import { k6Duration, parseDuration } from '../../../lib/duration.js';
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
  for (const [name, { default: text, parse }] of Object.entries(variables)) {
    if (name !== 'TARGET_URL') assert.notEqual(parse(text), undefined, `${name}'s own default is valid`);
  }
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
  refuses({ ARGS: '{}' }, /^ARGS is set without TOOL/);
  refuses({ MCP_ERA: 'old' }, /valid: auto, modern, legacy|valid: auto/);
  refuses({ MAX_VUS: '-1' }, /^MAX_VUS/);
  refuses(
    { MCP_PROTOCOL_VERSION: '2024-10-07' },
    /^MCP_PROTOCOL_VERSION is "2024-10-07"; valid: 2026-07-28, 2025-11/,
  );
  refuses({ SESSIONS_MODE: 'none' }, /^SESSIONS_MODE is "none"; valid: per-vu, per-call, abandon$/);
  refuses({ CLIENT_CACHE: 'yes' }, /^CLIENT_CACHE is "yes"; valid: 0, 1$/);
  refuses(
    { ACCEPT_ENCODING: 'gzip, zip' },
    /^ACCEPT_ENCODING is "gzip, zip"; valid: gzip, deflate, br, zstd/,
  );
});

test('a protocol version of the other era than the forced one is refused with the versions that fit', () => {
  refuses(
    { MCP_ERA: 'legacy', MCP_PROTOCOL_VERSION: '2026-07-28' },
    /MCP_ERA=legacy; valid: 2025-11-25, 2025-06/,
  );
  refuses({ MCP_ERA: 'modern', MCP_PROTOCOL_VERSION: '2025-06-18' }, /MCP_ERA=modern; valid: 2026-07-28$/);
  assert.equal(
    readConfig({ ...URL_ONLY, MCP_ERA: 'legacy', MCP_PROTOCOL_VERSION: '2024-11-05' }).MCP_PROTOCOL_VERSION,
    '2024-11-05',
  );
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
