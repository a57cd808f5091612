import { createHash } from 'node:crypto';

/**
 * A fixed repository in place of a real one. git is not called: starting a process per request would dominate what a
 * load test of this server measures.
 */
const BRANCH = 'main';
const FIRST_COMMIT = Date.parse('2025-10-01T08:00:00Z');
const INTERVAL = 5 * 3600 * 1000;
const AUTHORS = ['Ada Costa', 'Boris Novak', 'Chiara Haddad'];

/** Oldest first. */
const SUBJECTS = [
  'Begin the inventory service',
  'Read the configuration from the environment',
  'Add a table of parts',
  'Look parts up by number',
  'Refuse negative amounts',
  'Log one line a request',
  'Answer health checks',
  'Count requests by route',
  'Keep connections to the database open',
  'Make the import resumable',
  'Export the stock as CSV',
  'Close the pool on exit',
  'Name the part that is missing',
  'Bound the size of an import',
  'Cache the list of warehouses',
  'Correct the rounding of prices',
  'Document the import format',
  'Test an import that is cut off',
  'Retry a lost connection once',
  'Release 1.0',
];

/** Newest first. */
export const COMMITS = SUBJECTS.map((subject, index) => ({
  commit: createHash('sha1').update(`${index} ${subject}`).digest('hex'),
  author: AUTHORS[index % AUTHORS.length],
  date: new Date(FIRST_COMMIT + index * INTERVAL).toISOString(),
  subject,
})).reverse();

export const STATUS = {
  branch: BRANCH,
  head: COMMITS[0]?.commit,
  clean: false,
  modified: ['src/stock.py'],
  untracked: ['notes.txt'],
};
