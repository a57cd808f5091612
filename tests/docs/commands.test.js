/** Every command of the documentation is executed by a test, or tests/docs-commands.js says why not. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { BY_COMMAND, BY_TARGET, NOT_RUN, STORY } from '../docs-commands.js';
import { command } from '../lab.js';
import { commandsOf, pages } from '../markdown.js';
import { projectFiles } from '../project-files.js';

/** Stands for what the reader puts there: such a command is a form, not one to be executed. */
const FORM = /\.\.\.|\bNAME\b|\[/;
const LAYERS = /^tests\/(unit|target|k6|conformance|docs|signals|stack|docker|browser)\/.+\.test\.js$/;

/** @type {Map<string, string[]>} command -> the pages that have it */
const documented = new Map();
for (const page of pages())
  for (const text of commandsOf(page)) documented.set(text, [...(documented.get(text) ?? []), page]);

const tests = projectFiles()
  .filter((name) => /^scenarios\/.+\.js$/.test(name))
  .map((name) => name.slice(10, -3));
const targets = new Set(tests);
for (const [, target = ''] of readFileSync('Makefile', 'utf8').matchAll(/^([a-z][a-z-]*):.*##/gm))
  targets.add(target);
const variables = new Set(
  [...readFileSync('docs/configuration.md', 'utf8').matchAll(/^\| (.+?) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name),
  ),
);
const inStory = new Set(STORY.map((step) => step.command));
const storyTargets = new Set([...inStory].flatMap((text) => makes(text).flatMap((one) => one.targets)));

/**
 * @param {string} text
 * @returns {{targets: string[], names: string[]}[]} the calls of make, or of a script that make calls
 */
function makes(text) {
  return text.split(' && ').flatMap((part) => {
    const [, before = '', program = '', rest = ''] =
      /^((?:[A-Z_]+=\S* )*)(make|\.\/scripts\/run)\b(.*)$/.exec(part.trim()) ?? [];
    if (!program) return [];
    const words = rest.match(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g) ?? [];
    const names = [...before.trim().split(' '), ...words].flatMap(
      (word) => /^\[?([A-Z_]+)=/.exec(word)?.[1] ?? [],
    );
    return [{ targets: words.filter((word) => !/[=\]]/.test(word)), names }];
  });
}

/** @param {string} target @param {string} text @returns {string} what is wrong; '' for nothing */
function problemOf(target, text) {
  if (target === 'NAME' || target === '...') return '';
  if (!targets.has(target)) return `make has no target ${target}`;
  return BY_TARGET[target] || storyTargets.has(target) ? '' : `no test runs make ${target} (${text})`;
}

for (const [text, where] of documented) {
  test(`${where[0]}: ${text}`, () => {
    if (inStory.has(text) || BY_COMMAND[text] || NOT_RUN[text]) return;
    const [, file = ''] = /^node --test (?:--\S+ )*(\S+)$/.exec(text.split(' && ').at(-1) ?? '') ?? [];
    if (file) assert.ok(LAYERS.test(file) && existsSync(file), `${file} is no test that make test runs`);
    if (file && !text.includes('make ')) return;
    const [, layer = ''] = /^\.\/scripts\/test (\w+)$/.exec(text) ?? [];
    if (layer) return assert.ok(LAYERS.test(`tests/${layer}/x.test.js`), layer);
    const calls = makes(text);
    assert.ok(calls.length > 0, `tests/docs-commands.js has no "${text}"`);
    for (const { targets: called, names } of calls) {
      for (const target of called) assert.equal(problemOf(target, text), '');
      // Benches have variables of their own.
      if (called.some((target) => target.startsWith('bench-'))) continue;
      for (const name of names) assert.ok(variables.has(name), `docs/configuration.md has no ${name}`);
    }
  });
}

test('every entry of the lists is on a page', () => {
  for (const text of [...inStory, ...Object.keys(BY_COMMAND), ...Object.keys(NOT_RUN)])
    assert.ok(documented.has(text), text);
  const called = new Set([...documented.keys()].flatMap((text) => makes(text).flatMap((one) => one.targets)));
  for (const target of Object.keys(BY_TARGET)) assert.ok(called.has(target), `no page has make ${target}`);
});

test('the tests that the lists name are there, and run what is said', () => {
  for (const [called, by] of [...Object.entries(BY_TARGET), ...Object.entries(BY_COMMAND)]) {
    if ('reason' in by) continue;
    assert.match(by.file, LAYERS);
    const text = readFileSync(by.file, 'utf8');
    assert.ok(text.includes(by.test), `${by.file} has no test "${by.test}" (${called})`);
    assert.ok(text.includes(by.runs), `${by.file} does not have ${by.runs} (${called})`);
  }
});

/** A server or a file that is not there. */
const WANTS = /TARGET_URL=|TARGET_METRICS=|PAYLOAD=/;

/** Commands with variables of a test, which need nothing but what is there. */
const dry = [...documented.keys()].filter((text) => {
  const [call, ...more] = makes(text);
  return (
    !inStory.has(text) &&
    !NOT_RUN[text] &&
    !FORM.test(text) &&
    !WANTS.test(text) &&
    !text.includes('&&') &&
    call?.names.length &&
    more.length === 0 &&
    call.targets.length === 1 &&
    tests.includes(call.targets[0] ?? '')
  );
});

describe('with DRY_RUN=1, as it stands', { concurrency: 2 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'docs-'));
  after(() => rmSync(folder, { recursive: true }));
  for (const text of dry) {
    test(text, async () => {
      const { code, output } = await command('bash', ['-c', text], { DRY_RUN: '1', RUN_DIR: folder });
      assert.equal(code, 0, output);
      assert.match(output, /^PHASE|^STEP/m);
    });
  }
});
