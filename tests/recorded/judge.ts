#!/usr/bin/env node
/** Judges the recorded runs again, and writes their golden files and README.md: scripts/node tests/recorded/judge.ts [NAME ...]. Read what git diff shows. */
import { keepReadme } from './readme.ts';
import { judgedAgain, keepGolden, kept, recordedRuns } from './recording.ts';

const wanted = process.argv.slice(2);
for (const name of wanted.length > 0 ? wanted : recordedRuns())
  keepGolden(name, (await judgedAgain(kept(name))).golden);
keepReadme();
