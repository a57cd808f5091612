#!/usr/bin/env node
/**
 * Compares runs: `node analysis/compare/main.js <results> <baselines> <folder>`, with BASE, HEAD and the options in the
 * environment, and what the sides are to be called in BASE_NAME and HEAD_NAME. Writes comparison.json, .md, .html and junit.xml to the folder, a table to the terminal, and exits with 0 where
 * nothing is worse, 99 where something is, 98 where nothing could be judged, 2 where the runs can't be compared.
 */
import { mkdirSync } from 'node:fs';
import { basename } from 'node:path';
import { secretsOf } from '../clean-text.js';
import { compare } from './comparison.js';
import { exitWith } from './exit.js';
import { optionsOf } from './options.js';
import { readSide } from './sides.js';
import { renderTerminal } from './terminal.js';
import { writeComparison } from './write-comparison.js';

await exitWith(() => {
  const [results = '', baselines = '', directory = ''] = process.argv.slice(2);
  const places = { results, baselines };
  const options = optionsOf(process.env);
  const base = readSide('BASE', process.env.BASE ?? '', places);
  const head = readSide('HEAD', process.env.HEAD ?? '', places);
  const named = (/** @type {typeof base} */ side, /** @type {string | undefined} */ name) => ({
    ...side,
    given: name || side.given,
  });
  const comparison = compare(
    basename(directory),
    named(base, process.env.BASE_NAME),
    named(head, process.env.HEAD_NAME),
    options,
    secretsOf(process.env),
  );
  mkdirSync(directory, { recursive: true });
  writeComparison(directory, comparison);
  const colours = process.stdout.isTTY === true && !process.env.NO_COLOR;
  process.stdout.write(renderTerminal(comparison, { directory, colours }));
  return comparison.verdict.exit_code;
});
