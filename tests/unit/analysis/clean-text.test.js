import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { cleanDeep, cleanText, MAX_TEXT, redact, secretsOf } from '../../../analysis/clean-text.ts';
import { groups } from '../../../contract/variables.js';

const TOKEN = 'tök"en/4711+x';
const secrets = secretsOf({ TARGET_TOKEN: TOKEN, REDIS_PASSWORD: 'rp', PATH: '/usr/bin' });

test('the token is taken out in every spelling it may have', () => {
  for (const text of [TOKEN, encodeURIComponent(TOKEN), JSON.stringify({ key: TOKEN })]) {
    const cleaned = cleanText(`got ${text}, twice ${text}`, secrets);
    assert.ok(!cleaned.includes('4711'), cleaned);
    assert.match(cleaned, /^got .*\*\*\*.*, twice .*\*\*\*/);
  }
});

test('values too short to be secrets do not shred words, other variables are no secrets', () => {
  assert.equal(redact('carp in /usr/bin', secrets), 'carp in /usr/bin');
});

test('credentials and secret-looking parameters leave a URL, its rest stays', () => {
  const cases = {
    'http://user:pa55@host:1/mcp': 'http://host:1/mcp',
    'see postgres://lab:pw@127.0.0.1:5432/db now': 'see postgres://127.0.0.1:5432/db now',
    'https://onlyname@host/': 'https://host/',
    'http://h/mcp?api_key=abc123&page=2': 'http://h/mcp?api_key=***&page=2',
    'http://h/?x=1&access_token=zzz#top': 'http://h/?x=1&access_token=***#top',
    'Authorization: Bearer eyJhbGciOi.J9': 'Authorization: Bearer ***',
    'mail me@example.org about http://h/a@b': 'mail me@example.org about http://h/a@b',
  };
  for (const [text, expected] of Object.entries(cases)) assert.equal(redact(text, []), expected);
});

test('control, escape, direction and zero-width characters become a blank', () => {
  assert.equal(cleanText('a\u001b[31mred\u0007\nb\t\u202eevil\u200bc\u0000', []), 'a [31mred b evil c');
  assert.equal(cleanText('\ud800half \ufdd0', []), 'half');
  assert.equal(cleanText('größe ✓ 日本 😀', []), 'größe ✓ 日本 😀');
});

test('text is bounded by characters, and a secret at the bound is not left half', () => {
  assert.equal([...cleanText('😀'.repeat(2000), [])].length, MAX_TEXT);
  const text = `${'x'.repeat(MAX_TEXT - 5)}${TOKEN}`;
  assert.ok(!cleanText(text, secrets).includes(TOKEN.slice(0, 4)));
  assert.equal(cleanText('abcdef', [], 4), 'abc…');
});

test('a document is cleaned through and through, its numbers are left alone', () => {
  const document = { [`key ${TOKEN}`]: ['a\nb', { n: 1.5, nothing: null, yes: true }], url: 'http://u:p@h/' };
  assert.deepEqual(cleanDeep(document, secrets), {
    'key ***': ['a b', { n: 1.5, nothing: null, yes: true }],
    url: 'http://h/',
  });
});

test('the values of TARGET_HEADERS are secrets, as lines and as JSON', () => {
  for (const TARGET_HEADERS of ['X-Key: key-of-mine\nX-Short: 1', '{"X-Key": " key-of-mine"}']) {
    const found = secretsOf({ TARGET_HEADERS, OAUTH_CLIENT_SECRET: 'client-secret' });
    assert.equal(redact('key-of-mine, client-secret and X-Key 1', found), '***, *** and X-Key 1');
  }
});

test('of the settings of a gateway those are secrets whose names say so', () => {
  const settings = { JWT_SECRET_KEY: 'abcdefgh', BASIC_AUTH_PASSWORD: 'ijklmnop', CACHE_TYPE: 'memory' };
  const secrets = secretsOf({ GATEWAY_SETTINGS: JSON.stringify(settings) });
  assert.equal(cleanText('abcdefgh ijklmnop memory', secrets), '*** *** memory');
  assert.deepEqual(secretsOf({ GATEWAY_SETTINGS: 'null' }), []);
});

