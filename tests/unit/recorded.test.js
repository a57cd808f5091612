/** Runs as they once were (tests/recorded) are judged as their golden files say. If a change is meant, tests/recorded/judge.ts writes them again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keptReadme, readme } from '../recorded/readme.ts';
import { judgedAgain, kept, keptGolden, recordedRuns } from '../recorded/recording.ts';
import { RUNS } from '../recorded/runs.js';

test('every recorded run is in runs.js', () => {
  assert.deepEqual(
    recordedRuns().filter((name) => !(name in RUNS)),
    [],
  );
});

test('README.md is up to date', () => {
  assert.equal(readme(), keptReadme());
});

/** @param {string} is @param {string} was @returns {string | null} the first line that differs */
function difference(is, was) {
  const [now, before] = [is, was].map((text) => text.split('\n'));
  const index = (now ?? []).findIndex((line, at) => line !== before?.[at]);
  if (index < 0) return now?.length === before?.length ? null : 'it ends earlier';
  return `line ${index + 1} is ${now?.[index]?.trim()}, and was ${before?.[index]?.trim()}`;
}

for (const name of recordedRuns())
  test(name, async () => {
    const { golden } = await judgedAgain(kept(name));
    for (const [file, was] of Object.entries(keptGolden(name)))
      assert.equal(difference(golden[file] ?? '', was), null, `${name}/${file}`);
  });
