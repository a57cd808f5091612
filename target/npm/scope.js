import { Word } from './kinds.js';

/** What every tool of a proxy manager takes: whose rows, and of which of the owner's instances. */
export const scope = {
  owner: Word.default('anyone').describe(
    'whose resources; a load test gives its own name and removes what is its',
  ),
  instance: Word.default('default').describe("one of the owner's proxy managers"),
};
