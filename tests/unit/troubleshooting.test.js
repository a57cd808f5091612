/** docs/troubleshooting.md quotes what a user really sees. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { lexer } from 'marked';
import { projectFiles } from '../project-files.js';

const CODE = /^(lib|analysis|scripts|experiments|viewer|target)\/(?!.*\.bundle\.js$)[^.]+(\.js|\.sh)?$/;
const sources = projectFiles()
  .filter((name) => CODE.test(name))
  .map((name) => readFileSync(name, 'utf8').replaceAll(/\\(['"`])/g, '$1'));

/** Between two parts of one message there is code, and not much of it. */
const NEAR = 300;
/** @param {string} text */
const escaped = (text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Messages: code that begins a row. @returns {string[]} */
function quoted() {
  return lexer(readFileSync('docs/troubleshooting.md', 'utf8')).flatMap((token) =>
    token.type === 'table'
      ? /** @type {import('marked').Tokens.Table} */ (token).rows.flatMap(([first]) => {
          const [code, ...more] = first?.tokens ?? [];
          return code?.type === 'codespan' && more.length === 0 ? code.text : [];
        })
      : [],
  );
}

/** @param {string} message @returns {string[]} what does not vary */
const fixedParts = (message) =>
  message
    .split('...')
    .map((part) => part.trim())
    .filter((part) => /\w{2}/.test(part));

test('each message is in the code, its fixed parts in one place and in their order', () => {
  const messages = quoted();
  assert.ok(messages.length > 40, `${messages.length}`);
  for (const message of messages) {
    const parts = fixedParts(message);
    assert.ok(parts.length > 0, message);
    const pattern = new RegExp(parts.map(escaped).join(`[\\s\\S]{0,${NEAR}}?`));
    assert.ok(
      sources.some((source) => pattern.test(source)),
      `no file has "${message}"`,
    );
  }
});
