/** Validates a workload document from a file before k6 reads it. */
import { readFileSync } from 'node:fs';
import { validator } from '../analysis/schemas.ts';
import { usage } from './ending.ts';

const problemOf = validator('../lib/workload-document.schema.json');

/** @throws {Ending} if the document that WORKLOAD names is invalid, with the member and the expected value */
export function checkWorkload() {
  const { WORKLOAD: path = '' } = process.env;
  if (!path.endsWith('.json')) return;
  const problem = problemIn(path);
  if (problem) throw usage(`WORKLOAD ${path}: ${problem}`);
}

function problemIn(path: string): string | null {
  try {
    return problemOf(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    return `it cannot be read (${String(error).split('\n')[0]})`;
  }
}
