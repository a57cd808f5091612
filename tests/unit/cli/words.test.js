import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT, runFolder } from '../../../cli/stack.ts';
import { readWords, takeWords } from '../../../cli/variables.ts';
import { command } from '../../lab.js';

test('a relative RUN_DIR is one from here, also as a word', () => {
  takeWords('compare', ['RUN_DIR=.run-2']);
  assert.equal(runFolder(), join(process.cwd(), '.run-2'));
});

test('a mistyped name is refused with those that it may be, or with all where they are few', () => {
  assert.throws(
    () => readWords('run', ['PROFLIE=smoke']),
    /^Error: got "PROFLIE"; valid: NAME=value with a NAME of make help-all, such as PROFILE, /,
  );
  assert.throws(
    () => readWords('compare', ['BASES=x']),
    /valid: NAME=value with a NAME of BASE, HEAD, .*, RESULTS_DIR$/,
  );
  assert.throws(
    () => readWords('run', ['x'.repeat(1_000_000)]),
    (error) => String(error).length < 500,
  );
});

test('make hands on what it is given as it is, and its own environment, whatever is in that', async () => {
  const text = `pa$word "q" 'r' \`touch x\` $(shell touch y)`;
  const show = '--eval=show: ; @printf "%s|%s" "$$TARGET_TOKEN" "$$TARGET_HEADERS"';
  const env = { TARGET_HEADERS: text, 'A:B': '1', 'C#D': '1', MAKELEVEL: '' };
  const { output } = await command('make', ['-s', show, 'show', `TARGET_TOKEN=${text}`], env);
  assert.equal(output, `${text}|${text}`);
});

test('make refuses a name that no target knows, with the nearest, before anything runs', async () => {
  for (const [given, nearest] of [
    ['RATE_SCAL', 'RATE_SCALE'],
    ['TARGETURL', 'TARGET_URL'],
    ['POOLSIZE', 'POOL_SIZE'],
    ['ROUND', 'ROUNDS'],
  ]) {
    const { code, output } = await command('make', ['-s', 'help', `${given}=0.1`], { MAKELEVEL: '' });
    assert.equal(code, 2);
    assert.match(
      output,
      new RegExp(
        `${given} is not a variable of any target; did you mean ${nearest}\\? \\(make help-all lists them\\)`,
      ),
    );
    assert.doesNotMatch(output, /0\.1|Load tests/);
  }
});

test('make takes each name that its own help shows', async () => {
  const shown = readFileSync(join(ROOT, 'Makefile'), 'utf8').matchAll(/^[a-z-]+:.*## .*$/gm);
  const names = [...shown].flatMap(([line]) =>
    [...line.matchAll(/\b([A-Z][A-Z0-9_]+)=/g)].map(([, name]) => name),
  );
  assert.ok(names.length > 20);
  const words = names.map((name) => `${name}=1`);
  const { code, output } = await command('make', ['-s', '-n', 'help', ...words], { MAKELEVEL: '' });
  assert.equal(code, 0, output);
});

test('SECRET_SOURCE is a file: any other source would stand in the list of processes', () => {
  const before = process.env.SECRET_SOURCE;
  try {
    for (const source of ['mock=TARGET_TOKEN=s3same', 'url=https://vault/x:headers.X-Key=s3same', 'file='])
      assert.throws(
        () => takeWords('run', [`SECRET_SOURCE=${source}`]),
        /^(Config)?Error: SECRET_SOURCE is invalid \(value not shown\); valid: file= and the path of a file/,
      );
  } finally {
    if (before === undefined) delete process.env.SECRET_SOURCE;
    else process.env.SECRET_SOURCE = before;
  }
});
