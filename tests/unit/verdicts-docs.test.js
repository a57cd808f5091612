/** docs/verdicts.md says what the code does. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { rulesTable } from '../../analysis/bottleneck/rules-table.js';

test('the table of bottlenecks is that of the rules', () => {
  assert.ok(
    readFileSync('docs/verdicts.md', 'utf8').includes(rulesTable().trim()),
    'paste what this prints into docs/verdicts.md: node analysis/bottleneck/rules-table.js',
  );
});
