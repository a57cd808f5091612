/** Pages that claim nothing without a test: each that they name is there, under that name. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

/** Page -> how many claims it has at least. */
const PAGES = { 'docs/security.md': 50, 'docs/faults.md': 30 };

/** @param {string} text */
const literally = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** @param {string} file @returns {RegExp[]} the names of its tests; what is put into one when it runs may be anything */
function namesIn(file) {
  const source = readFileSync(file, 'utf8');
  return [
    ...source.matchAll(/\btest\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g),
  ].map(([, single, double, template]) =>
    template === undefined
      ? new RegExp(`^${literally((single ?? double ?? '').replace(/\\(.)/g, '$1'))}$`)
      : new RegExp(
          `^${template
            .split(/\$\{[^}]*\}/)
            .map(literally)
            .join('.+')}$`,
        ),
  );
}

/** @param {string} text @returns {string[]} the rows of its tables, without their heads */
const claimsIn = (text) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\|(-|\s*-)/.test(line) && !/\| test \|$/.test(line));

for (const [page, least] of Object.entries(PAGES)) {
  test(`${page}: every claim names a test that exists`, () => {
    const claims = claimsIn(readFileSync(page, 'utf8'));
    assert.ok(claims.length > least, String(claims.length));
    for (const claim of claims) {
      const last = claim.split(' | ').at(-1)?.replace(/ \|$/, '') ?? '';
      if (last === "none: apt's own") continue;
      const [, file = '', name = ''] = /^`(tests\/[\w/.-]+\.test\.js)`: (.+)$/.exec(last) ?? [];
      assert.ok(existsSync(file), `no such file: ${last}`);
      assert.ok(
        namesIn(file).some((known) => known.test(name)),
        `${file} has no test "${name}"`,
      );
    }
  });
}

test('docs/security.md: the limits that it names are those of the code', () => {
  const of = (/** @type {string} */ file, /** @type {string} */ name) =>
    new RegExp(`\\b${name}(?: =|: variable\\(\\{\\s*default:) '?([^;,']+)`).exec(
      readFileSync(file, 'utf8'),
    )?.[1] ?? '';
  for (const [file, name, code, said] of /** @type {const} */ ([
    ['lib/config.js', 'MAX_RATE', '5000', 'MAX_RATE` (5,000 requests/s'],
    ['lib/config.js', 'MAX_DURATION', '25h', 'MAX_DURATION` (25 h'],
    ['lib/config.js', 'MAX_VUS', '1000', 'MAX_VUS` (1,000 users)'],
    ['lib/mcp/asking-client.js', 'MAX_PAGES', '1000', '1,000 pages'],
    ['lib/mcp/asking-client.js', 'MAX_ITEMS', '200_000', '200,000 items'],
    ['lib/mcp/asking-client.js', 'MAX_TEXT', '96 * 1024 * 1024', '96 Mi characters'],
    ['lib/mcp/asking-client.js', 'LIST_S', '8', '8 s a list'],
    ['lib/mcp/client.js', 'MAX_SESSION_ID', '4096', 'above 4,096 characters'],
    ['lib/mcp/client.js', 'MAX_NAME', '100', '`serverInfo` has 100 characters'],
    ['lib/discovery.js', 'MAX_OPERATIONS', '50', 'at most 50 operations'],
    ['lib/discovery.js', 'MAX_NAME', '60', 'at most 60, each once'],
  ])) {
    assert.equal(of(file, name), code, name);
    assert.ok(readFileSync('docs/security.md', 'utf8').includes(said), said);
  }
});
