/** Docs, comments, messages and names use the terms of the field, and one term for one thing. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { projectFiles } from '../project-files.js';

/** Terms, and what to write instead. Names are split into words: `targetKnobs` contains knobs. @type {[RegExp, string][]} */
const TERMS = [
  [/\blegs?\b/i, 'trial'],
  [/\bknobs?\b/i, 'setting'],
  [/\battend(s|ed|OrLeave)?\b/i, 'run, wait for'],
  [/\bbeside\b/i, 'next to, alongside, in addition to'],
  [/\banew\b/i, 're- (re-created, restarted), again'],
  [/\bonce more\b/i, 'again'],
  [/\btold apart\b/i, 'distinguished'],
  [/\btakers?\b/i, 'consumer, handler'],
  [/\bsigns? of life\b/i, 'heartbeat'],
  [/\b(gave|gives|give) way\b/i, 'saturated'],
  [/\bseen from outside\b/i, 'observed externally'],
  [/\bnot[ _]enough[ _]to[ _]tell\b/i, 'inconclusive'],
  [/\b(poison|cure)(s|ed)?\b/i, 'add, remove'],
  [/\blift(s|ed|ing)\b/i, 'removed'],
  [/\bwithout further ado\b/i, 'directly'],
];

/** Files that are not this project's words, or are about other things. */
const EXEMPT = [
  /^tests\/recorded\/.*\.(json|csv|xml|gz)$/,
  /^(LICENSE|.*package-lock\.json|.*go\.sum|.*\.(png|ico|svg|gz))$/,
  /^tests\/unit\/words\.test\.js$/,
];

const files = projectFiles().filter((file) => EXEMPT.every((pattern) => !pattern.test(file)));

/** @param {string} text @returns {string} with a space between the words of names */
const apart = (text) => text.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' ');

test('terms of the field, and no others', () => {
  assert.ok(files.length > 800);
  const found = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        TERMS.filter(([pattern]) => pattern.test(apart(line))).map(
          ([pattern, instead]) => `${file}:${index + 1}: ${pattern.source}; write ${instead}`,
        ),
      ),
  );
  assert.deepEqual(found, []);
});

test('pages have lines of at most 120 characters, tables, addresses and what is generated aside', () => {
  const pages = files.filter((file) => /^(README|CONTRIBUTING|docs\/[\w-]+|xk6-mcp\/README)\.md$/.test(file));
  assert.ok(pages.length > 15);
  const long = pages.flatMap((page) => {
    let isCode = false;
    let isGenerated = false;
    return readFileSync(page, 'utf8')
      .split('\n')
      .flatMap((line, index) => {
        if (line.trim().startsWith('```')) isCode = !isCode;
        if (line.startsWith('<!-- ')) isGenerated = line !== '<!-- end -->';
        const counts = !isCode && !isGenerated && !line.startsWith('|') && !/\]\([^)]*$|https?:/.test(line);
        return counts && line.length > 120 ? [`${page}:${index + 1}`] : [];
      });
  });
  assert.deepEqual(long, []);
});
