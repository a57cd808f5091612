import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasSecret, shownTarget, splitCommand, stdioUrl } from '../../contract/command-line.js';

/** @type {[text: string, words: string[] | undefined][]} */
const COMMANDS = [
  ['npx -y server /data', ['npx', '-y', 'server', '/data']],
  [`python3  -c 'print("a b")'`, ['python3', '-c', 'print("a b")']],
  ['a "b \\" c" d\\ e', ['a', 'b " c', 'd e']],
  [`--name="a b"'c'`, ['--name=a bc']],
  [`a ''`, ['a', '']],
  ['a $HOME; rm -rf `x`', ['a', '$HOME;', 'rm', '-rf', '`x`']],
  [`a 'b`, undefined],
  ['a "b', undefined],
  ['a \\', undefined],
  ['', []],
];

for (const [text, words] of COMMANDS) {
  test(`the words of: ${text}`, () => assert.deepEqual(splitCommand(text), words));
}

test('a command whose flags name a secret is known', () => {
  assert.ok(hasSecret(['server', '--api-key', 'x']) && hasSecret(['server', '--token=x']));
  assert.ok(!hasSecret(['server', 'token', '--port', '1']));
});

test('a program is called by its name, a URL is shown without its query', () => {
  assert.equal(shownTarget(stdioUrl(['/usr/bin/my server', 'x'])), 'my server');
  assert.equal(shownTarget('http://127.0.0.1:1/mcp?key=x#y'), 'http://127.0.0.1:1/mcp');
});