test('every variable that is declared a secret is taken out, and so is each of the stack', () => {
  const own = groups.flatMap(([, variables]) => Object.entries(variables)).filter(([, { secret }]) => secret);
  const ofStack =
    /for name in (.*_TOKEN .*_PASSWORD); do/.exec(readFileSync('scripts/run-dir.sh', 'utf8'))?.[1] ?? '';
  const names = [...own.map(([name]) => name), ...ofStack.split(' ')];
  assert.ok(names.includes('GATEWAY_HEADERS') && names.includes('SUPERVISOR_PASSWORD'), names.join());
  /** @type {Record<string, string>} */
  const several = {
    TARGET_HEADERS: 'X-Key: s3cret-value',
    GATEWAY_HEADERS: 'X-Key: s3cret-value',
    GATEWAY_SETTINGS: '{"JWT_SECRET_KEY":"s3cret-value"}',
  };
  for (const name of names) {
    const env = { [name]: several[name] ?? 's3cret-value' };
    assert.equal(cleanText('it said s3cret-value', secretsOf(env)), 'it said ***', name);
  }
});

test('a secret is found in whatever usual spelling a server sends it back', () => {
  const secret = 'tök/en+4711="x y"';
  const known = secretsOf({
    TARGET_TOKEN: secret,
    OAUTH_CLIENT_ID: 'my id',
    OAUTH_CLIENT_SECRET: 'client/4711',
    TARGET_HEADERS: `Authorization: Bearer bearer-4711\nX-Basic: Basic ${btoa('me:password-4711')}`,
  });
  const json = JSON.stringify(secret).slice(1, -1);
  const units = secret
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`);
  const query = encodeURIComponent(secret);
  const html = secret.replaceAll('"', '&quot;').replaceAll('=', '&#x3D;').replaceAll('/', '&#47;');
  const spellings = {
    json,
    'JSON in JSON': JSON.stringify(json).slice(1, -1),
    slashes: secret.replaceAll('/', '\\/'),
    units: units.join(''),
    query,
    'small letters': query.replace(/%[0-9A-F]{2}/g, (digits) => digits.toLowerCase()),
    twice: encodeURIComponent(query),
    form: query.replaceAll('%20', '+'),
    html,
    'HTML in a query': encodeURIComponent(html),
    'zero width': secret.split('').join('\u200b'),
    'zero width in JSON': secret.split('').join('\\u200d'),
    base64: btoa(String.fromCharCode(...new TextEncoder().encode(secret))),
    basic: btoa('my id:client/4711'),
    'basic of OAuth': btoa('my%20id:client%2F4711'),
    'after the scheme': 'bearer-4711',
    'the password': 'password-4711',
  };
  for (const [name, text] of Object.entries(spellings)) {
    const got = cleanText(`got ${text}, and ${text}.`, known);
    assert.match(got, /^got \*\*\*=*, and \*\*\*=*\.$/, name);
  }
  for (const text of [
    '100% of it',
    'C:\\new\\u12',
    'a & b &c; &#x; &#99999999;',
    '%zz',
    '日本 😀',
    '%ff%fe',
  ]) {
    assert.equal(redact(text, known), text);
  }
});

test('where a text is cut, no beginning of a secret is left, in whatever spelling', () => {
  const secret = 'secret/"4711"-of-mine';
  const known = secretsOf({ TARGET_TOKEN: secret });
  for (const text of [
    secret,
    encodeURIComponent(encodeURIComponent(secret)),
    JSON.stringify(secret).slice(1),
  ]) {
    for (let length = 0; length < text.length; length += 1) {
      assert.match(redact(`said: ${text.slice(0, length)}`, known, true), /^said: (\*\*\*)?$/);
    }
  }
  // A token that is repeated comes to the front with its last, cut part as the ones before are taken out.
  const token = 't0ken-'.repeat(100);
  const cleaned = cleanText(`.${token}`.repeat(20), secretsOf({ TARGET_TOKEN: token }));
  assert.ok(!cleaned.includes('t0k'), cleaned);
});
