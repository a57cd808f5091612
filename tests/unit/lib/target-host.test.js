import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '../../../contract/config-error.js';
import { readConfig } from '../../../lib/config.js';
import { dialOptions, hostOf, isLoopback } from '../../../lib/target-host.js';
import { check as checkGateway } from '../../../scenarios/gateway/trials.ts';

/** @param {string} TARGET_URL @param {Record<string, string>} [env] */
const confirmed = (TARGET_URL, env = {}) => readConfig({ TARGET_URL, ...env });

const LOOPBACK = [
  'http://127.0.0.1:3001/mcp',
  'http://127.8.9.250/mcp',
  'http://localhost/mcp',
  'HTTP://LocalHost:1/mcp'.replace('HTTP', 'http'),
  'https://[::1]:8443/mcp',
];
/** Other spellings of an address, of which k6 would make what it likes. */
const NO_URL = [
  'http://2130706433/mcp',
  'http://0177.0.0.1/mcp',
  'http://127.1/mcp',
  'http://127.0.0.256/mcp',
];
const ELSEWHERE = [
  ...['http://10.0.0.1/mcp', 'http://172.16.0.1/mcp', 'http://192.168.1.1/mcp', 'http://169.254.169.254/'],
  ...['http://0.0.0.0:3001/mcp', 'http://[::]/mcp', 'http://[::ffff:7f00:1]/mcp', 'http://[fe80::1]/mcp'],
  ...['http://0x7f000001/mcp', 'http://127.0.0.01/mcp', 'http://127.0.0.1.example.org/mcp'],
  ...['http://localhost.example.org/mcp', 'http://my.localhost/mcp', 'http://localhost./mcp'],
  ...['http://notlocalhost/mcp', 'http://host.docker.internal:3001/mcp'],
  'https://mcp.example.org/mcp',
];

test('loopback is loaded without confirmation', () => {
  for (const url of LOOPBACK) assert.equal(confirmed(url).TARGET_URL, url);
});

test('a target that is not plainly loopback needs TARGET_CONFIRM: one line that says what to set', () => {
  for (const url of ELSEWHERE) {
    const { host } = hostOf(url);
    assert.ok(!isLoopback(host), url);
    assert.throws(
      () => confirmed(url),
      (error) =>
        error instanceof ConfigError &&
        error.message.startsWith(`TARGET_URL is on ${host}, which is not this machine`) &&
        error.message.endsWith(`TARGET_CONFIRM=${host}`) &&
        !error.message.includes('\n'),
      url,
    );
    assert.equal(confirmed(url, { TARGET_CONFIRM: host }).TARGET_URL, url);
  }
});

test('an address that is spelt in another way is none, confirmed or not', () => {
  for (const url of NO_URL) {
    assert.ok(!isLoopback(hostOf(url).host), url);
    assert.throws(() => confirmed(url, { TARGET_CONFIRM: hostOf(url).host }), ConfigError, url);
  }
});

test('TARGET_CONFIRM is the host, or host:port, exactly', () => {
  const url = 'https://MCP.example.org/mcp';
  for (const fine of ['mcp.example.org', 'Mcp.Example.org', 'mcp.example.org:443', 'a.b, mcp.example.org']) {
    assert.equal(confirmed(url, { TARGET_CONFIRM: fine }).TARGET_URL, url, fine);
  }
  for (const wrong of ['example.org', 'mcp.example.org:80', 'mcp.example.org.', '.example.org', '1', 'yes']) {
    assert.throws(
      () => confirmed(url, { TARGET_CONFIRM: wrong }),
      /^ConfigError|TARGET_URL is on mcp\.example\.org/,
      wrong,
    );
  }
  for (const invalid of ['*', '*.example.org', 'https://mcp.example.org', 'a b', ',', 'a,,b']) {
    assert.throws(
      () => confirmed(url, { TARGET_CONFIRM: invalid }),
      /^ConfigError: TARGET_CONFIRM|TARGET_CONFIRM is/,
      invalid,
    );
  }
});

test('a plan of a target elsewhere needs no confirmation: it sends discovery alone', () => {
  assert.equal(confirmed('https://mcp.example.org/mcp', { DRY_RUN: '1' }).DRY_RUN, true);
});

test("the stack's own hosts in Docker count as this machine, and no others", () => {
  const STACK_HOSTS = 'target,host.docker.internal';
  for (const url of ['http://target:8000/mcp', 'http://host.docker.internal:3001/mcp']) {
    assert.equal(confirmed(url, { STACK_HOSTS }).TARGET_URL, url);
  }
  assert.throws(() => confirmed('http://target.example.org/mcp', { STACK_HOSTS }), /TARGET_CONFIRM=/);
});

test('a gateway is loaded as the target is: its host is confirmed, too, and its rate is limited', () => {
  /** @type {any} */
  const config = {
    ...{ PROFILE: 'smoke', RUNS: 3, DURATION: null, GATEWAY_STORE: 'sqlite', TARGET_CONFIRM: [] },
    ...{ RATE: null, MAX_RATE: 5000, GATEWAY_URL: 'http://127.0.0.1:4444/mcp', GATEWAY_RPC_URL: '' },
  };
  checkGateway(config);
  assert.throws(
    () => checkGateway({ ...config, GATEWAY_URL: 'http://10.1.1.1/mcp' }),
    /^ConfigError: GATEWAY_URL is on 10\.1\.1\.1|GATEWAY_URL is on 10\.1\.1\.1/,
  );
  assert.throws(
    () => checkGateway({ ...config, GATEWAY_RPC_URL: 'http://gw/rpc' }),
    /GATEWAY_RPC_URL is on gw/,
  );
  assert.throws(() => checkGateway({ ...config, RATE: 6000 }), /MAX_RATE=6000/);
});

/** @param {string} address @param {string} range */
function inRange(address, range) {
  const [network = '', bits = '0'] = range.split('/');
  const number = (/** @type {string} */ text) =>
    text.includes(':') ? null : text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const [a, b] = [number(address), number(network)];
  if (a === null || b === null) return false;
  return Math.floor(a / 2 ** (32 - Number(bits))) === Math.floor(b / 2 ** (32 - Number(bits)));
}

test('what is meant for loopback is dialled nowhere else', () => {
  const ranges = dialOptions({ TARGET_URL: 'http://localhost/mcp', OAUTH_CLIENT_ID: '' }).blacklistIPs ?? [];
  const blocked = (/** @type {string} */ address) => ranges.filter((range) => inRange(address, range)).length;
  for (let first = 0; first < 256; first += 1) {
    assert.equal(blocked(`${first}.1.2.3`), first === 127 ? 0 : 1, `${first}.1.2.3`);
  }
  assert.deepEqual(dialOptions({ TARGET_URL: 'https://mcp.example.org/mcp', OAUTH_CLIENT_ID: '' }), {});
});
